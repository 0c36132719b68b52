import SQLite

/// A connection on loan to one reader, until ``end()`` or the release of the value.
final class ReadLease {
  let connection: Connection
  private var giveBack: (() -> Void)?

  init(_ connection: Connection, giveBack: @escaping () -> Void) {
    self.connection = connection
    self.giveBack = giveBack
  }

  deinit { end() }

  /// Gives the connection back; its statements must have been reset. Ending twice is allowed.
  func end() {
    giveBack?()
    giveBack = nil
  }
}
