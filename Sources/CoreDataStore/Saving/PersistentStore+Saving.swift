import SQLite
package import StoreRequests

extension PersistentStore {
  /// Writes a change set in one transaction, its history included, or nothing at all (CD-6, CD-7).
  ///
  /// Every source is told its key before any row is bound; if the save throws, keys that were assigned are void.
  /// Rows with a version that is not the store's any more are conflicts, all of which are reported.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, ``StoreError``, or what a source throws.
  package func save(_ changes: ChangeSet) throws -> SaveResult {
    guard !changes.isEmpty else { return SaveResult() }
    return try write { connection in
      _ = affectedRows.take()
      var transaction = try SaveTransaction(
        changes, connection: connection, layout: layout, historyForm: historyForm.form(connection),
        files: externalDataWriter)
      var result = try transaction.run()
      result.affected = affectedRows.take()
      return result
    }
  }
}
