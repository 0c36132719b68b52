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

  /// SQL for a plain value: dates in ISO 8601, decimals as the nearest numbers, UUIDs as text, archives as JSON.
  ///
  /// - Parameter stored: SQL for the stored value.
  static func value(_ stored: String, of type: AttributeType) -> String {
    switch type {
    case .date:
      return "CASE WHEN typeof(\(stored)) IN ('real', 'integer') THEN \(date)(\(stored)) ELSE \(stored) END"
    case .decimal: return "CASE typeof(\(stored)) WHEN 'real' THEN \(decimal)(\(stored)) ELSE \(stored) END"
    case .uuid:
      let hex = "hex(\(stored))"
      let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
      return "CASE WHEN typeof(\(stored)) = 'blob' AND length(\(stored)) = 16"
        + " THEN \(parts.joined(separator: " || '-' || ")) ELSE \(stored) END"
    case .transformable: return "coalesce(\(archived)(\(stored)), \(stored))"
    default: return stored
    }
  }
}
