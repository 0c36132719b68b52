/// An engine whose store other processes can write.
package protocol WatchableEngine: StoreEngine {
  /// Calls a closure on a private thread soon after somebody has written to the store, this process included.
  ///
  /// A call may come without a new save, and shortly before the save is visible. Several saves may lead to one call.
  /// - Returns: an object; the calls end when it is released. `nil` if no other process can write to the store.
  func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)?

  /// A number that changes when somebody has saved.
  func dataVersion() throws -> Int64
}
