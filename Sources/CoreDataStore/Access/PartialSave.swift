import Foundation
import SQLite
package import StoreRequests

/// A save that is written in parts, so that a large one need not be in memory as a whole.
///
/// All parts are one transaction of the store and of its history.
package final class PartialSave {
  package let transaction: StoreTransaction
  private var save: SaveTransaction
  private let affectedRows: AffectedRows

  fileprivate init(_ transaction: StoreTransaction, _ save: SaveTransaction, _ affectedRows: AffectedRows) {
    self.transaction = transaction
    self.save = save
    self.affectedRows = affectedRows
  }

  /// Clears the unique values of rows that later parts overwrite, and negates their unique foreign keys. The closure calls its
  /// argument with each row and the columns that are certain to be written. It is called at most once, when two rows clash; `nil`
  /// if no part follows.
  package var freeLaterParts: ((_ free: (ObjectKey, [ColumnSelection]) throws -> Void) throws -> Void)? {
    get { save.freeLaterParts }
    set { save.freeLaterParts = newValue }
  }

  /// The next key for a row of an entity.
  package func nextKey(of entity: StoreEntity) throws -> Int64 {
    let entity = try transaction.layout.existingEntity(entity.number)
    return try save.keys.next(entity.rootNumber, table: entity.table, entityName: entity.name)
  }

  /// Reserves a key that the caller chose, and all smaller keys, so that no other row gets them.
  package func reserve(_ key: Int64, of entity: StoreEntity) throws {
    let entity = try transaction.layout.existingEntity(entity.number)
    try save.keys.reserve(key, entity.rootNumber, table: entity.table, entityName: entity.name)
  }

  /// Writes a part.
  ///
  /// - Parameter keys: the keys of the part's insertions, in their order.
  /// - Throws: ``SaveError``, ``QueryError``, `SQLiteError`, or an error of a row source.
  package func write(_ part: ChangeSet, keys: [Int64]) throws -> SaveResult {
    let result = try StoreError.reportingSave(path: transaction.connection.path) { try save.write(part, keys: keys) }
    // No context holds objects that need the changed values.
    _ = affectedRows.take()
    return result
  }

  /// - Returns: the number of the transaction in the store's history; `nil` if the store keeps none.
  fileprivate func finish() throws -> Int64? {
    try save.finish()
    return save.history.transaction
  }
}

extension PersistentStore {
  /// Writes a save in parts, all or nothing.
  ///
  /// - Parameter author: the author in the store's history (CD-7).
  /// - Returns: the number of the transaction in the store's history; `nil` if the store keeps none.
  /// - Throws: errors of `body`; ``SaveError``, ``StoreError``. The store is then unchanged.
  package func saveInParts(author: String?, _ body: (PartialSave) throws -> Void) throws -> Int64? {
    try write { connection in
      var changes = ChangeSet()
      changes.author = author
      let save = SaveTransaction(
        changes, connection: connection, layout: layout, historyForm: try historyForm.form(connection, path: url?.path),
        files: externalDataWriter, maySkipRows: maySkipRows)
      let partial = PartialSave(StoreTransaction(connection, of: self), save, affectedRows)
      try body(partial)
      return try partial.finish()
    }
  }
}
