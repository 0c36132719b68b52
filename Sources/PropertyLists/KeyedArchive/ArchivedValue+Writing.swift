package import Foundation

extension ArchivedValue {
  /// The value as a keyed archive under the key `root`; equal values give equal bytes.
  ///
  /// Objects, and what the property list shares, stand in the order of Apple's archiver (CD-5), so that a property-list
  /// value that Core Data wrote is written with the same bytes.
  /// - Throws: ``ArchivedValueError/tooDeep``.
  package func archived(rootKey: String = "root") throws(ArchivedValueError) -> Data {
    var writer = ArchivedValueWriter()
    let root = try writer.add(self, depth: 0)
    return writer.finish(root: root, rootKey: rootKey).encoded()
  }
}

private struct ArchivedValueWriter {
  private enum Field {
    case reference(Int)
    case references([Int])
    case plain(BinaryPropertyList.Object)
  }

  private enum Entry {
    case plain(BinaryPropertyList.Object)
    case object([(key: String, value: Field)])
    case classDescription([String])
  }

  private var entries: [Entry] = [.plain(.string("$null"))]
  /// Equal plain values stand once, as one object that many share.
  private var shared: [SharingKey: Int] = [:]
  private var classes: [String: Int] = [:]

  /// Adds a value, then what it holds, then its class.
  mutating func add(_ value: ArchivedValue, depth: Int) throws(ArchivedValueError) -> Int {
    guard depth <= ArchivedValue.Limits.depth else { throw .tooDeep }
    switch value {
    case .list(let elements, let kind):
      let reference = reserve()
      var references: [Int] = []
      for element in elements { references.append(try add(element, depth: depth + 1)) }
      let fields: [(String, Field)] =
        kind.numbersElements
        ? references.enumerated().map { ("NS.object.\($0.offset)", .reference($0.element)) }
        : [("NS.objects", .references(references))]
      fill(reference, fields, chain: kind.chain)
      return reference
    case .dictionary(let contents, let isMutable):
      let reference = reserve()
      var keys: [Int] = []
      for entry in contents { keys.append(try add(entry.key, depth: depth + 1)) }
      var values: [Int] = []
      for entry in contents { values.append(try add(entry.value, depth: depth + 1)) }
      fill(
        reference, [("NS.keys", .references(keys)), ("NS.objects", .references(values))],
        isMutable ? .mutableDictionary : .dictionary)
      return reference
    default:
      let key = SharingKey(value)
      if let key, let known = shared[key] { return known }
      let reference = try addLeaf(value, depth: depth)
      if let key { shared[key] = reference }
      return reference
    }
  }

  private mutating func addLeaf(_ value: ArchivedValue, depth: Int) throws(ArchivedValueError) -> Int {
    let reference = reserve()
    switch value {
    case .boolean(let flag): entries[reference] = .plain(.boolean(flag))
    case .integer(let number): entries[reference] = .plain(.integer(number))
    case .real(let number): entries[reference] = .plain(.real(number))
    case .string(let text, isMutable: false): entries[reference] = .plain(.string(text))
    case .data(let data, isMutable: false): entries[reference] = .plain(.data(data))
    case .string(let text, isMutable: true): fill(reference, [("NS.string", .plain(.string(text)))], .mutableString)
    case .data(let data, isMutable: true): fill(reference, [("NS.data", .plain(.data(data)))], .mutableData)
    case .null: fill(reference, [], .null)
    case .date(let seconds): fill(reference, [("NS.time", .plain(.real(seconds)))], .date)
    case .uuid(let uuid):
      fill(reference, [("NS.uuidbytes", .plain(.data(withUnsafeBytes(of: uuid.uuid) { Data($0) })))], .uuid)
    case .url(let text, let base):
      let baseReference = if let base { try add(base, depth: depth + 1) } else { 0 }
      let textReference = try add(.string(text), depth: depth + 1)
      fill(reference, [("NS.base", .reference(baseReference)), ("NS.relative", .reference(textReference))], .url)
    case .decimal(let number): fill(reference, Self.parts(of: number), .decimalNumberPlaceholder)
    case .list, .dictionary: break
    }
    return reference
  }

  private static func parts(of number: Decimal) -> [(String, Field)] {
    let mantissa = ArchivedMantissa(number)
    return [
      ("NS.mantissa", .plain(.data(mantissa.bytes))),
      ("NS.negative", .plain(.boolean(number.isNaN || number.isSignMinus))),
      ("NS.exponent", .plain(.integer(number.isNaN ? 0 : Int128(number.exponent)))),
      ("NS.mantissa.bo", .plain(.integer(1))), ("NS.length", .plain(.integer(Int128(mantissa.wordCount)))),
      ("NS.compact", .plain(.boolean(false))),
    ]
  }

  private mutating func reserve() -> Int {
    entries.append(.plain(.null))
    return entries.count - 1
  }

  private mutating func fill(_ reference: Int, _ fields: [(String, Field)], _ class: ArchivedValueClass) {
    fill(reference, fields, chain: `class`.chain)
  }

  private mutating func fill(_ reference: Int, _ fields: [(String, Field)], chain: [String]) {
    let name = chain.first ?? ""
    var description = classes[name] ?? 0
    if description == 0 {
      entries.append(.classDescription(chain))
      description = entries.count - 1
      classes[name] = description
    }
    entries[reference] = .object(fields + [("$class", .reference(description))])
  }

  func finish(root: Int, rootKey: String) -> BinaryPropertyList {
    var table = SharingTable()
    table.dictionary(["$version", "$archiver", "$top", "$objects"]) { table, key in
      switch key {
      case "$version": table.add(.integer(100_000))
      case "$archiver": table.add(.string("NSKeyedArchiver"))
      case "$top": table.dictionary([rootKey]) { table, _ in table.add(.uid(root)) }
      default: table.array(entries) { table, entry in Self.write(entry, into: &table) }
      }
    }
    return BinaryPropertyList(objects: table.objects, top: 0)
  }

  @discardableResult
  private static func write(_ entry: Entry, into table: inout SharingTable) -> Int {
    switch entry {
    case .plain(let object): return table.add(object)
    case .classDescription(let chain):
      return table.dictionary(["$classname", "$classes"]) { table, key in
        key == "$classname"
          ? table.add(.string(chain.first ?? "")) : table.array(chain) { table, name in table.add(.string(name)) }
      }
    case .object(let fields):
      var remaining = fields[...]
      return table.dictionary(fields.map(\.key)) { table, _ in
        switch remaining.removeFirst().value {
        case .reference(let reference): table.add(.uid(reference))
        case .references(let references): table.array(references) { table, uid in table.add(.uid(uid)) }
        case .plain(let object): table.add(object)
        }
      }
    }
  }
}

/// A property list's table in the order of Apple's writer: a container, its keys, then each value with what it holds.
///
/// Equal scalars stand once. References into an archive are an exception that readers do not notice: each one takes a place,
/// but containers name the first of equal ones.
private struct SharingTable {
  private(set) var objects: [BinaryPropertyList.Object] = []
  private var firsts: [SharingKey: Int] = [:]

  @discardableResult
  mutating func add(_ object: BinaryPropertyList.Object) -> Int {
    let key = SharingKey(object)
    guard let known = firsts[key] else {
      objects.append(object)
      firsts[key] = objects.count - 1
      return objects.count - 1
    }
    if case .uid = object { objects.append(object) }
    return known
  }

  mutating func array<Item>(_ items: [Item], _ element: (inout SharingTable, Item) -> Int) -> Int {
    let position = reserve()
    var elements: [Int] = []
    elements.reserveCapacity(items.count)
    for item in items { elements.append(element(&self, item)) }
    objects[position] = .array(elements)
    return position
  }

  @discardableResult
  mutating func dictionary(_ names: [String], _ value: (inout SharingTable, String) -> Int) -> Int {
    let position = reserve()
    let keys = names.map { add(.string($0)) }
    var values: [Int] = []
    values.reserveCapacity(names.count)
    for name in names { values.append(value(&self, name)) }
    objects[position] = .dictionary(keys: keys, values: values)
    return position
  }

  private mutating func reserve() -> Int {
    objects.append(.null)
    return objects.count - 1
  }
}

/// What makes two scalars one: their bits, since text is written as it is spelled, and negative zero as such.
private enum SharingKey: Hashable {
  case text([UInt8])
  case real(UInt64)
  case date(UInt64)
  case other(BinaryPropertyList.Object)

  init(_ object: BinaryPropertyList.Object) {
    self =
      switch object {
      case .string(let text): .text(Array(text.utf8))
      case .real(let number): .real(number.bitPattern)
      case .date(let seconds): .date(seconds.bitPattern)
      default: .other(object)
      }
  }

  /// `nil` for values that are objects of their own, however equal.
  init?(_ value: ArchivedValue) {
    switch value {
    case .null: self = .other(.null)
    case .boolean(let flag): self = .other(.boolean(flag))
    case .integer(let number): self = .other(.integer(number))
    case .real(let number): self = .real(number.bitPattern)
    case .string(let text, isMutable: false): self = .text(Array(text.utf8))
    case .data(let data, isMutable: false): self = .other(.data(data))
    case .date(let seconds): self = .date(seconds.bitPattern)
    case .decimal, .uuid, .url, .list, .dictionary, .string, .data: return nil
    }
  }
}
