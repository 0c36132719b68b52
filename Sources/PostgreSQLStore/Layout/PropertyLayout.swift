import ManagedModel
import PostgreSQL
import StoreRequests

/// The place of a property in tables.
enum PropertyLayout: Sendable {
  case attribute(AttributeLayout)
  case toOne(ToOneLayout)
  case toMany(ToManyLayout)
}

/// An attribute with a column for each of its leaves.
struct AttributeLayout: Sendable {
  let attribute: StoreAttribute
  let columns: [ColumnLayout]
}

/// A to-one relationship: a foreign key.
struct ToOneLayout: Sendable {
  let relationship: StoreRelationship
  let key: ColumnLayout
  /// The place among the members of the destination, if the inverse is ordered.
  let order: Identifier?
  /// Whether a foreign key makes sure that each key has a row.
  var isEnforced: Bool { key.reference != nil }
}

/// A to-many relationship: keys in the members' table, or pairs.
struct ToManyLayout: Sendable {
  let relationship: StoreRelationship
  let storage: Storage

  enum Storage: Sendable {
    case key(KeySide)
    case joinTable(JoinSide)
  }

  /// The owner's key in the members' rows.
  struct KeySide: Sendable {
    let column: Identifier
    let order: Identifier?
    /// Whether no property of the members has the column: the relationship has no inverse.
    let isVirtual: Bool
  }

  /// The owners' and the members' keys in a join table.
  struct JoinSide: Sendable {
    let table: JoinTableLayout
    let own: Identifier
    let other: Identifier
    let order: Identifier?
    let inverseOrder: Identifier?
    let isReflexive: Bool
  }
}

extension AttributeContents {
  /// The type of a column; `nil` for an array of values that no array column has.
  var columnType: DataType? {
    switch self {
    case .json, .archive: .jsonb
    case .array(let element): DataType(element)?.array
    }
  }
}

extension DataType {
  /// The type of an attribute's column; `nil` for types without a column of their own.
  init?(_ type: AttributeType) {
    switch type {
    case .integer16: self = .integer16
    case .integer32: self = .integer32
    case .integer64: self = .integer64
    case .boolean: self = .boolean
    case .float: self = .single
    case .double: self = .double
    case .decimal: self = .numeric
    case .date: self = .moment
    case .string, .uri: self = .text
    case .uuid: self = .uuid
    case .binary, .transformable: self = .bytes
    case .undefined, .objectID, .composite: return nil
    }
  }
}
