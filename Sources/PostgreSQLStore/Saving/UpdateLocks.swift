import StoreRequests

/// When a save locks the rows that it updates, in the order of their keys.
///
/// An update locks rows in the order in which the server finds them, and a save may have several updates. So saves of the same rows could
/// meet in a deadlock.
enum UpdateLocks {
  /// Each update locks its own rows, in any order.
  case none
  /// The update locks them if one statement can carry all of them. A save with several updates locks before them.
  case cheapest
  /// Statements before the updates lock them.
  case before
}

extension SaveTransaction {
  /// Whether the updates have one shape, so that one statement can lock the rows and update them.
  var updateLocksItsRows: Bool {
    guard strategy.updateLocks == .cheapest, changes.deletions.isEmpty, !strategy.ordersByReference,
      let first = changes.updates.first
    else { return false }
    return changes.updates.allSatisfy { $0.object.entity == first.object.entity && $0.columns == first.columns }
  }
}
