import ManagedModel
import PostgreSQL
import StoreRequests

/// The table of a hierarchy of entities.
final class TableLayout: Sendable {
  /// The name with its schema, quoted.
  let sql: String
  let name: Identifier
  /// The root entity, and all entities whose rows the table has, each after its superentity.
  let root: StoreEntity
  let entities: [StoreEntity]
  /// Of attributes, relationships and order, without ``key``, ``kind`` and ``version``.
  let columns: [ColumnLayout]
  let uniqueConstraints: [UniqueConstraint]
  let indexes: [TableIndex]
  /// The columns of strings that an index has in composed form.
  let columnsIndexedComposed: Set<Identifier>
  /// Those of them that a statement finds by this form: no uniqueness has the bytes.
  let columnsFoundComposed: Set<Identifier>

  /// The columns that every table has; no property's column has such a name.
  static let key: Identifier = "_id"
  /// The entity's name; only in a table of several entities.
  static let kind: Identifier = "_kind"
  /// Grows with each change of the row.
  static let version: Identifier = "_version"
  /// The names that no property's column may have: the names of the store's own columns, and of the server's system
  /// columns. No older store has the latter, since the server refuses such a table.
  static let reservedNames: Set<String> = [
    key.name, kind.name, version.name, "ctid", "xmin", "cmin", "xmax", "cmax", "tableoid",
  ]

  /// Whether rows of several entities are in the table.
  var hasKinds: Bool { entities.count > 1 }

  init(
    sql: String, name: Identifier, entities: [StoreEntity], root: StoreEntity, columns: [ColumnLayout],
    uniqueConstraints: [UniqueConstraint], indexes: [TableIndex]
  ) {
    self.sql = sql
    self.name = name
    self.root = root
    self.entities = entities
    self.columns = columns
    self.uniqueConstraints = uniqueConstraints
    self.indexes = indexes
    let strings = Set(columns.filter(\.holdsStrings).map(\.name))
    columnsIndexedComposed = strings.intersection(indexes.flatMap(\.columns))
    columnsFoundComposed = columnsIndexedComposed.subtracting(uniqueConstraints.compactMap(\.columns.first?.name))
  }

  /// SQL for the number of a row's entity.
  func number(of alias: String) -> String {
    guard hasKinds else { return "\(root.number)" }
    return "CASE \(alias).\(Self.kind) "
      + entities.map { "WHEN \(sqlLiteral($0.name)) THEN \($0.number)" }.joined(separator: " ") + " END"
  }
}

/// An index of a table.
struct TableIndex: Sendable, Hashable {
  let name: Identifier
  let columns: [Identifier]
}

/// A column of a property.
struct ColumnLayout: Sendable {
  let name: Identifier
  let type: DataType
  /// Whether a column of the type `jsonb` has the value of a keyed archive; else it has JSON as the program made it.
  var holdsArchive = false
  /// Whether the values are strings, whose order and equality are those of their composed forms.
  var holdsStrings = false
  /// The entities whose rows must have a value; empty if `NULL` is allowed.
  var requiredBy: [StoreEntity] = []
  /// Whether rows may lack a required value if an earlier version made the table, without this rule. Then a sort must place `NULL`.
  var mayLackRequiredValue = false
  /// `nil` for a column without a foreign key.
  var reference: Reference?

  /// The form in which values are bound, and that results have; see ``ColumnForm``.
  var form: DataType { holdsArchive ? .json : type }

  /// The column in a list of results. The type `json` marks the bytes of a keyed archive.
  func selected(_ column: String) -> String { holdsArchive ? "\(column)::json" : column }

  /// A foreign key.
  struct Reference: Sendable {
    let constraint: Identifier
    let hierarchy: Int
    let action: Action

    enum Action: String, Sendable { case setNull = "SET NULL", cascade = "CASCADE", refuse = "NO ACTION" }
  }
}

/// A uniqueness constraint of an entity, with the columns of its properties.
struct UniqueConstraint: Sendable {
  let name: Identifier
  /// The entity that declares the constraint.
  let entity: StoreEntity
  /// The constrained properties, and the paths of constrained elements of composites.
  let properties: [String]
  /// The properties at which the paths begin. A source binds all values of a property.
  let propertyNames: [String]
  let columns: [ColumnLayout]

  init(name: Identifier, entity: StoreEntity, properties: [String], columns: [ColumnLayout]) {
    self.name = name
    self.entity = entity
    self.properties = properties
    propertyNames = properties.propertyNames
    self.columns = columns
  }
}

/// The table of the pairs of a many-to-many relationship.
final class JoinTableLayout: Sendable {
  let sql: String
  let name: Identifier
  /// The column of the side that a change set lists, and the column of the other side.
  let own: Identifier
  let other: Identifier
  let ownHierarchy: Int
  let otherHierarchy: Int
  let order: Identifier?
  let inverseOrder: Identifier?
  let index: Identifier

  init(
    sql: String, name: Identifier, own: Identifier, other: Identifier, ownHierarchy: Int, otherHierarchy: Int,
    order: Identifier?, inverseOrder: Identifier?, index: Identifier
  ) {
    self.sql = sql
    self.name = name
    self.own = own
    self.other = other
    self.ownHierarchy = ownHierarchy
    self.otherHierarchy = otherHierarchy
    self.order = order
    self.inverseOrder = inverseOrder
    self.index = index
  }
}
