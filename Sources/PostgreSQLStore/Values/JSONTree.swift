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
  /// Appends the value as text.
  ///
  /// - Parameter isCanonical: whether values that the server takes as equal get equal texts.
  /// - Throws: ``UnstorableValue/nulCharacter``
  func write(to bytes: inout [UInt8], isCanonical: Bool = false) throws {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let digits): bytes += (isCanonical ? Self.canonical(digits) : digits).utf8
    case .text(let text): try Self.write(text, to: &bytes)
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try item.write(to: &bytes, isCanonical: isCanonical)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      let sorted = isCanonical ? members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : members
      for (index, member) in sorted.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try Self.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        try member.value.write(to: &bytes, isCanonical: isCanonical)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func canonical(_ digits: String) -> String {
    if let integer = Int128(digits) { return "\(integer)" }
    guard let number = Double(digits), number.isFinite else { return digits }
    return Int128(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) throws {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case 0: throw UnstorableValue.nulCharacter
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 1..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
