import CoreDataStore
import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests

/// SQL fragments that convert stored values into plain ones, and the functions that they call.
enum ExportSQL {
  static let date = "OSD_PLAIN_DATE"
  static let decimal = "OSD_PLAIN_DECIMAL"
  static let archived = "OSD_PLAIN_ARCHIVE"

  static func register(on connection: Connection) throws {
    try connection.registerFunction(date, argumentCount: 1) { arguments in
      ExportDate.text(arguments.double(0)).map { .text($0) } ?? .double(arguments.double(0))
    }
    try connection.registerFunction(decimal, argumentCount: 1) { arguments in
      let stored = arguments.double(0)
      // Core Data's own conversion can miss the nearest double of a decimal by a few last places. The double that is
      // nearest to the decimal prints the digits that `dump` prints.
      switch Decimal(StoreValue.real(stored)).map({ StoreValue($0) }) {
      case .integer(let number)?: return .integer(number)
      case .real(let number)?: return .double(number)
      default: return .double(stored)
      }
    }
    try connection.registerFunction(archived, argumentCount: 1) { arguments in
      guard let data = arguments.blob(0), let value = try? ArchivedValue(archive: data) else { return .null }
      var text = JSONWriter()
      text.write(value)
      return .text(String(decoding: text.bytes, as: UTF8.self))
    }
  }

  /// The declared type of a column of plain values.
  static func type(_ type: AttributeType) -> String {
    switch type {
    case .integer16, .integer32, .integer64: "INTEGER"
    case .boolean: "BOOLEAN"
    case .double, .float: "REAL"
    case .decimal: "NUMERIC"
    case .string, .uri, .uuid, .date, .transformable: "TEXT"
    case .binary, .undefined, .objectID, .composite: "BLOB"
    }
  }

  /// A column of the row `t` as a plain value: dates in ISO 8601, decimals as the nearest numbers, UUIDs as text,
  /// archives as JSON, big data from its file.
  static func value(_ column: AttributeColumn, of entity: EntityLayout, in layout: StoreLayout) -> String {
    let stored = "t.\(column.name)"
    switch column.attribute.type {
    case .date:
      return "CASE WHEN typeof(\(stored)) IN ('real', 'integer') THEN \(date)(\(stored)) ELSE \(stored) END"
    case .decimal: return "CASE typeof(\(stored)) WHEN 'real' THEN \(decimal)(\(stored)) ELSE \(stored) END"
    case .uuid:
      let hex = "hex(\(stored))"
      let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
      return "CASE WHEN typeof(\(stored)) = 'blob' AND length(\(stored)) = 16"
        + " THEN \(parts.joined(separator: " || '-' || ")) ELSE \(stored) END"
    case .transformable: return "coalesce(\(archived)(\(stored)), \(stored))"
    default: return layout.reading(column, of: entity, alias: "t")
    }
  }
}

extension ExportSchema.Entity {
  /// The key, the entity and the columns of the rows of an entity and its subentities.
  func select(_ columns: [ExportSchema.Column], in schema: ExportSchema) -> String {
    var terms = ["t.Z_PK AS \(key.quoted)"]
    if let kind {
      let names = layout.kindNumbers.compactMap { number in
        schema.layout.entity(numbered: number).map { "WHEN \(number) THEN \(Identifier.literal($0.name))" }
      }
      terms.append("CASE t.Z_ENT \(names.joined(separator: " ")) END AS \(kind.quoted)")
    }
    terms += columns.map { "\($0.value) AS \($0.name.quoted)" }
    // Excludes rows of entities that the model lacks.
    let test = kind == nil ? "" : " WHERE \(schema.layout.kindTest(layout, alias: "t"))"
    return "SELECT \(terms.joined(separator: ", ")) FROM main.\(layout.table) t\(test)"
  }
}

extension ExportSchema.Join {
  /// The pairs whose two objects exist.
  func select(in schema: ExportSchema) -> String {
    let columns =
      [(ownColumn, side.ownColumn), (otherColumn, side.otherColumn)] + orderColumns.map { ($0.name, $0.source) }
    let terms = columns.map { "j.\($0.1) AS \($0.0.quoted)" }.joined(separator: ", ")
    func exists(_ entity: String, _ column: Identifier) -> String {
      guard let table = schema.layout.entity(named: entity)?.table else { return "0" }
      return "EXISTS (SELECT 1 FROM main.\(table) t WHERE t.Z_PK = j.\(column))"
    }
    return "SELECT \(terms) FROM main.\(side.table) j"
      + " WHERE \(exists(owner, side.ownColumn)) AND \(exists(destination, side.otherColumn))"
  }
}
