internal import StoreRequests
internal import Synchronization

/// The rows that a save changed, by entity tag and key; made once for all contexts that receive them.
struct ChangedRows: Sendable {
  /// Only for contexts that ask for them; see ``Inbox/keepsInsertions``.
  var inserted: Set<ObjectKey> = []
  var updated: Set<ObjectKey> = []
  var deleted: Set<ObjectKey> = []
  /// Relationships in which a member moved to another owner.
  var exclusiveOwners: Set<ExclusiveOwnership> = []
  /// Whether the lists are complete; if not, any row may have changed.
  var isComplete = true

  /// Adds the change of a row, which comes after the changes that were added before.
  mutating func note(_ kind: Kind, of row: ObjectKey) {
    switch kind {
    case .insertion:
      // A deleted row that came back has other values for the contexts that know it.
      if deleted.remove(row) == nil { inserted.insert(row) } else { updated.insert(row) }
    case .update: updated.insert(row)
    case .deletion:
      inserted.remove(row)
      updated.remove(row)
      deleted.insert(row)
    }
  }

  enum Kind { case insertion, update, deletion }

  /// The number of rows.
  var count: Int { inserted.count + updated.count + deleted.count }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && exclusiveOwners.isEmpty && isComplete
  }
}

/// Rows that other contexts changed and this context has not merged yet. Other threads add to it.
///
/// It keeps inserted rows only for live results, since no object of the context can have such a row. It keeps at most as
/// many rows as the context has objects, or ``minimumLimit``. Above that the context checks all its objects instead.
final class Inbox: Sendable {
  private let rows = Mutex(ChangedRows())
  /// The number of objects that the context has registered.
  private let objectCount = Atomic<Int>(0)
  private let wake = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called like ``wake``, by number.
  private let listeners = Mutex<(last: Int, byNumber: [Int: @Sendable () -> Void])>((0, [:]))
  /// Whether live results want to know inserted rows.
  private let wantsInsertions = Atomic<Bool>(false)

  /// A context with few objects keeps this many changed rows.
  static let minimumLimit = 4096

  /// Adds the changes of another context's save, and wakes the owner if it asked for that.
  func receive(_ changes: ChangedRows) {
    var changes = changes
    // A deleted row that came back has other values for a context that knows it.
    changes.updated.formUnion(rows.withLock { $0.deleted.intersection(changes.inserted) })
    if !keepsInsertions { changes.inserted = [] }
    guard !changes.isEmpty else { return }
    let limit = max(Self.minimumLimit, objectCount.load(ordering: .relaxed))
    let wasEmpty = rows.withLock { rows in
      let wasEmpty = rows.isEmpty
      rows.exclusiveOwners.formUnion(changes.exclusiveOwners)
      rows.isComplete = rows.isComplete && changes.isComplete
      if rows.isComplete, rows.count + changes.count <= limit {
        Self.add(changes.inserted, to: &rows.inserted)
        Self.add(changes.updated, to: &rows.updated)
        // A deleted row that a later save has written exists again.
        if !rows.deleted.isEmpty { rows.deleted.subtract(changes.updated) }
        Self.add(changes.deleted, to: &rows.deleted)
      } else {
        rows.isComplete = false
        rows.inserted = []
        rows.updated = []
        rows.deleted = []
      }
      return wasEmpty
    }
    guard wasEmpty else { return }
    wake.withLock { $0 }?()
    for listener in listeners.withLock({ $0.byNumber.values }) { listener() }
  }

  /// An empty inbox shares the rows of the save with the other inboxes.
  private static func add(_ new: Set<ObjectKey>, to known: inout Set<ObjectKey>) {
    if known.isEmpty { known = new } else { known.formUnion(new) }
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
  var count: Int { rows.withLock(\.count) }

  /// Whether the context has merged all changes of others.
  var isEmpty: Bool { rows.withLock(\.isEmpty) }

  /// Whether others may have changed a row since the last call of `drain`; the row's entity is a tag.
  func mayName(_ row: ObjectKey) -> Bool { rows.withLock { !$0.isComplete || $0.updated.contains(row) } }

  /// Whether the inbox keeps inserted rows.
  var keepsInsertions: Bool { wantsInsertions.load(ordering: .relaxed) }

  /// Keeps inserted rows from now on.
  func keepInsertions() { wantsInsertions.store(true, ordering: .relaxed) }

  /// Calls a closure like ``onFirstChange(_:)``, besides other closures.
  ///
  /// - Returns: a number to give to ``removeListener(_:)``.
  func addListener(_ body: @escaping @Sendable () -> Void) -> Int {
    listeners.withLock { listeners in
      listeners.last += 1
      listeners.byNumber[listeners.last] = body
      return listeners.last
    }
  }

  func removeListener(_ number: Int) { listeners.withLock { $0.byNumber[number] = nil } }

  /// Calls a closure on the thread of another context's save when the first change comes after a call of `drain`.
  func onFirstChange(_ body: (@Sendable () -> Void)?) { wake.withLock { $0 = body } }
}
