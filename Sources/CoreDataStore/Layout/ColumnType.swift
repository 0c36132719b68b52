package import ManagedModel

/// The SQL type of a column. Its group decides the column's place in the table (CD-2.1, CD-2.2).
package enum ColumnType: Int, Sendable, Hashable, Comparable {
  /// Integers, Booleans, keys and the entity columns of keys.
  case integer = 0
  /// The order columns of keys (`Z_FOK_…`).
  case order = 1
  /// Floating-point numbers and dates, which share a group.
  case float = 2
  case timestamp = 3
  case decimal = 4
  case varchar = 5
  case uri = 6
  case uuid = 7
  case transformable = 8
  case binary = 9

  /// The column type of an attribute's values; `nil` for types that have no column of their own.
  package init?(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer
    case .float, .double: self = .float
    case .date: self = .timestamp
    case .decimal: self = .decimal
    case .string: self = .varchar
    case .uri: self = .uri
    case .uuid: self = .uuid
    case .transformable: self = .transformable
    case .binary: self = .binary
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// The type in `CREATE TABLE`.
  package var sql: String {
    switch self {
    case .integer, .order: "INTEGER"
    case .float: "FLOAT"
    case .timestamp: "TIMESTAMP"
    case .decimal: "DECIMAL"
    case .varchar, .uri: "VARCHAR"
    case .uuid, .transformable, .binary: "BLOB"
    }
  }

  /// The sort group. Floats and timestamps share a group.
  var group: Int { self == .timestamp ? ColumnType.float.rawValue : rawValue }

  package static func < (left: ColumnType, right: ColumnType) -> Bool { left.group < right.group }
}
