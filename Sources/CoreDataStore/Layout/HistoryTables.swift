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

  /// The columns of a table after those of every object, with their types.
  package static func columns(of table: Identifier, tombstoneCount: Int) -> [(name: Identifier, type: String)] {
    switch table {
    case change:
      let tombstones = (0..<tombstoneCount).map { (name: tombstone($0), type: "BLOB") }
      return [
        ("ZCHANGETYPE", "INTEGER"), ("ZENTITY", "INTEGER"), ("ZENTITYPK", "INTEGER"), ("ZTRANSACTIONID", "INTEGER"),
        ("ZCOLUMNS", "BLOB"),
      ] + tombstones
    case transaction:
      return stringColumns.map { ($0, "INTEGER") } + [
        ("ZTIMESTAMP", "FLOAT"), ("ZAUTHOR", "VARCHAR"), ("ZBUNDLEID", "VARCHAR"), ("ZCONTEXTNAME", "VARCHAR"),
        ("ZPROCESSID", "VARCHAR"), ("ZQUERYGEN", "BLOB"),
      ]
    default: return [("ZNAME", "VARCHAR")]
    }
  }

  /// The column of ``change`` for the value of the attribute at a position, of a deleted object.
  package static func tombstone(_ index: Int) -> Identifier { Identifier("ZTOMBSTONE\(index)") }

  /// The number of values of a deleted object that the columns of ``change`` are for, up to the last such column.
  package static func tombstoneCount(among columns: [Identifier]) -> Int {
    let prefix = tombstone(0).name.dropLast()
    let indexes = columns.compactMap { column -> Int? in
      guard column.name.hasPrefix(prefix), let index = Int(column.name.dropFirst(prefix.count)),
        index < columnLimit, column == tombstone(index)
      else { return nil }
      return index
    }
    return (indexes.max() ?? -1) + 1
  }

  /// The most columns that a table of SQLite has.
  private static let columnLimit = 2_000

  /// The columns that a table of history lacks, in order, with their types.
  ///
  /// - Parameters:
  ///   - columns: the columns of the table, which has a primary key.
  ///   - hasTexts: whether transactions hold their texts themselves, as in the first form of history.
  package static func missingColumns(
    of table: Identifier, among columns: [Identifier], hasTexts: Bool = false
  ) -> [(name: Identifier, type: String)] {
    let object: [(name: Identifier, type: String)] = [("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")]
    let wanted = object + self.columns(of: table, tombstoneCount: tombstoneCount(among: columns))
    return wanted.filter { !columns.contains($0.name) && !(hasTexts && stringColumns.contains($0.name)) }
  }

  /// The columns of a table of history that Core Data does not make.
  package static func surplusColumns(of table: Identifier, among columns: [Identifier]) -> [Identifier] {
    let known = self.columns(of: table, tombstoneCount: tombstoneCount(among: columns)).map(\.name)
    return columns.filter { !known.contains($0) && !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
  }

  /// Whether transactions hold their texts themselves, as in the first form of history, told by the columns of ``transaction``.
  package static func hasTexts(_ columns: [Identifier]) -> Bool { !stringColumns.contains(where: columns.contains) }

  /// CD-7: tables, then indexes.
  package static func definitions(tombstoneCount: Int) -> [String] {
    func table(_ name: Identifier) -> String {
      let columns = columns(of: name, tombstoneCount: tombstoneCount).map { "\($0.name) \($0.type)" }
      return "CREATE TABLE \(name) ( \((StoreLayout.objectColumns + columns).joined(separator: ", ")) )"
    }
    func index(_ table: Identifier, _ column: Identifier) -> String {
      "CREATE INDEX \(table)_\(column)_INDEX ON \(table) (\(column))"
    }
    return [
      table(HistoryTables.change), table(HistoryTables.transaction), table(HistoryTables.string),
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
