/// A type of PostgreSQL that columns and parameters have; the raw value is its object identifier.
package enum DataType: UInt32, Sendable, Hashable {
  case boolean = 16
  case bytes = 17
  case integer64 = 20
  case integer16 = 21
  case integer32 = 23
  case text = 25
  case json = 114
  case single = 700
  case double = 701
  case moment = 1184
  case numeric = 1700
  case uuid = 2950
  case jsonb = 3802

  /// The name in definitions and casts.
  package var sql: String {
    switch self {
    case .boolean: "boolean"
    case .bytes: "bytea"
    case .integer64: "bigint"
    case .integer16: "smallint"
    case .integer32: "integer"
    case .text: "text"
    case .single: "real"
    case .double: "double precision"
    case .moment: "timestamp with time zone"
    case .numeric: "numeric"
    case .uuid: "uuid"
    case .json: "json"
    case .jsonb: "jsonb"
    }
  }

  /// The object identifier of the type's arrays.
  var arrayIdentifier: UInt32 {
    switch self {
    case .boolean: 1000
    case .bytes: 1001
    case .integer64: 1016
    case .integer16: 1005
    case .integer32: 1007
    case .text: 1009
    case .single: 1021
    case .double: 1022
    case .moment: 1185
    case .numeric: 1231
    case .uuid: 2951
    case .json: 199
    case .jsonb: 3807
    }
  }
}
