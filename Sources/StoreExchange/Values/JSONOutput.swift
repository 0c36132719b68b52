import Foundation

/// JSON text that grows piece by piece; the plain values of objects in it.
///
/// The output writes commas, colons and brackets itself: each value is the next element of the innermost list, the value
/// of the last key, or the next document.
///
/// A value without a form in JSON is an object with one name that begins with `$`: `{"$date": …}`. Names that begin so
/// themselves get one more `$`.
///
/// | Value | JSON |
/// | --- | --- |
/// | boolean, integer, real | `true`, `7`, `7.0`; numbers that are not finite as text: `"NaN"`, `"Infinity"`, `"-Infinity"` |
/// | decimal | text: `"12.50"` |
/// | date | text in ISO 8601, to the last digit that is stored; out of its range, seconds since 2001 |
/// | data | text in base64 |
/// | UUID, URI | text |
/// | composite | an object of its elements |
/// | transformable | the value that is archived, if it is plain |
/// | object, objects | `"Book/p7"`, a list of such texts |
/// | other values | `{"$stored": …}` with a number, a text or `{"$data": base64}`, as the column has it |
package struct JSONOutput: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// Whether a comma has to precede the next value or key.
  private var needsComma = false
  private var startsLine = false

  package init() {}

  /// Removes the bytes that were written; the place in the document stays. So a long document is written in parts.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Structure

  package mutating func beginObject() { open("{") }
  package mutating func endObject() { close("}") }
  package mutating func beginList() { open("[") }
  package mutating func endList() { close("]") }

  package mutating func object(_ members: (inout JSONOutput) throws -> Void) rethrows {
    beginObject()
    try members(&self)
    endObject()
  }

  package mutating func list(_ elements: (inout JSONOutput) throws -> Void) rethrows {
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

  /// A name of a model as the key of the next value; a name that begins with `$` gets one more.
  package mutating func write(name: String) { write(key: name.hasPrefix("$") ? "$" + name : name) }

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

  package mutating func write(number: Int64) {
    beginValue()
    bytes.append(contentsOf: String(number).utf8)
  }

  package mutating func write(number: Double) {
    if number.isFinite {
      beginValue()
      bytes.append(contentsOf: "\(number)".utf8)
    } else {
      write(text: number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// A text in quotation marks; escapes control characters, also those that only terminals interpret.
  package mutating func write(text: String) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var previous: UInt8 = 0
      for byte in utf8 {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 10: raw("\\n")
        case 13: raw("\\r")
        case 9: raw("\\t")
        case 0..<0x20, 0x7F: escape(byte)
        case 0x80..<0xA0 where previous == 0xC2:
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
