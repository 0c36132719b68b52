package import SQLite

/// Lends a connection to one reader, until the reader calls ``end()`` or releases the lease.
package final class ReadLease {
  package let connection: Connection
  /// Whether other readers and writers use the connection at the same time, as in a store in memory.
  private let isShared: Bool
  private let openedModel: OpenedModel
  private var giveBack: (() -> Void)?

  init(
    _ connection: Connection, _ openedModel: OpenedModel, isShared: Bool = false, giveBack: @escaping () -> Void
  ) {
    self.connection = connection
    self.openedModel = openedModel
    self.isShared = isShared
    self.giveBack = giveBack
  }

  deinit { end() }

  /// Returns a statement that only this lease uses.
  ///
  /// The connection's cached statement serves a connection with one reader. A shared connection prepares a new
  /// statement, because another reader may use the cached statement.
  ///
  /// - Throws: ``StoreError``; `SQLiteError`.
  func statement(_ sql: String) throws -> Statement {
    try openedModel.requireUnmigrated()
    return try reporting {
      do {
        guard !isShared else { return try connection.prepare(sql) }
        // A new statement is of the tables as they are now. So ``start(_:mayCount:)`` would not notice an earlier migration.
        return try connection.statement(sql) { try openedModel.check(connection) }
      } catch {
        try openedModel.check(connection)
        throw error
      }
    }
  }

  /// Makes sure that nobody has migrated the store since it was opened. Cost: one pragma.
  ///
  /// - Throws: ``StoreError``; `SQLiteError`.
  package func checkModel() throws { try reporting { _ = try openedModel.check(connection) } }

  /// Runs a statement to its first row. Fails if somebody has migrated the store since it was opened.
  ///
  /// Every migration changes a definition. SQLite then prepares the statement anew. Only in this case does the check read anything.
  /// - Parameter mayCount: whether SQLite may count a whole table in this step.
  /// - Returns: whether there is a row.
  /// - Throws: ``StoreError``; `SQLiteError`.
  func start(_ statement: Statement, mayCount: Bool = false) throws -> Bool {
    try reporting {
      do {
        let hasRow = mayCount ? try connection.step(counting: statement) : try statement.step()
        if statement.wasPreparedAnew { try openedModel.check(connection) }
        return hasRow
      } catch let error as SQLiteError {
        try openedModel.check(connection)
        throw error
      }
    }
  }

  /// Runs a reader's own work on the connection.
  ///
  /// - Throws: the errors of `body`; as ``StoreError`` with the store's path if the disk, the memory or another program failed.
  package func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw StoreError.wrapping(error, path: openedModel.path) }
  }

  /// Gives the connection back.
  ///
  /// The caller resets the connection's statements first. A second call has no effect.
  func end() {
    giveBack?()
    giveBack = nil
  }
}
