internal import StoreRequests
internal import Synchronization

/// The rows that a save changed, by entity tag and key; made once for all contexts that receive them.
struct ChangedRows: Sendable {
  var updated: Set<ObjectKey> = []
  var deleted: Set<ObjectKey> = []
  /// Relationships in which a member moved to another owner.
  var exclusiveOwners: Set<ExclusiveOwnership> = []
  /// Whether the lists are complete; if not, any row may have changed.
  var isComplete = true

  var isEmpty: Bool { updated.isEmpty && deleted.isEmpty && exclusiveOwners.isEmpty && isComplete }
}

/// Rows that other contexts changed and this context has not merged yet. Other threads add to it.
///
/// It keeps no inserted rows, since no object of the context can have such a row. Of other rows it keeps at most as
/// many as the context has objects, or ``minimumLimit``. Above that the context checks all its objects instead.
final class Inbox: Sendable {
  private let rows = Mutex(ChangedRows())
  /// The number of objects that the context has registered.
  private let objectCount = Atomic<Int>(0)
  private let wake = Mutex<(@Sendable () -> Void)?>(nil)

  /// A context with few objects keeps this many changed rows.
  static let minimumLimit = 4096

  /// Adds the changes of another context's save, and wakes the owner if it asked for that.
  func receive(_ changes: ChangedRows) {
    guard !changes.isEmpty else { return }
    let limit = max(Self.minimumLimit, objectCount.load(ordering: .relaxed))
    let wasEmpty = rows.withLock { rows in
      let wasEmpty = rows.isEmpty
      rows.exclusiveOwners.formUnion(changes.exclusiveOwners)
      rows.isComplete = rows.isComplete && changes.isComplete
      if rows.isComplete,
        rows.updated.count + rows.deleted.count + changes.updated.count + changes.deleted.count <= limit
      {
        rows.updated.formUnion(changes.updated)
        rows.deleted.formUnion(changes.deleted)
      } else {
        rows.isComplete = false
        rows.updated = []
        rows.deleted = []
      }
      return wasEmpty
    }
    if wasEmpty { wake.withLock { $0 }?() }
  }

  /// Removes and returns all changes since the last call.
  func drain(objectCount count: Int) -> ChangedRows {
    objectCount.store(count, ordering: .relaxed)
    return rows.withLock { rows in
      defer { rows = ChangedRows() }
      return rows
    }
  }

  /// The number of rows in the inbox.
  var count: Int { rows.withLock { $0.updated.count + $0.deleted.count } }

  /// Calls a closure on the thread of another context's save when the first change comes after a call of `drain`.
  func onFirstChange(_ body: (@Sendable () -> Void)?) { wake.withLock { $0 = body } }
}
