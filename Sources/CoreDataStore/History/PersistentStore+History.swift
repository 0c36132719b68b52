import Foundation
import SQLite
package import StoreRequests

extension PersistentStore {
  /// Returns a cursor over the transactions of the store's history, with their changes (CD-7).
  ///
  /// This includes stores of the first generation, whose transactions hold the texts. A store without history has no
  /// transactions.
  ///
  /// Cost: one query, which uses the tables' indexes and runs while the caller reads the cursor.
  /// - Throws: ``StoreError``, also if the tables of history lack a column; `SQLiteError`.
  package func history(_ request: HistoryRequest = HistoryRequest()) throws -> HistoryCursor {
    let lease = try lease()
    do {
      return try lease.reporting { try cursor(request, lease) }
    } catch {
      lease.end()
      throw error
    }
  }

  private func cursor(_ request: HistoryRequest, _ lease: ReadLease) throws -> HistoryCursor {
    try lease.checkModel()
    let form = try HistoryForm(lease.connection, path: url?.path)
    guard form != .none else {
      lease.end()
      return HistoryCursor(layout: layout)
    }
    var hasPlainAuthors = true
    if form.hasStringTable, case .equal(.some) = request.author {
      hasPlainAuthors = try lease.connection.integer(HistoryStatement.hasPlainAuthors) != 0
    }
    let select = HistorySelect(request, form: form, hasPlainAuthors: hasPlainAuthors)
    let statement = try lease.statement(select.sql)
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return try HistoryCursor(lease, statement, layout: layout, tombstones: form.tombstoneCount)
  }

  /// Returns the number of the latest transaction, 0 before the first; `nil` if the store keeps no history.
  ///
  /// A token of the store's present state contains this number. A transaction counts even if it was removed from
  /// history: the store does not reuse its number.
  package func lastTransaction() throws -> Int64? {
    try read { connection in
      guard try HistoryForm(connection, path: url?.path) != .none else { return nil }
      return try connection.integer(HistoryStatement.lastTransaction)
    }
  }

  /// Returns the number of the earliest transaction that history still has; `nil` if there is none.
  ///
  /// Cost: two short queries.
  package func firstTransaction() throws -> Int64? {
    try read { connection in
      guard try HistoryForm(connection, path: url?.path) != .none else { return nil }
      return try connection.integer(HistoryStatement.firstTransaction)
    }
  }

  /// Removes transactions with their changes, or removes nothing.
  ///
  /// `Z_PRIMARYKEY` keeps the counters, so that no number is used again, and the string table keeps its texts. Core
  /// Data's own reader then sees the gap in the numbers (CD-7). ``historyGap()`` tells of transactions that had earlier ones left.
  ///
  /// Cost: two statements and two queries that use the tables' indexes; with ``HistoryRequest/entities`` two statements for each
  /// transaction.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is read-only or locked.
  package func deleteHistory(_ request: HistoryRequest) throws {
    try write { connection in
      let form = try historyForm.form(connection, path: url?.path)
      guard form != .none else { return }
      let numbers = HistorySelect(numbersOf: request, form: form)
      func statement(_ sql: String) throws -> Statement {
        let statement = try connection.statement(sql)
        for (index, value) in numbers.bindings.enumerated() { try statement.bind(value, at: index + 1) }
        return statement
      }
      if request.entities == nil {
        let last = try statement("SELECT max(Z_PK) FROM (\(numbers.sql))")
        let removed = try last.step() && !last.isNull(0) ? last.integer(0) : nil
        last.reset()
        try statement("DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (\(numbers.sql))").run()
        try statement("DELETE FROM ATRANSACTION WHERE Z_PK IN (\(numbers.sql))").run()
        try noteRemoval(through: removed, connection)
      } else {
        // Changes decide which transactions are removed, so the numbers are read before a change is removed.
        let list = try statement(numbers.sql)
        var found: [Int64] = []
        while try list.step() { found.append(list.integer(0)) }
        list.reset()
        try delete(found, connection)
      }
    }
  }

  /// Removes the transactions with these numbers, with their changes, or removes nothing.
  ///
  /// Cost: two statements for each number.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is read-only or locked.
  package func deleteHistory(transactions: [Int64]) throws {
    guard !transactions.isEmpty else { return }
    try write { connection in
      guard try historyForm.form(connection, path: url?.path) != .none else { return }
      try delete(transactions, connection)
    }
  }

  private func delete(_ transactions: [Int64], _ connection: Connection) throws {
    for sql in [HistoryStatement.deleteChanges, HistoryStatement.deleteTransaction] {
      let statement = try connection.statement(sql)
      for number in transactions {
        try statement.bind(number, at: 1)
        try statement.run()
      }
    }
    try noteRemoval(through: transactions.max(), connection)
  }
}
