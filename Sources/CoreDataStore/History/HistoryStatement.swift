import SQLite

/// Statements that write persistent history (CD-7).
///
/// The comment of each statement lists its placeholders in their order; result columns follow an arrow.
enum HistoryStatement {
  /// → Table, column, and whether the column is in the primary key: the columns of the tables of history.
  static let columns = [HistoryTables.change, HistoryTables.transaction, HistoryTables.string]
    .map { "SELECT '\($0.name)', name, pk FROM pragma_table_info('\($0.name)')" }.joined(separator: " UNION ALL ")

  private static let change = "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"

  /// First key, last key, offset from a row's key to its change's key, transaction.
  ///
  /// Records the insertion of every row whose key lies in the range.
  static func insertions(into table: Identifier) -> String {
    "\(change)) SELECT Z_PK + ?3, \(HistoryTables.changeNumber), 0, Z_ENT, Z_PK, ?4 FROM \(table)"
      + " WHERE Z_PK BETWEEN ?1 AND ?2 ORDER BY Z_PK"
  }

  /// First key, last key → the number of rows whose key lies in the range.
  static func count(in table: Identifier) -> String { "SELECT count(*) FROM \(table) WHERE Z_PK BETWEEN ?1 AND ?2" }

  /// Key of the change, entity, key of the row, transaction, changed columns.
  static let update = "\(change), ZCOLUMNS) VALUES (?1, \(HistoryTables.changeNumber), 1, ?2, ?3, ?4, ?5)"

  /// Key of the change, entity, key of the row, transaction, then the tombstones.
  static func deletion(tombstoneCount: Int) -> String {
    let names = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    let values = (0..<tombstoneCount).map { ", ?\($0 + 5)" }.joined()
    return "\(change)\(names)) VALUES (?1, \(HistoryTables.changeNumber), 2, ?2, ?3, ?4\(values))"
  }

  /// Key of a row → the tombstones of its deletion.
  ///
  /// A tombstone is the attribute's value (CD-7).
  static func tombstones(of entity: EntityLayout, in layout: StoreLayout) -> String {
    let row = QueryPrinter.Row(alias: "t", entity: entity)
    let values = entity.tombstoneAttributes.map { TombstoneElements.value(of: $0, row, in: layout) }
    return "SELECT \(values.joined(separator: ", ")) FROM \(entity.table) t WHERE Z_PK = ?1"
  }

  /// Key, time, author, bundle identifier, context name, process name.
  ///
  /// The last four are keys of the string table. A store of the first generation has no such table: there they are
  /// texts.
  static func transaction(hasStringTable: Bool) -> String { hasStringTable ? transactionOfKeys : transactionOfTexts }

  private static let transactionOfKeys = transaction(HistoryTables.stringColumns.map(\.description))
  private static let transactionOfTexts = transaction(["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"])

  private static func transaction(_ columns: [String]) -> String {
    "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(columns.joined(separator: ", ")))"
      + " VALUES (?1, \(HistoryTables.transactionNumber), ?2, ?3, ?4, ?5, ?6)"
  }

  /// → The number of the latest transaction, even if its row has been removed; 0 if there is none.
  static let lastTransaction =
    "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionNumber)), 0), "
    + "ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0))"

  /// → The number of the earliest transaction that has a row.
  static let firstTransaction = "SELECT min(Z_PK) FROM ATRANSACTION"

  /// → Whether a transaction holds its author in its own row, as in stores of the first generation. Uses an index.
  static let hasPlainAuthors = "SELECT EXISTS (SELECT 1 FROM ATRANSACTION WHERE ZAUTHOR IS NOT NULL)"

  /// Number of a transaction.
  static let deleteChanges = "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = ?1"
  /// Number of a transaction.
  static let deleteTransaction = "DELETE FROM ATRANSACTION WHERE Z_PK = ?1"

  /// Adds a missing tombstone column (CD-7).
  static func addTombstone(_ index: Int) -> String { "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB" }

  /// Name → key.
  static let findString = "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1"
  /// Key, name.
  static let insertString =
    "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, \(HistoryTables.stringNumber), ?2)"
}
