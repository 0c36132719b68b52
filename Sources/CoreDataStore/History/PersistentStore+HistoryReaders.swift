package import Foundation
import SQLite
import StoreRequests

/// Readers of the history, by name, each with the number of the last transaction that it has read.
///
/// A table of ours in the store has them, so that all processes see them. Core Data and its checkers leave unknown tables alone.
extension PersistentStore {
  static var historyReadersTable: String { "OSD_HISTORY_READERS" }

  /// Removes the oldest transactions, up to the first that is not before a moment or that a reader needs.
  ///
  /// A clock that was set back makes later transactions older. They stay, so that the numbers have no gap.
  /// Cost: two short queries, and two statements if there is anything to remove.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is read-only or locked.
  package func pruneHistory(before date: Date) throws {
    // A query comes first: usually there are no old transactions, and nothing is written.
    guard try read({ try lastOldTransaction(before: date, $0) }) != nil else { return }
    try write { connection in
      guard let last = try lastOldTransaction(before: date, connection) else { return }
      var request = HistoryRequest()
      request.through = last
      try deleteHistory(request)
    }
  }

  /// The number of the last transaction to remove; `nil` if there is none.
  private func lastOldTransaction(before date: Date, _ connection: Connection) throws -> Int64? {
    guard try HistoryForm(connection, path: url?.path) != .none,
      let first = try connection.integer(HistoryStatement.firstTransaction)
    else { return nil }
    let young = try connection.statement("SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?1")
    defer { young.reset() }
    try young.bind(date.timeIntervalSinceReferenceDate, at: 1)
    var last = Int64.max
    if try young.step(), !young.isNull(0) { last = young.integer(0) - 1 }
    if try connection.hasTable(Self.historyReadersTable),
      let read = try connection.integer("SELECT min(TRANSACTIONID) FROM \(Self.historyReadersTable)")
    {
      last = min(last, read)
    }
    return last >= first ? last : nil
  }

  /// Keeps the transactions after a number from ``pruneHistory(before:)`` for a reader, until the reader names another number.
  ///
  /// - Parameter number: `nil` forgets the reader.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is read-only or locked.
  package func keepHistory(after number: Int64?, for reader: String) throws -> Bool {
    try write { connection in
      guard let number else {
        guard try connection.hasTable(Self.historyReadersTable) else { return }
        let statement = try connection.prepare("DELETE FROM \(Self.historyReadersTable) WHERE NAME = ?1")
        try statement.bind(reader, at: 1)
        try statement.run()
        return
      }
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS \(Self.historyReadersTable) (NAME TEXT NOT NULL PRIMARY KEY, TRANSACTIONID INTEGER NOT NULL)"
      )
      let statement = try connection.prepare("INSERT OR REPLACE INTO \(Self.historyReadersTable) VALUES (?1, ?2)")
      try statement.bind(reader, at: 1)
      try statement.bind(number, at: 2)
      try statement.run()
    }
    return true
  }
}
