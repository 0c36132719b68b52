import Foundation
import SQLite
package import StoreRequests

extension PersistentStore: TransactionalEngine {
  package var commitsRemotely: Bool { false }

  /// Writes a change set and its history in one transaction, or writes nothing (CD-6, CD-7).
  ///
  /// The save gives every source its key before it binds a row. If the save throws, do not use these keys. A row whose
  /// version differs from the stored version is a conflict. The error reports all conflicts.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, ``StoreError``, or an error of a source.
  package func save(_ changes: ChangeSet) throws -> SaveResult {
    guard !changes.isEmpty else { return SaveResult() }
    return try write { try write(changes, over: $0) }
  }

  package func save(_ changes: ChangeSet, beforeCommit: (SaveResult) throws -> Void) throws -> SaveResult {
    try write(changes, nil, beforeCommit: beforeCommit)
  }

  /// - Parameter note: the note of a save over several stores, written in the same transaction; `nil` for a save of one store.
  func write(
    _ changes: ChangeSet, _ note: JointSaveNote?, beforeCommit: (SaveResult) throws -> Void
  ) throws -> SaveResult {
    guard !changes.isEmpty else {
      try beforeCommit(SaveResult())
      return SaveResult()
    }
    return try withoutActuallyEscaping(beforeCommit) { beforeCommit in
      try write(beforeCommit: beforeCommit) { connection in
        if let note { try JointSaveTable.check(note, over: connection) }
        let result = try write(changes, over: connection)
        if let note { try JointSaveTable.write(note, transaction: result.transaction, over: connection) }
        return result
      }
    }
  }

  private func write(_ changes: ChangeSet, over connection: Connection) throws -> SaveResult {
    _ = affectedRows.take()
    var transaction = try SaveTransaction(
      changes, connection: connection, layout: layout,
      historyForm: historyForm.form(connection, path: openedModel.path), files: externalDataWriter,
      maySkipRows: maySkipRows, writes: writes)
    var result = try StoreError.reportingSave(path: openedModel.path) { try transaction.run() }
    result.affected = affectedRows.take()
    return result
  }
}
