import CSQLite

extension Connection {
  /// When a transaction takes its locks (https://www.sqlite.org/lang_transaction.html).
  package enum TransactionKind: String, Sendable {
    /// On the first read or write: a stable view for several reads.
    case deferred = "BEGIN DEFERRED"
    /// The write lock at once, so that nothing read inside can have changed when it is written back.
    case immediate = "BEGIN IMMEDIATE"
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { (try? pointer()).map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// - Throws: what `body` throws, or ``SQLiteError``; ``ResultCode/busy`` where the lock was not to be had in time.
  @discardableResult
  package func transaction<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result {
    // Prepared beforehand: where memory has run out there is none to prepare the way back.
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
      throw (error as? SQLiteError)?.extendedCode == SQLiteError.refusedCommit ? lostTransaction : error
    }
  }

  /// Lets nothing be committed while a transaction's body runs.
  ///
  /// Without memory for a value that is read, SQLite rolls the transaction back as the statement is reset, and no statement
  /// fails; what followed would be committed piece by piece.
  private func refusesCommits(_ refuses: Bool) {
    guard let pointer = try? pointer() else { return }
    if refuses { sqlite3_commit_hook(pointer, { _ in 1 }, nil) } else { sqlite3_commit_hook(pointer, nil, nil) }
  }

  private var lostTransaction: SQLiteError {
    SQLiteError(extendedCode: SQLITE_NOMEM, message: "out of memory: the transaction was rolled back", path: path)
  }

  /// Runs `body` in a nested transaction, which alone is undone when it throws.
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
