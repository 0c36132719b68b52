import Foundation
package import PropertyLists
package import StoreRequests

/// The plain values of objects as JSON.
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
extension JSONWriter {
  /// A name of a model as the key of the next value; a name that begins with `$` gets one more.
  package mutating func write(name: String) { write(key: name.hasPrefix("$") ? "$" + name : name) }

  /// An object on one line: `{"$entity":"Book","$id":"Book/p7","title":"Emma"}`.
  package mutating func write(_ object: ExportObject) {
    beginObject()
    write(key: "$entity")
    write(text: object.name.entity)
    write(key: "$id")
    write(text: object.name.description)
    for property in object.properties {
      write(name: property.name)
      write(property.value)
    }
    endObject()
  }

  package mutating func write(_ value: ExportValue) {
    switch value {
    case .null: writeNull()
    case .boolean(let value): write(flag: value)
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
      object { output in
        for element in elements {
          output.write(name: element.name)
          output.write(element.value)
        }
      }
    case .object(let name): write(text: name.description)
    case .objects(let names): list { output in for name in names { output.write(text: name.description) } }
    case .stored(let value): marked("$stored") { $0.write(value) }
    }
  }

  /// A value as it is stored.
  package mutating func write(_ value: StoreValue) {
    switch value {
    case .null: writeNull()
    case .integer(let value): write(number: value)
    case .real(let value): write(number: value)
    case .text(let value): write(text: value)
    case .blob(let value): marked("$data") { $0.write(text: value.base64EncodedString()) }
    }
  }

  /// An object with one member, whose key is a mark.
  mutating func marked(_ mark: String, _ value: (inout JSONWriter) -> Void) {
    object { output in
      output.write(key: mark)
      value(&output)
    }
  }
}
