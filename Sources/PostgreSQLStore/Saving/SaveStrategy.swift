import StoreRequests

/// How a save writes its rows. An attempt that fails can make the next one write otherwise.
struct SaveStrategy {
  /// Whether rows that insertions overwrite are locked when they are found.
  ///
  /// A lock is nearly as much work for the server as the change. Without it, the save compares the rows' versions when it writes them.
  var locksOverwritten: Bool
  var updateLocks: UpdateLocks
  /// Whether the unique values of insertions are locked before their rows are looked for.
  var locksUniqueValues: Bool
  /// Whether rows are written and deleted in the order of their foreign keys.
  var ordersByReference = false
  /// The lock of the store's saves; `nil` in a transaction that has it.
  var lock: Lock?

  enum Lock {
    case shared
    /// The save runs alone.
    case exclusive
  }

  /// The number of rows from which a save locks no rows at first.
  ///
  /// Several programs often save the same few rows. So a save with fewer insertions locks the rows that it overwrites. A save with fewer
  /// updates and deletions locks the rows that it updates.
  static let lockedRows = 1000

  init(
    locksOverwritten: Bool, updateLocks: UpdateLocks, locksUniqueValues: Bool, ordersByReference: Bool = false,
    lock: Lock? = nil
  ) {
    self.locksOverwritten = locksOverwritten
    self.updateLocks = updateLocks
    self.locksUniqueValues = locksUniqueValues
    self.ordersByReference = ordersByReference
    self.lock = lock
  }

  /// The strategy of the first attempt.
  ///
  /// - Parameters:
  ///   - isLent: whether the transaction is that of a migration, which may save several times in it. Nothing is tried again there.
  ///   - isContended: whether saves have met in deadlocks lately.
  init(_ changes: ChangeSet, isLent: Bool, ordersByReference: Bool, isContended: Bool) {
    // Two saves that update one row each seldom meet in a deadlock: each locks the store's row last.
    let changedCount = changes.updates.count + changes.deletions.count
    // A big save does not begin alone. A small one that does waits for the end of the big ones, as it would for the store's row.
    let isSmall = changes.batches.isEmpty && changes.insertions.count + changedCount < Self.lockedRows
    let runsAlone = isContended && isSmall
    self.init(
      locksOverwritten: isLent || changes.insertions.count < Self.lockedRows,
      updateLocks: changedCount > 1 && changedCount < Self.lockedRows ? .cheapest : .none,
      locksUniqueValues: !isLent, ordersByReference: ordersByReference,
      lock: isLent ? nil : runsAlone ? .exclusive : .shared)
  }

  /// Lets the next attempt run alone, and lock its rows first, in the order of their keys. The order is for transactions of other programs.
  mutating func runAlone() {
    (locksOverwritten, updateLocks) = (true, .before)
    if lock != nil { lock = .exclusive }
  }
}
