import SQLite

/// The note of transactions that were removed from the middle of the history.
///
/// Core Data's own numbers have gaps, so a missing number does not tell that something was removed. A table of ours in the store has the
/// number, so that all processes see it. Core Data and its checkers leave unknown tables alone.
extension PersistentStore {
  static var historyGapTable: String { "OSD_HISTORY_GAP" }

  /// Returns the greatest number of a transaction that was removed while earlier ones stayed; `nil` if there is none.
  ///
  /// Cost: one short query, or two.
  package func historyGap() throws -> Int64? {
    try read { connection in
      guard try connection.hasTable(Self.historyGapTable) else { return nil }
      return try connection.integer("SELECT max(TRANSACTIONID) FROM \(Self.historyGapTable)")
    }
  }

  /// Notes that transactions have been removed, if earlier ones are left. The first transaction that is left tells of the others.
  ///
  /// - Parameter last: the last transaction that was removed; `nil` if none was.
  func noteRemoval(through last: Int64?, _ connection: Connection) throws {
    guard let last, let first = try connection.integer(HistoryStatement.firstTransaction), first < last else { return }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.historyGapTable) (TRANSACTIONID INTEGER NOT NULL)")
    for sql in [
      "DELETE FROM \(Self.historyGapTable) WHERE TRANSACTIONID < ?1",
      "INSERT INTO \(Self.historyGapTable) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM \(Self.historyGapTable))",
    ] {
      let statement = try connection.prepare(sql)
      try statement.bind(last, at: 1)
      try statement.run()
    }
  }
}
