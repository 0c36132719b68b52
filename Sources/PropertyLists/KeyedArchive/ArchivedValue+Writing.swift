package import Foundation

extension ArchivedValue {
  /// The value as a keyed archive under the key `root`; equal values give equal bytes.
  ///
  /// Objects and the shared values of the property list have the order of Apple's archiver (CD-5), so a value that Core
  /// Data wrote is written back with the same bytes.
  /// - Throws: ``ArchivedValueError/tooDeep``.
  package func archived(rootKey: String = "root") throws(ArchivedValueError) -> Data {
    var builder = KeyedArchiveBuilder()
    let root = try builder.add(self, depth: 0)
    return builder.finish(root: root, rootKey: rootKey).encoded()
  }
}

extension KeyedArchiveBuilder {
  /// Adds a value, then what it holds, then its class.
  fileprivate mutating func add(_ value: ArchivedValue, depth: Int) throws(ArchivedValueError) -> Reference {
    guard depth <= ArchivedValue.Limits.depth else { throw .tooDeep }
    switch value {
    case .boolean(let flag): return plain(.boolean(flag))
    case .integer(let number): return plain(.integer(number))
    case .real(let number): return plain(.real(number))
    case .string(let text, isMutable: false): return plain(.string(text))
    case .data(let data, isMutable: false): return plain(.data(data))
    case .null: return shared("NSNull") { $0.add([], chain: ArchivedValueClass.null.chain) }
    case .date(let seconds): return date(seconds)
    case .uuid(let value): return uuid(value)
    case .decimal(let number): return decimal(number)
    case .string(let text, isMutable: true):
      return add([("NS.string", .plain(.string(text)))], chain: ArchivedValueClass.mutableString.chain)
    case .data(let data, isMutable: true):
      return add([("NS.data", .plain(.data(data)))], chain: ArchivedValueClass.mutableData.chain)
    case .url(let text, let base):
      let reference = reserve()
      let baseReference = if let base { try add(base, depth: depth + 1) } else { Reference.null }
      let textReference = try add(.string(text), depth: depth + 1)
      fill(
        reference, [("NS.base", .reference(baseReference)), ("NS.relative", .reference(textReference))],
        chain: ArchivedValueClass.url.chain)
      return reference
    case .list(let elements, let kind):
      let reference = reserve()
      let references = try add(elements, depth: depth + 1)
      let fields: [(String, Field)] =
        kind.numbersElements
        ? references.enumerated().map { ("NS.object.\($0.offset)", .reference($0.element)) }
        : [("NS.objects", .references(references))]
      fill(reference, fields, chain: kind.chain)
      return reference
    case .dictionary(let contents, let isMutable):
      let reference = reserve()
      let keys = try add(contents.map(\.key), depth: depth + 1)
      let values = try add(contents.map(\.value), depth: depth + 1)
      fill(
        reference, [("NS.keys", .references(keys)), ("NS.objects", .references(values))],
        chain: (isMutable ? ArchivedValueClass.mutableDictionary : .dictionary).chain)
      return reference
    }
  }

  private mutating func add(_ values: [ArchivedValue], depth: Int) throws(ArchivedValueError) -> [Reference] {
    var references: [Reference] = []
    for value in values { references.append(try add(value, depth: depth)) }
    return references
  }
}
