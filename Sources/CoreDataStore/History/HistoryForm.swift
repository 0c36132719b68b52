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
    self = try Self.read(connection).form
  }

  /// Returns the present form, and the lost table if only one of the two exists.
  fileprivate static func read(_ connection: Connection) throws -> (form: HistoryForm, lostTable: Identifier?) {
    let statement = try connection.statement(HistoryStatement.form)
    defer { statement.reset() }
    guard try statement.step() else { return (.none, nil) }
    let (hasChanges, hasTransactions) = (statement.integer(0) != 0, statement.integer(1) != 0)
    guard hasChanges, hasTransactions else {
      let isHalf = hasChanges != hasTransactions
      return (.none, isHalf ? hasChanges ? HistoryTables.transaction : HistoryTables.change : nil)
    }
    let tombstones = Int(statement.integer(2))
    let hasTexts = statement.integer(3) == 0
    return (hasTexts ? .texts(tombstones: tombstones) : .stringTable(tombstones: tombstones), nil)
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
    let (form, lostTable) = try HistoryForm.read(connection)
    if let lostTable {
      Logger(label: "CoreDataStore").warning(
        """
        The store at \(quotedPath(connection.path ?? "")) has lost the table \(lostTable.name) of its history: saves record no \
        history. Repair it with `store-tool doctor --repair`.
        """)
    }
    known = (schema, form)
    return form
  }
}
