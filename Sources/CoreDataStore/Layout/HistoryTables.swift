package import SQLite

/// The tables of persistent history (CD-7).
package enum HistoryTables {
  package static let change: Identifier = "ACHANGE"
  package static let transaction: Identifier = "ATRANSACTION"
  package static let string: Identifier = "ATRANSACTIONSTRING"

  /// The `Z_ENT` of changes. `Z_PRIMARYKEY` gets a row with this number and its name at the first transaction (CD-1.2).
  package static let changeNumber = 16001
  package static let transactionNumber = 16002
  package static let stringNumber = 16003
  package static let primaryKeyNames: [(number: Int, name: String)] = [
    (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"), (stringNumber, "TRANSACTIONSTRING"),
  ]

  /// Columns of ``transaction`` with keys of ``string`` rows.
  package static let stringColumns: [Identifier] = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]

  /// CD-7: tables, then indexes.
  package static func definitions(tombstoneCount: Int) -> [String] {
    let object = StoreLayout.objectColumns
    let tombstones = (0..<tombstoneCount).map { "ZTOMBSTONE\($0) BLOB" }
    func table(_ name: Identifier, _ columns: [String]) -> String {
      "CREATE TABLE \(name) ( \((object + columns).joined(separator: ", ")) )"
    }
    func index(_ table: Identifier, _ column: Identifier) -> String {
      "CREATE INDEX \(table)_\(column)_INDEX ON \(table) (\(column))"
    }
    return [
      table(
        HistoryTables.change,
        ["ZCHANGETYPE INTEGER", "ZENTITY INTEGER", "ZENTITYPK INTEGER", "ZTRANSACTIONID INTEGER", "ZCOLUMNS BLOB"]
          + tombstones),
      table(
        HistoryTables.transaction,
        HistoryTables.stringColumns.map { "\($0) INTEGER" } + [
          "ZTIMESTAMP FLOAT", "ZAUTHOR VARCHAR", "ZBUNDLEID VARCHAR", "ZCONTEXTNAME VARCHAR", "ZPROCESSID VARCHAR",
          "ZQUERYGEN BLOB",
        ]),
      table(HistoryTables.string, ["ZNAME VARCHAR"]),
      index(HistoryTables.change, "ZTRANSACTIONID"),
    ] + HistoryTables.stringColumns.map { index(HistoryTables.transaction, $0) } + [
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]
  }
}

extension StoreLayout {
  /// CD-7: tables, then indexes.
  package var historyDefinitions: [String] { HistoryTables.definitions(tombstoneCount: tombstoneCount) }
}
