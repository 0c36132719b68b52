import ErrorReporting
import Logging
import SQLite

/// The form in which a store keeps persistent history (CD-7).
enum HistoryForm: Hashable {
  /// The store keeps no history.
  case none
  /// The form of macOS 10.13: the rows of transactions hold the texts.
  ///
  /// `tombstones` counts the `ZTOMBSTONE` columns.
  case texts(tombstones: Int)
  /// The form of every later version: a separate table holds the texts.
  case stringTable(tombstones: Int)

  var tombstoneCount: Int {
    switch self {
    case .none: 0
    case .texts(let count), .stringTable(let count): count
    }
  }

  var hasStringTable: Bool { if case .stringTable = self { true } else { false } }

  /// Reads the present form from the store's tables, which another process may have added.
  ///
  /// If only one of the two tables exists, the form is ``none``, and saves record nothing. Cost: one short query.
  init(_ connection: Connection) throws {
    let statement = try connection.statement(HistoryStatement.form)
    defer { statement.reset() }
    guard try statement.step(), statement.integer(0) != 0, statement.integer(1) != 0 else {
      self = .none
      return
    }
    let tombstones = Int(statement.integer(2))
    self = statement.integer(3) != 0 ? .stringTable(tombstones: tombstones) : .texts(tombstones: tombstones)
  }
}

/// The form of a store's history, which is read again after each change of the schema.
struct KnownHistoryForm {
  private var known: (schema: Int64, form: HistoryForm)?

  /// Returns the form that a transaction sees.
  ///
  /// Cost: one pragma, and one short query on the first call and after a change of the schema.
  mutating func form(_ connection: Connection) throws -> HistoryForm {
    let schema = try connection.integer("PRAGMA schema_version") ?? 0
    if let known, known.schema == schema { return known.form }
    let form = try HistoryForm(connection)
    if form == .none { try reportLostTable(connection) }
    known = (schema, form)
    return form
  }

  /// Logs that saves record nothing, though the store has a part of its history.
  private func reportLostTable(_ connection: Connection) throws {
    let tables: [Identifier] = [HistoryTables.change, HistoryTables.transaction]
    let lost = try tables.filter { try connection.integer("SELECT count(*) FROM pragma_table_info('\($0.name)')") == 0 }
    guard lost.count == 1 else { return }
    Logger(label: "CoreDataStore").warning(
      """
      The store at \(quotedPath(connection.path ?? "")) has lost the table \(lost[0].name) of its history: saves record no history. \
      Repair it with `store-tool doctor --repair`.
      """)
  }
}
