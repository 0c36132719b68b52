import PostgreSQL

/// What the database has of the tables that a migration begins with, beside what their layout defines.
struct FormerTables {
  var searchIndexes: [SearchCatalogue.Entry] = []
  /// By name, join tables included.
  var tables: [Identifier: FormerTable] = [:]
  /// The roles, as SQL, that get rights to each table that the migration makes.
  var defaultRoles: [String] = []
}

/// A table as the database has it.
struct FormerTable {
  /// The owner, as SQL, if it is another role than the one that migrates.
  var owner: String?
  var comment: String?
  /// Of all columns that have one.
  var columnComments: [Identifier: String] = [:]
  /// The columns that the layout lacks.
  var otherColumns: [Identifier] = []
  /// The columns in which the server itself lets no required value be missing.
  var requiredColumns: Set<Identifier> = []
  /// The columns of the layout in which somebody else lets no value be missing.
  var othersRequired: Set<Identifier> = []
  /// The defaults that somebody else has given columns of the layout.
  var defaults: [Identifier: OthersDefault] = [:]
  var rights: Set<TableRight> = []
  /// The rights to the sequence of keys.
  var sequenceRights: Set<TableRight> = []
  var definitions: [OthersDefinition] = []
}

/// A default that somebody else has given a column.
struct OthersDefault: Equatable {
  /// As SQL.
  let expression: String
  /// Whether it takes values of a sequence that goes with its table.
  let hasSequence: Bool
}

/// A right that a role has, beside the owner.
struct TableRight: Hashable {
  /// As SQL: a quoted name, or `PUBLIC`.
  let role: String
  let privilege: String
  /// `nil` for a right to the whole table.
  let column: Identifier?
  let isGrantable: Bool
}

/// A part of a table's definition that somebody else has added.
struct OthersDefinition: Equatable {
  let kind: Kind
  let name: String
  /// Makes an index, a constraint or statistics again, for a table of the same name; empty for other kinds.
  let statement: String
  /// The columns that it names.
  let columns: [Identifier]

  enum Kind: String {
    case policy = "row-level security"
    case trigger, rule, constraint
    case uniqueIndex = "unique index"
    case index, statistics, publication

    /// Whether rows are right, and are shown to the right roles, without the definition.
    var isDispensable: Bool { self == .index || self == .statistics || self == .publication }
  }
}
