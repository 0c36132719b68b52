import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists
package import StoreRequests

/// The objects of exactly one entity as a table of texts. It has a column for each property, and for each element of a
/// composite. Dates are in ISO 8601, data in base64, related objects are identifiers separated by blanks.
///
/// The first column is `$id`. As in lines of JSON, a property whose name begins with `$` gets one more `$`.
package struct ObjectTable: Sendable {
  /// The names of the columns, all different: programs find columns by name, and read one of two with the same name.
  package let header: [String]
  /// The properties whose column has another name, because their own name is taken by another property.
  package let renamings: [(what: String, name: String)]
  private let columns: [[String]]
  private let positions: [String: Int]
  private static let key = "$id"

  package init(_ entity: StoreEntity) {
    columns = entity.properties.flatMap { property -> [[String]] in
      guard case .attribute(let attribute) = property, attribute.description.type == .composite else {
        return [[property.name]]
      }
      return attribute.leaves.map(\.path)
    }
    var claims = NameClaims(reserved: [Self.key])
    var renamings: [(what: String, name: String)] = []
    header =
      [Self.key]
      + columns.map { path in
        let own = path.joined(separator: ".")
        let plain = own.hasPrefix("$") ? "$" + own : own
        let name = claims.claim(plain, numbered: { "\($0)_\($1)" })
        if name != plain { renamings.append(("property \(quoted(own)) of entity \(quoted(entity.name))", name)) }
        return name
      }
    self.renamings = renamings
    positions = Dictionary(columns.enumerated().map { ($0.element.joined(separator: "\u{0}"), $0.offset + 1) }) {
      first, _ in
      first
    }
  }

  /// The row of an object.
  package func row(_ object: ExportObject) -> [String?] {
    var row = [String?](repeating: nil, count: columns.count + 1)
    row[0] = object.name.description
    for property in object.properties { fill(&row, [property.name], property.value) }
    return row
  }

  private func fill(_ row: inout [String?], _ path: [String], _ value: ExportValue) {
    if case .composite(let elements) = value {
      for element in elements { fill(&row, path + [element.name], element.value) }
    } else if let position = positions[path.joined(separator: "\u{0}")] {
      row[position] = value.plainText
    }
  }
}

extension ExportValue {
  /// The value as text without quotation marks; `nil` for no value.
  package var plainText: String? {
    switch self {
    case .null, .stored(.null): return nil
    case .text(let text), .stored(.text(let text)): return text
    case .object(let name): return name.description
    case .objects(let names): return names.map(\.description).joined(separator: " ")
    case .stored(.blob(let data)): return data.base64EncodedString()
    case .archived(.string(let text, _)): return text
    default:
      var output = JSONWriter()
      if case .stored(let value) = self { output.write(value) } else { output.write(self) }
      let text = String(decoding: output.bytes, as: UTF8.self)
      // Dates, data, decimals and UUIDs are JSON texts without escapes.
      return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }
  }
}
