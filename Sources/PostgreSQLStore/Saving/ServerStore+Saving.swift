import Foundation
import PostgreSQL
package import StoreRequests

extension ServerStore: TransactionalEngine {
  package var commitsRemotely: Bool { true }

  /// Writes a change set in one transaction, or writes nothing.
  ///
  /// It tries again, a few times, in three cases:
  /// - The server has ended the transaction because of another transaction.
  /// - Somebody has inserted rows with the unique values of new rows. The next attempt overwrites these rows.
  /// - The connection was lost, and the server has not committed the transaction.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, ``StoreProblem``, ``PostgreSQLError``, or an error of a source.
  package func save(_ changes: ChangeSet) throws -> SaveResult {
    guard !changes.isEmpty else { return SaveResult() }
    return try write(changes, beforeCommit: nil)
  }

  /// As ``save(_:)``. Checks deferred constraints before the closure, and does not try again after it.
  package func save(_ changes: ChangeSet, beforeCommit: (SaveResult) throws -> Void) throws -> SaveResult {
    guard !changes.isEmpty else {
      try beforeCommit(SaveResult())
      return SaveResult()
    }
    return try withoutActuallyEscaping(beforeCommit) { try write(changes, beforeCommit: $0) }
  }

  private func write(_ changes: ChangeSet, beforeCommit: ((SaveResult) throws -> Void)?) throws -> SaveResult {
    try requireWriting()
    var attempt = 1
    var mayRepeat = true
    while true {
      // What was written before the commit.
      var written: (result: SaveResult, transaction: RecordedTransaction)?
      do {
        let result = try noticingMigration {
          try pool.transaction { connection in
            var transaction = SaveTransaction(changes, connection: connection, layout: layout, keys: keys)
            written = try transaction.run(version: version)
            guard let written else { throw migrated }
            if let beforeCommit {
              try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
              mayRepeat = false
              try beforeCommit(written.result)
            }
            return written.result
          }
        }
        if let number = result.transaction { replica?.require(number) }
        return result
      } catch let error as PostgreSQLError {
        if error.isConnectionLost, !pool.isLending, let written, written.transaction.number != nil {
          pool.dropIdle()
          guard let isSaved = hasCommitted(written.transaction) else { throw unknownOutcome }
          if isSaved {
            if let number = written.transaction.number { replica?.require(number) }
            return written.result
          }
        }
        if let refusal = refusal(error, changes) { throw refusal }
        guard mayRepeat, attempt < Self.attemptLimit, isWorthTrying(error, changes) else {
          throw namingClashes(phrased(error), changes)
        }
        // Waits longer after each attempt, for a random time, so that two saves do not meet again.
        Thread.sleep(forTimeInterval: Double(attempt) * Double.random(in: 0.001...0.01))
        attempt += 1
      }
    }
  }

  private static let attemptLimit = 6

  private func isWorthTrying(_ error: PostgreSQLError, _ changes: ChangeSet) -> Bool {
    if error.isConnectionLost { return !pool.isLending }
    guard let state = error.state else { return false }
    return state.isTransient || (state == .uniqueViolation && !changes.insertions.isEmpty)
  }
}
