import SQLite
package import StoreRequests

extension PersistentStore {
  /// Transactions of the store's history with their changes (CD-7), also of stores of the first generation, which keep the
  /// texts in the transactions themselves; none of a store without history.
  ///
  /// Cost: one query, which uses the tables' indexes and runs as the cursor is read.
  /// - Throws: `SQLiteError`, or ``StoreError`` where the store is closed.
  package func history(_ request: HistoryRequest = HistoryRequest()) throws -> HistoryCursor {
    let lease = try lease()
    do {
      let form = try HistoryForm(lease.connection)
      guard form != .none else {
        lease.end()
        return HistoryCursor(layout: layout)
      }
      let select = HistorySelect(request, form: form)
      let statement = try lease.statement(select.sql)
      for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
      return try HistoryCursor(lease, statement, layout: layout, tombstones: form.tombstoneCount)
    } catch {
      lease.end()
      throw error
    }
  }

  /// The number of the latest transaction, which stands in a token of the store's present state; `nil` without any.
  ///
  /// Transactions that were removed from history count: their numbers are not given out again.
  package func lastTransaction() throws -> Int64? {
    try read { connection in
      guard try HistoryForm(connection) != .none else { return nil }
      return try connection.integer(HistoryStatement.lastTransaction)
    }
  }
}
