import CSQLite

extension Connection {
  /// When a transaction takes its locks (https://www.sqlite.org/lang_transaction.html).
  package enum TransactionKind: String, Sendable {
    /// Locks on the first read or write: a stable view for several reads.
    case deferred = "BEGIN DEFERRED"
    /// Takes the write lock at once, so that no row changes between a read and a write inside the transaction.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { (try? pointer()).map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// - Throws: any error of `body`, or ``SQLiteError``; ``ResultCode/busy`` if the lock was not available in time.
  @discardableResult
  package func transaction<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result {
    // Prepares ROLLBACK first: after memory runs out, it can no longer be prepared.
    let rollback = try statement("ROLLBACK")
    try run(kind.rawValue)
    do {
      refusesCommits(true)
      let result = try body()
      refusesCommits(false)
      guard isInTransaction else { throw lostTransaction }
      try run("COMMIT")
      return result
    } catch {
      refusesCommits(false)
      // SQLite rolls back by itself after some failures (a full disk, an input or output error).
      if isInTransaction { try? rollback.run() }
      throw error
    }
  }

  /// Refuses every commit while the body of a transaction runs.
  ///
  /// If memory runs out while a value is read, SQLite rolls the transaction back when the statement is reset, and no
  /// statement fails. Each later statement would then commit by itself.
  private func refusesCommits(_ refuses: Bool) {
    guard let pointer = try? pointer() else { return }
    if refuses { sqlite3_commit_hook(pointer, { _ in 1 }, nil) } else { sqlite3_commit_hook(pointer, nil, nil) }
  }

  var lostTransaction: SQLiteError {
    SQLiteError(extendedCode: SQLiteError.refusedCommit, message: "", path: path)
  }

  /// Runs `body` in a nested transaction. If `body` throws, only the nested transaction is rolled back.
  @discardableResult
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    let name = "level\(savepointDepth)"
    try run("SAVEPOINT \(name)")
    savepointDepth += 1
    defer { savepointDepth -= 1 }
    do {
      let result = try body()
      try run("RELEASE \(name)")
      return result
    } catch {
      if isInTransaction {
        try? run("ROLLBACK TO \(name)")
        try? run("RELEASE \(name)")
      }
      throw error
    }
  }

  private func run(_ sql: String) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    _ = try statement.step()
  }
}
