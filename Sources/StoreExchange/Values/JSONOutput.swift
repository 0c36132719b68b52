import CoreDataStore
import Foundation
package import StoreRequests

/// JSON text that grows piece by piece; the plain values of objects in it.
///
/// What JSON has no form for is an object with one name that begins with `$`: `{"$date": …}`. Names that begin so
/// themselves have one more `$`.
///
/// | Value | JSON |
/// | --- | --- |
/// | boolean, integer, real | `true`, `7`, `7.0`; what is not finite as text: `"NaN"`, `"Infinity"`, `"-Infinity"` |
/// | decimal | text: `"12.50"` |
/// | date | text in ISO 8601, to the last digit of what is stored; where there is none, seconds since 2001 |
/// | data | text in base64 |
/// | UUID, URI | text |
/// | composite | an object of its elements |
/// | transformable | the value that is archived, where it is plain |
/// | object, objects | `"Book/p7"`, a list of such |
/// | other values | `{"$stored": …}` with a number, a text or `{"$data": base64}`, as the column has it |
package struct JSONOutput: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func write(_ raw: StaticString) {
    raw.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// A text in quotation marks; control characters are escaped, those of terminals too.
  package mutating func write(text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var previous: UInt8 = 0
      for byte in utf8 {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"")
        case UInt8(ascii: "\\"): write("\\\\")
        case 10: write("\\n")
        case 13: write("\\r")
        case 9: write("\\t")
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

  private mutating func escape(_ byte: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    write("\\u00")
    bytes.append(digits[Int(byte >> 4)])
    bytes.append(digits[Int(byte & 15)])
  }

  package mutating func write(number: Int64) { bytes.append(contentsOf: String(number).utf8) }

  package mutating func write(number: Double) {
    if number.isFinite {
      bytes.append(contentsOf: "\(number)".utf8)
    } else {
      write(text: number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// A name in an object: one that begins with `$` is given another.
  package mutating func write(name: String) {
    write(text: name.hasPrefix("$") ? "$" + name : name)
    write(":")
  }

  // MARK: Objects

  /// An object on one line, without a line feed: `{"$entity":"Book","$id":"Book/p7","title":"Emma"}`.
  package mutating func write(_ object: ExportObject) {
    write("{\"$entity\":")
    write(text: object.name.entity)
    write(",\"$id\":")
    write(text: object.name.description)
    for property in object.properties {
      write(",")
      write(name: property.name)
      write(property.value)
    }
    write("}")
  }

  package mutating func write(_ value: ExportValue) {
    switch value {
    case .null: write("null")
    case .boolean(let value): if value { write("true") } else { write("false") }
    case .integer(let value): write(number: value)
    case .real(let value): write(number: value)
    case .decimal(let value): write(text: value.isNaN ? "NaN" : "\(value)")
    case .text(let value): write(text: value)
    case .date(let seconds):
      if let text = ExportDate.text(seconds) { write(text: text) } else { write(number: seconds) }
    case .data(let value): write(text: value.base64EncodedString())
    case .uuid(let value): write(text: value.uuidString)
    case .archived(let value): write(value)
    case .composite(let elements):
      list(elements, "{", "}") { output, element in
        output.write(name: element.name)
        output.write(element.value)
      }
    case .object(let name): write(text: name.description)
    case .objects(let names): list(names, "[", "]") { $0.write(text: $1.description) }
    case .stored(let value):
      write("{\"$stored\":")
      write(value)
      write("}")
    }
  }

  /// A value as it is stored.
  package mutating func write(_ value: StoreValue) {
    switch value {
    case .null: write("null")
    case .integer(let value): write(number: value)
    case .real(let value): write(number: value)
    case .text(let value): write(text: value)
    case .blob(let value): marked("$data") { $0.write(text: value.base64EncodedString()) }
    }
  }

  mutating func list<Item>(
    _ items: [Item], _ open: StaticString, _ close: StaticString, _ item: (inout JSONOutput, Item) -> Void
  ) {
    write(open)
    for (index, element) in items.enumerated() {
      if index > 0 { write(",") }
      item(&self, element)
    }
    write(close)
  }

  mutating func marked(_ name: String, _ value: (inout JSONOutput) -> Void) {
    write("{")
    write(text: name)
    write(":")
    value(&self)
    write("}")
  }
}
