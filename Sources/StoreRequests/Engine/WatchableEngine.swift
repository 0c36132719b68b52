/// An engine whose store other processes can write.
package protocol WatchableEngine: StoreEngine {
  /// Calls a closure on a private thread soon after somebody has written to the store, this process included.
  ///
  /// A call may come without a new save, and shortly before the save is visible. Several saves may lead to one call.
  /// - Returns: an object; the calls end when it is released. `nil` if no other process can write to the store.
  func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)?

  /// A number that changes when somebody has saved.
  func dataVersion() throws -> Int64

  /// A mark that changes when another container or process has saved; saves through this engine leave it as it is.
  ///
  /// A change may also mean nothing. Cost: one pragma of SQLite.
  /// - Returns: `nil` if it cannot be told at once, such as during a save through this engine, or by a server.
  func markOfOthers() -> OthersMark?
}

/// Compares equal if no other container or process has saved to a store in between.
package struct OthersMark: Hashable, Sendable {
  /// Versions of different connections do not compare.
  let connection: Int
  let version: Int64

  package init(connection: Int, version: Int64) {
    self.connection = connection
    self.version = version
  }
}
