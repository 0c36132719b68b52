import ManagedModel
import PostgreSQL
import StoreRequests

/// How the rows of a new table come about.
struct TablePlan {
  let table: TableLayout
  let schema: Identifier
  var copies: [RowCopy] = []
  /// The old table that becomes the new one; `nil` if the rows are written into a table of their own.
  var base: TableLayout?
  /// The name of the table with the new rows while the script runs.
  var presentName: Identifier = ""
  /// The column with the entity's new name while the script runs; `nil` if the new table has no such column.
  var kind: Identifier?
  /// The columns that the old table has already, by their new names.
  var kept: [Identifier: ColumnLayout] = [:]
  /// The columns that the old table has already in another type, by their new names.
  var converted: [Identifier: ColumnConversion] = [:]
  /// The names of the other new columns while the script runs, by their new names.
  var added: [Identifier: Identifier] = [:]

  /// The table with the new rows while the script runs, with its schema.
  var present: String { "\(schema).\(presentName)" }

  /// The name of a new column while the script runs.
  func present(_ column: Identifier) -> Identifier { former(column)?.name ?? added[column] ?? column }

  /// The old column that becomes a new one.
  func former(_ column: Identifier) -> ColumnLayout? { kept[column] ?? converted[column]?.column }

  /// The names of the old columns that become new ones.
  var formerColumns: Set<Identifier> { Set((kept.values + converted.values.map(\.column)).map(\.name)) }

  /// Whether rows of the old table have no place in the new one.
  var hasLeftRows: Bool {
    guard let base else { return false }
    let sources = Set(copies.map(\.source.name))
    return base.entities.contains { !$0.description.isAbstract && !sources.contains($0.name) }
  }
}

/// An old column that gets another type, with its values in that type.
struct ColumnConversion {
  let column: ColumnLayout
  let sql: String
}

/// The rows of an old entity as rows of a new one.
struct RowCopy {
  let source: StoreEntity
  let destination: StoreEntity
  /// By the new columns' names; a column without a value is `NULL`.
  var values: [Identifier: MigratedValue] = [:]
  /// By the new columns' names.
  var required: [Identifier: RequiredValue] = [:]
}

/// A column's value, made from a row of the old table, whose alias is `o`.
enum MigratedValue: Equatable {
  /// The value of an old column of the same type.
  case column(Identifier)
  /// The value of an old column of the same type, but another value in the rows of a condition.
  case adjusted(Identifier, sql: String, rows: String)
  case literal(String)
  /// The value of an old column in another type, computed from nothing else and without a query. Its SQL names the column without alias.
  case converted(Identifier, sql: String)
  case computed(String)

  var sql: String {
    switch self {
    case .column(let name): "o.\(name)"
    case .adjusted(_, let sql, _), .literal(let sql), .converted(_, let sql), .computed(let sql): sql
    }
  }

  /// The old column that can stay for the new one.
  var column: Identifier? {
    switch self {
    case .column(let name), .adjusted(let name, _, _): name
    case .literal, .converted, .computed: nil
    }
  }

  /// The old column that the value comes from; `nil` if it comes from elsewhere, or from several.
  var source: Identifier? {
    switch self {
    case .column(let name), .adjusted(let name, _, _), .converted(let name, _): name
    case .literal, .computed: nil
    }
  }

  /// Whether the value is computed from an old column.
  func reads(_ column: Identifier) -> Bool {
    switch self {
    case .column(let name), .adjusted(let name, _, _), .converted(let name, _): name == column
    case .computed(let sql): sql.contains("o.\(column)")
    case .literal: false
    }
  }
}

/// How the pairs of a new join table come about.
struct JoinPlan {
  let table: JoinTableLayout
  /// The old table that becomes the new one.
  var base: JoinTableLayout?
  /// The name of the table while the script runs.
  var presentName: Identifier = ""
}
