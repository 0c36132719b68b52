import PropertyLists
import StoreRequests

/// A JSON value whose numbers keep all digits.
enum JSONTree {
  case null
  case boolean(Bool)
  /// A number as it is written.
  case number(String)
  case text(String)
  case list([JSONTree])
  case object([(name: String, value: JSONTree)])
}

extension JSONTree {
  /// A level of an archive has at most three levels in JSON, and archives have at most 128.
  private static let depthLimit = 512

  /// Reads a JSON text.
  ///
  /// - Throws: `JSONFault`
  init(_ bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    self.init(try JSONReader.read(Array(bytes)[...], depthLimit: Self.depthLimit))
  }

  private init(_ node: JSONNode) {
    switch node.value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .number(let digits): self = .number(digits)
    case .text(let text): self = .text(text)
    case .list(let items): self = .list(items.map { JSONTree($0) })
    case .object(let members): self = .object(members.map { ($0.name, JSONTree($0.node)) })
    }
  }
}

extension JSONTree {
  /// The value as JSON text.
  ///
  /// - Parameter isCanonical: whether values that the server takes as equal get equal texts.
  /// - Throws: ``UnstorableValue/nulCharacter``
  func text(isCanonical: Bool = false) throws -> [UInt8] {
    var writer = JSONWriter(escaping: .required)
    try write(to: &writer, isCanonical)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter, _ isCanonical: Bool) throws {
    switch self {
    case .null: writer.writeNull()
    case .boolean(let flag): writer.write(flag: flag)
    case .number(let digits): writer.write(digits: isCanonical ? Self.canonical(digits) : digits)
    case .text(let text): writer.write(text: try Self.storable(text))
    case .list(let items):
      try writer.list { writer in for item in items { try item.write(to: &writer, isCanonical) } }
    case .object(let members):
      let sorted = isCanonical ? members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : members
      try writer.object { writer in
        for member in sorted {
          writer.write(key: try Self.storable(member.name))
          try member.value.write(to: &writer, isCanonical)
        }
      }
    }
  }

  private static func canonical(_ digits: String) -> String {
    if let integer = Int128(digits) { return "\(integer)" }
    guard let number = Double(digits), number.isFinite else { return digits }
    return Int128(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private static func storable(_ text: String) throws -> String {
    if text.utf8.contains(0) { throw UnstorableValue.nulCharacter }
    return text
  }
}
