/// Writes JSON text piece by piece.
///
/// The writer writes commas, colons and brackets itself: each value is the next element of the innermost list, the value
/// of the last key, or the next document.
package struct JSONWriter: Sendable {
  /// The characters of a text, beside quotation marks and backslashes, that are written as escapes.
  package enum Escapes: Sendable {
    /// The control characters that JSON requires, as `\u00…`.
    case required
    /// Also those that only terminals interpret. Line breaks and tabs have their short escapes.
    case forTerminals
  }

  private let escapes: Escapes
  package private(set) var bytes: [UInt8] = []
  /// Whether a comma has to precede the next value or key.
  private var needsComma = false
  private var startsLine = false

  package init(escaping escapes: Escapes = .forTerminals) { self.escapes = escapes }

  /// Removes the bytes that were written; the place in the document stays. So a long document is written in parts.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Structure

  package mutating func beginObject() { open("{") }
  package mutating func endObject() { close("}") }
  package mutating func beginList() { open("[") }
  package mutating func endList() { close("]") }

  package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
    beginObject()
    try members(&self)
    endObject()
  }

  package mutating func list(_ elements: (inout JSONWriter) throws -> Void) rethrows {
    beginList()
    try elements(&self)
    endList()
  }

  /// The key of the next value, as it is.
  package mutating func write(key: String) {
    write(text: key)
    raw(":")
    needsComma = false
  }

  /// Puts the next value, key or closing bracket on a line of its own.
  package mutating func startLine() { startsLine = true }

  /// Ends a document, or a line of several.
  package mutating func endDocument() {
    raw("\n")
    needsComma = false
  }

  // MARK: Values

  package mutating func writeNull() { value("null") }
  package mutating func write(flag: Bool) { if flag { value("true") } else { value("false") } }

  package mutating func write(number: Int64) { write(digits: String(number)) }

  /// A number as text, which is written as it is.
  package mutating func write(digits: String) {
    beginValue()
    bytes.append(contentsOf: digits.utf8)
  }

  /// A number; one that is not finite as text: `"NaN"`, `"Infinity"`, `"-Infinity"`.
  package mutating func write(number: Double) {
    if number.isFinite {
      write(digits: "\(number)")
    } else {
      write(text: number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// A text in quotation marks.
  package mutating func write(text: String) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    let isForTerminals = escapes == .forTerminals
    var text = text
    text.withUTF8 { utf8 in
      var previous: UInt8 = 0
      for byte in utf8 {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 10 where isForTerminals: raw("\\n")
        case 13 where isForTerminals: raw("\\r")
        case 9 where isForTerminals: raw("\\t")
        case 0..<0x20: escape(byte)
        case 0x7F where isForTerminals: escape(byte)
        case 0x80..<0xA0 where isForTerminals && previous == 0xC2:
          bytes.removeLast()
          escape(byte)
        default: bytes.append(byte)
        }
        previous = byte
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Bytes

  private mutating func open(_ bracket: StaticString) {
    value(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: StaticString) {
    needsComma = false
    value(bracket)
  }

  private mutating func value(_ text: StaticString) {
    beginValue()
    raw(text)
  }

  private mutating func beginValue() {
    if needsComma { raw(",") }
    if startsLine { raw("\n") }
    (needsComma, startsLine) = (true, false)
  }

  private mutating func escape(_ byte: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    raw("\\u00")
    bytes.append(digits[Int(byte >> 4)])
    bytes.append(digits[Int(byte & 15)])
  }

  private mutating func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
}
