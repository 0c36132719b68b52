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
  /// - Parameter path: the store's file, for errors; the connection's file by default.
  /// - Throws: ``StoreError/Kind/missingHistoryColumns(table:columns:)``; `SQLiteError`.
  init(_ connection: Connection, path: String? = nil) throws {
    self = try Self.read(connection, path: path ?? connection.path).form
  }

  /// A table without which saves record no history.
  fileprivate struct LostTable {
    let name: Identifier
    /// Whether there is a table, or a view, of this name that has no primary key.
    let isKeyless: Bool
  }

  /// Returns the present form, and the lost table if only one of the two exists.
  fileprivate static func read(
    _ connection: Connection, path: String?
  ) throws -> (form: HistoryForm, lost: LostTable?) {
    let (tables, keyless) = try columns(connection)
    guard let changes = tables[HistoryTables.change], let transactions = tables[HistoryTables.transaction] else {
      let lost = tables[HistoryTables.change] == nil ? HistoryTables.change : HistoryTables.transaction
      let isHalf = tables[HistoryTables.change] != nil || tables[HistoryTables.transaction] != nil
      return (.none, isHalf ? LostTable(name: lost, isKeyless: keyless.contains(lost)) : nil)
    }
    let strings = tables[HistoryTables.string]
    let hasTexts = strings == nil || HistoryTables.hasTexts(transactions)
    var used = [(HistoryTables.change, changes), (HistoryTables.transaction, transactions)]
    if !hasTexts, let strings { used.append((HistoryTables.string, strings)) }
    for (table, columns) in used {
      let missing = HistoryTables.missingColumns(of: table, among: columns, hasTexts: hasTexts)
        .map(\.name).filter { !unused.contains($0) }
      guard missing.isEmpty else {
        throw StoreError(path: path, .missingHistoryColumns(table: table.name, columns: missing.map(\.name)))
      }
    }
    let tombstones = HistoryTables.tombstoneCount(among: changes)
    return (hasTexts ? .texts(tombstones: tombstones) : .stringTable(tombstones: tombstones), nil)
  }

  /// The columns that this library neither reads nor writes.
  private static let unused: [Identifier] = ["Z_OPT", "ZQUERYGEN"]

  /// The columns of the tables of history. Without the primary key, as in a view, it is no table of history.
  private static func columns(
    _ connection: Connection
  ) throws -> (tables: [Identifier: [Identifier]], keyless: Set<Identifier>) {
    let statement = try connection.statement(HistoryStatement.columns)
    defer { statement.reset() }
    var (columns, keyed): ([Identifier: [Identifier]], Set<Identifier>) = ([:], [])
    while try statement.step() {
      let (table, column) = (Identifier(statement.text(0) ?? ""), Identifier(statement.text(1) ?? ""))
      columns[table, default: []].append(column)
      if column == "Z_PK", statement.integer(2) != 0 { keyed.insert(table) }
    }
    return (columns.filter { keyed.contains($0.key) }, Set(columns.keys).subtracting(keyed))
  }
}

/// The form of a store's history, which is read again after each change of the schema.
struct KnownHistoryForm {
  private var known: (schema: Int64, form: HistoryForm)?

  /// Returns the form that a transaction sees.
  ///
  /// Cost: one pragma, and one short query on the first call and after a change of the schema.
  /// - Parameter path: the store's file, for errors.
  mutating func form(_ connection: Connection, path: String?) throws -> HistoryForm {
    let schema = try connection.integer("PRAGMA schema_version") ?? 0
    if let known, known.schema == schema { return known.form }
    let (form, lost) = try HistoryForm.read(connection, path: path)
    if let lost {
      let problem = lost.isKeyless ? "has no primary key in the table" : "has lost the table"
      // The repair makes missing tables only.
      let remedy = lost.isKeyless ? "Restore it from a backup." : "Repair it with `store-tool doctor --repair`."
      Logger(label: "CoreDataStore").warning(
        """
        The store at \(quotedPath(path ?? "")) \(problem) \(lost.name) of its history: saves record no history. \(remedy)
        """)
    }
    known = (schema, form)
    return form
  }
}
