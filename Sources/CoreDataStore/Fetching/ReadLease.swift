package import SQLite

/// Lends a connection to one reader, until the reader calls ``end()`` or releases the lease.
package final class ReadLease {
  package let connection: Connection
  /// Whether other readers and writers use the connection at the same time, as in a store in memory.
  private let isShared: Bool
  private var giveBack: (() -> Void)?

  init(_ connection: Connection, isShared: Bool = false, giveBack: @escaping () -> Void) {
    self.connection = connection
    self.isShared = isShared
    self.giveBack = giveBack
  }

  deinit { end() }

  /// Returns a statement that only this lease uses.
  ///
  /// The connection's cached statement serves a connection with one reader. A shared connection prepares a new
  /// statement, because another reader may use the cached statement.
  func statement(_ sql: String) throws -> Statement {
    try isShared ? connection.prepare(sql) : connection.statement(sql)
  }

  /// Gives the connection back.
  ///
  /// The caller resets the connection's statements first. A second call has no effect.
  func end() {
    giveBack?()
    giveBack = nil
  }
}
