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
  /// The text is not JSON.
  struct Malformed: Error {}

  /// Reads a JSON text (RFC 8259). Nesting is bounded.
  ///
  /// - Throws: ``Malformed``
  init(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
    var reader = Reader(bytes: bytes)
    self = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.place == bytes.count else { throw Malformed() }
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var place = 0
    private static let depthLimit = 512

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skipBlanks() { while let next, [32, 9, 10, 13].contains(next) { place += 1 } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      place += 1
      return true
    }

    private mutating func demand(_ character: Unicode.Scalar) throws(Malformed) {
      guard take(character) else { throw Malformed() }
    }

    mutating func value(depth: Int) throws(Malformed) -> JSONTree {
      guard depth < Self.depthLimit else { throw Malformed() }
      skipBlanks()
      switch next {
      case UInt8(ascii: "{"): return try object(depth: depth)
      case UInt8(ascii: "["): return try list(depth: depth)
      case UInt8(ascii: "\""): return .text(try text())
      case UInt8(ascii: "t"): return try word("true", .boolean(true))
      case UInt8(ascii: "f"): return try word("false", .boolean(false))
      case UInt8(ascii: "n"): return try word("null", .null)
      default: return .number(try number())
      }
    }

    private mutating func word(_ word: StaticString, _ value: JSONTree) throws(Malformed) -> JSONTree {
      let end = place + word.utf8CodeUnitCount
      guard end <= bytes.count,
        word.withUTF8Buffer({ UnsafeRawBufferPointer($0).elementsEqual(bytes[place..<end]) })
      else { throw Malformed() }
      place = end
      return value
    }

    private mutating func list(depth: Int) throws(Malformed) -> JSONTree {
      try demand("[")
      var items: [JSONTree] = []
      skipBlanks()
      if take("]") { return .list([]) }
      while true {
        items.append(try value(depth: depth + 1))
        skipBlanks()
        if take("]") { return .list(items) }
        try demand(",")
      }
    }

    private mutating func object(depth: Int) throws(Malformed) -> JSONTree {
      try demand("{")
      var members: [(name: String, value: JSONTree)] = []
      skipBlanks()
      if take("}") { return .object([]) }
      while true {
        skipBlanks()
        let name = try text()
        skipBlanks()
        try demand(":")
        members.append((name, try value(depth: depth + 1)))
        skipBlanks()
        if take("}") { return .object(members) }
        try demand(",")
      }
    }

    private mutating func digits() throws(Malformed) {
      let start = place
      while let next, (48...57).contains(next) { place += 1 }
      guard place > start else { throw Malformed() }
    }

    private mutating func number() throws(Malformed) -> String {
      let start = place
      _ = take("-")
      let isZero = next == 48
      let whole = place
      try digits()
      guard !isZero || place == whole + 1 else { throw Malformed() }
      if take(".") { try digits() }
      if take("e") || take("E") {
        if !take("+") { _ = take("-") }
        try digits()
      }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func text() throws(Malformed) -> String {
      try demand("\"")
      var result: [UInt8] = []
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""):
          guard let text = String(validating: result, as: UTF8.self) else { throw Malformed() }
          return text
        case UInt8(ascii: "\\"): try escape(&result)
        case 0..<0x20: throw Malformed()
        default: result.append(byte)
        }
      }
      throw Malformed()
    }

    private mutating func escape(_ result: inout [UInt8]) throws(Malformed) {
      guard let byte = next else { throw Malformed() }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
      case UInt8(ascii: "b"): result.append(8)
      case UInt8(ascii: "f"): result.append(12)
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "u"):
        var code = try unit()
        if (0xD800..<0xDC00).contains(code) {
          try demand("\\")
          try demand("u")
          let low = try unit()
          guard (0xDC00..<0xE000).contains(low) else { throw Malformed() }
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code), let units = UTF8.encode(scalar) else { throw Malformed() }
        result.append(contentsOf: units)
      default: throw Malformed()
      }
    }

    private mutating func unit() throws(Malformed) -> UInt32 {
      var code: UInt32 = 0
      for _ in 0..<4 {
        guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Malformed() }
        code = code << 4 | UInt32(digit)
        place += 1
      }
      return code
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
