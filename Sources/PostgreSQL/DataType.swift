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
  case booleans = 1000
  case byteStrings = 1001
  case integers16 = 1005
  case integers32 = 1007
  case texts = 1009
  case integers64 = 1016
  case singles = 1021
  case doubles = 1022
  case moments = 1185
  case numerics = 1231
  case uuids = 2951

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
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      "\((element ?? .text).sql)[]"
    }
  }

  /// The type of an array's elements; `nil` for another type.
  package var element: DataType? {
    switch self {
    case .booleans: .boolean
    case .integers16: .integer16
    case .integers32: .integer32
    case .integers64: .integer64
    case .texts: .text
    case .byteStrings: .bytes
    case .singles: .single
    case .doubles: .double
    case .numerics: .numeric
    case .moments: .moment
    case .uuids: .uuid
    case .boolean, .bytes, .integer64, .integer16, .integer32, .text, .json, .single, .double, .moment, .numeric,
      .uuid, .jsonb:
      nil
    }
  }

  /// The type of columns with arrays of the type; `nil` for a type without such columns.
  package var array: DataType? { element == nil ? DataType(rawValue: arrayIdentifier) : nil }

  /// The object identifier of the type's arrays. Arrays of arrays have the type of these arrays.
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
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      rawValue
    }
  }
}
