import SQLite
package import StoreRequests

extension PersistentStore {
  /// Returns a cursor over the transactions of the store's history, with their changes (CD-7).
  ///
  /// This includes stores of the first generation, whose transactions hold the texts. A store without history has no
  /// transactions.
  ///
  /// Cost: one query, which uses the tables' indexes and runs while the caller reads the cursor.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is closed.
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

  /// Returns the number of the latest transaction; `nil` if there is none.
  ///
  /// A token of the store's present state contains this number. A transaction counts even if it was removed from
  /// history: the store does not reuse its number.
  package func lastTransaction() throws -> Int64? {
    try read { connection in
      guard try HistoryForm(connection) != .none else { return nil }
      return try connection.integer(HistoryStatement.lastTransaction)
    }
  }
}
