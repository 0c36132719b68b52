/// An engine whose store other processes can write.
package protocol WatchableEngine: StoreEngine {
  /// Calls a closure on a private thread soon after somebody has written to the store, this process included.
  ///
  /// A call may come without a new save, and shortly before the save is visible. Several saves may lead to one call.
  /// - Returns: an object; the calls end when it is released. `nil` if no other process can write to the store.
  func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)?

  /// A number that changes when somebody has saved.
  func dataVersion() throws -> Int64

  /// A mark that changes when another container or process has saved.
  ///
  /// A save through this engine usually leaves it as it is. Cost: one pragma of SQLite.
  /// - Returns: `nil` if the store cannot tell at once: a locked one, one in memory, or one of a server.
  func markOfOthers() -> OthersMark?
}

/// Tells that somebody has saved to a store, if the connection told another version before.
package struct OthersMark: Sendable {
  /// Versions of different connections do not compare.
  package let connection: Int
  package let version: Int64

  package init(connection: Int, version: Int64) {
    self.connection = connection
    self.version = version
  }
}
