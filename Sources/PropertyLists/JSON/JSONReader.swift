/// A JSON value that was read, with its place in the text.
package struct JSONNode: Sendable {
  package indirect enum Value: Sendable {
    case null
    case boolean(Bool)
    /// A number as text, so that no digit is lost.
    case number(String)
    case text(String)
    case list([JSONNode])
    /// The members in the order of the text. Names are distinct.
    case object([(name: String, node: JSONNode)])
  }

  package let value: Value
  /// The offset of the value, in bytes.
  package let offset: Int

  package init(value: Value, offset: Int) {
    self.value = value
    self.offset = offset
  }
}

/// The reason why a text is not JSON, with its offset in bytes.
package struct JSONFault: Error {
  package let problem: String
  package let offset: Int
}

/// Reads one JSON value (RFC 8259) from untrusted bytes. Nesting is bounded. Foundation's readers do not keep all digits of numbers.
package struct JSONReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private let depthLimit: Int

  /// - Parameter depthLimit: how deep values may be nested.
  /// - Throws: ``JSONFault``
  package static func read(
    _ bytes: ArraySlice<UInt8>, depthLimit: Int = 128
  ) throws(JSONFault) -> JSONNode {
    var reader = JSONReader(bytes, depthLimit)
    let node = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.position == bytes.endIndex else { throw reader.fault("there is text after the value") }
    return node
  }

  private init(_ bytes: ArraySlice<UInt8>, _ depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
    position = bytes.startIndex
  }

  private func fault(_ problem: String, at place: Int? = nil) -> JSONFault {
    JSONFault(problem: problem, offset: (place ?? position) - bytes.startIndex)
  }

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 32 || byte == 9 || byte == 13 || byte == 10 { position += 1 }
  }

  private mutating func take(_ character: UInt8) -> Bool {
    guard next == character else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONNode {
    guard depth < depthLimit else {
      throw fault("values are nested more than \(depthLimit) levels deep")
    }
    skipBlanks()
    let offset = position - bytes.startIndex
    func node(_ value: JSONNode.Value) -> JSONNode { JSONNode(value: value, offset: offset) }
    switch next {
    case UInt8(ascii: "{"): return node(try object(depth: depth))
    case UInt8(ascii: "["): return node(try list(depth: depth))
    case UInt8(ascii: "\""): return node(.text(try text()))
    case UInt8(ascii: "t"): return node(try word("true", .boolean(true)))
    case UInt8(ascii: "f"): return node(try word("false", .boolean(false)))
    case UInt8(ascii: "n"): return node(try word("null", .null))
    case nil: throw fault("the text ends where a value is expected")
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): return node(.number(try number()))
    default: throw fault("there is no value here: write texts and names in double quotation marks")
    }
  }

  private mutating func word(_ word: String, _ value: JSONNode.Value) throws(JSONFault) -> JSONNode.Value {
    guard bytes[position...].starts(with: word.utf8) else { throw fault("there is no JSON value here") }
    position += word.utf8.count
    return value
  }

  private mutating func list(depth: Int) throws(JSONFault) -> JSONNode.Value {
    position += 1
    var items: [JSONNode] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .list([]) }
    while true {
      items.append(try value(depth: depth + 1))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .list(items) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or ] is missing here") }
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONNode.Value {
    position += 1
    var members: [(name: String, node: JSONNode)] = []
    var names: Set<[UInt8]> = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipBlanks()
      let start = position
      guard next == UInt8(ascii: "\"") else { throw fault("a name in double quotation marks is missing here") }
      let name = try text()
      // Compares bytes, as names that are equal in Unicode may be different properties.
      guard names.insert(Array(name.utf8)).inserted else { throw fault("the name occurs a second time", at: start) }
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw fault("a colon is missing after the name") }
      members.append((name, try value(depth: depth + 1)))
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or } is missing here") }
    }
  }

  private mutating func number() throws(JSONFault) -> String {
    let start = position
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }
    _ = take(UInt8(ascii: "-"))
    guard isDigit(next) else { throw fault("the number has no digits", at: start) }
    if !take(UInt8(ascii: "0")) { while isDigit(next) { position += 1 } }
    if take(UInt8(ascii: ".")) {
      guard isDigit(next) else { throw fault("the number has no digits after its point", at: start) }
      while isDigit(next) { position += 1 }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard isDigit(next) else { throw fault("the number has no digits in its exponent", at: start) }
      while isDigit(next) { position += 1 }
    }
    guard !isDigit(next) else { throw fault("the number has a leading zero", at: start) }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func text() throws(JSONFault) -> String {
    let start = position
    position += 1
    var result: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: result, as: UTF8.self) else {
          throw fault("the text is not in UTF-8", at: start)
        }
        return text
      case UInt8(ascii: "\\"): try escape(&result)
      case 0..<0x20: throw fault("a control character in a text has to be escaped", at: position - 1)
      default: result.append(byte)
      }
    }
    throw fault("the text has no end", at: start)
  }

  private mutating func escape(_ result: inout [UInt8]) throws(JSONFault) {
    let start = position - 1
    guard let byte = next else { throw fault("the text has no end", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(8)
    case UInt8(ascii: "f"): result.append(12)
    case UInt8(ascii: "n"): result.append(10)
    case UInt8(ascii: "r"): result.append(13)
    case UInt8(ascii: "t"): result.append(9)
    case UInt8(ascii: "u"):
      var code = try unit(start)
      if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = try unit(start)
        guard (0xDC00..<0xE000).contains(low) else { throw fault("the escape is half of a surrogate pair", at: start) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault("the escape is half of a surrogate pair", at: start) }
      result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw fault("there is no such escape", at: start)
    }
  }

  private mutating func unit(_ start: Int) throws(JSONFault) -> UInt32 {
    guard bytes.endIndex - position >= 4,
      let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
      bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-")
    else { throw fault("\\u is not followed by four hexadecimal digits", at: start) }
    position += 4
    return code
  }
}
