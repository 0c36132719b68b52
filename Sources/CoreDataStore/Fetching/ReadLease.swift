package import SQLite

/// A connection on loan to one reader, until ``end()`` or the release of the value.
package final class ReadLease {
  package let connection: Connection
  /// Whether others use the connection meanwhile, as in a store in memory.
  private let isShared: Bool
  private var giveBack: (() -> Void)?

  init(_ connection: Connection, isShared: Bool = false, giveBack: @escaping () -> Void) {
    self.connection = connection
    self.isShared = isShared
    self.giveBack = giveBack
  }

  deinit { end() }

  /// A statement for this lease alone: the connection's own one, or another where somebody else could take that up.
  func statement(_ sql: String) throws -> Statement {
    try isShared ? connection.prepare(sql) : connection.statement(sql)
  }

  /// Gives the connection back; its statements must have been reset. Ending twice is allowed.
  func end() {
    giveBack?()
    giveBack = nil
  }
}
