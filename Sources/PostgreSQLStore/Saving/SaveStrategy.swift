import StoreRequests

/// How a save writes its rows. An attempt that fails can make the next one write otherwise.
struct SaveStrategy {
  /// Whether rows that insertions overwrite are locked when they are found.
  ///
  /// A lock is nearly as much work for the server as the change. Without it, the save compares the rows' versions when it writes them.
  var locksOverwritten: Bool
  var updateLocks: UpdateLocks
  var insertionLocks: UniqueValueLocks.Kind
  /// Whether rows are written and deleted in the order of their foreign keys.
  var ordersByReference = false

  /// The number of rows from which a save locks no rows at first.
  ///
  /// Several programs often save the same few rows. So a save with fewer insertions locks the rows that it overwrites. A save with fewer
  /// updates and deletions locks the rows that it updates.
  static let lockedRows = 1000

  init(
    locksOverwritten: Bool, updateLocks: UpdateLocks, insertionLocks: UniqueValueLocks.Kind,
    ordersByReference: Bool = false
  ) {
    self.locksOverwritten = locksOverwritten
    self.updateLocks = updateLocks
    self.insertionLocks = insertionLocks
    self.ordersByReference = ordersByReference
  }

  /// The strategy of the first attempt.
  ///
  /// - Parameter isLent: whether the transaction is of somebody else, who may save several times in it. Nothing is tried again there.
  init(_ changes: ChangeSet, isLent: Bool, ordersByReference: Bool) {
    // Two saves that update one row each cannot meet in a deadlock: each locks the store's row last.
    let changedCount = changes.updates.count + changes.deletions.count
    self.init(
      locksOverwritten: isLent || changes.insertions.count < Self.lockedRows,
      updateLocks: changedCount > 1 && changedCount < Self.lockedRows ? .cheapest : .none,
      insertionLocks: isLent ? .none : .values, ordersByReference: ordersByReference)
  }

  /// Lets the next attempt lock all rows and values first, in an order that all saves have. That ends deadlocks.
  mutating func lockFirst() { (locksOverwritten, updateLocks, insertionLocks) = (true, .before, .constraints) }
}
