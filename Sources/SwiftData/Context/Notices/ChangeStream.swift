/// A change inside a context, in the order in which changes happen.
enum ContextChange {
  /// An object entered the context, or came back from a deletion.
  case inserted(any PersistentModel)
  /// An object is deleted: by the next save, or at once if it was never saved.
  case deleted(any PersistentModel)
  /// A property is about to change, by an assignment or because its inverse changed.
  case willChange(any PersistentModel, property: Int)
  /// What a to-many relationship records about a member has changed.
  case linked(LinkStep)
  /// Members took the place of others in the loaded list of a to-many relationship. Loading the list is no change.
  case replaced(any PersistentModel, property: Int, MemberReplacement)
  /// An object is about to take the values of its row again, or to leave the context without a deletion. The cause is a
  /// rollback, a newer row, or a row that is gone.
  case willRefresh(any PersistentModel)
  /// The context dropped all unsaved changes.
  case rolledBack
  /// The context is about to write its changes; afterwards it does not know them.
  case willSave
  /// The context saved its changes.
  case saved(SavedChanges)
  /// The context took in changes that other contexts saved.
  case merged(ChangedRows)
}

/// Every change of a context passes through here.
///
/// Autosave, undo and live results listen here. Without listeners, a change costs one comparison. Listeners run on the
/// thread of the change and may change the context themselves.
final class ChangeStream {
  private var listeners: [Listener] = []
  private var lastID = 0
  private(set) var hasListeners = false
  /// Whether a listener hears of the places of members; finding them costs a search or a comparison.
  private(set) var needsPlaces = false
  /// Whether a change is being sent; its values may be those before the change.
  private(set) var isSending = false
  /// Whether a change has met a listener whose owner is released.
  private var hasLostListeners = false
  /// Once there are this many listeners, the lost ones are removed.
  private var sweepThreshold = 16

  private struct Listener {
    let id: Int
    let isLost: () -> Bool
    let hear: (ContextChange) -> Void
    let hearBatch: (() -> Void)?
    let hearsPlaces: Bool
  }

  /// Whether a listener must hear of every changed object, so that no change may wait for the save to be made by SQL.
  var needsObjects: Bool { listeners.contains { $0.hearBatch == nil } }

  /// Passes a change to all listeners; without listeners the change value is not made.
  func send(_ change: @autoclosure () -> ContextChange) {
    guard hasListeners else { return }
    let change = change()
    let wasSending = isSending
    isSending = true
    for listener in listeners { listener.hear(change) }
    isSending = wasSending
    if hasLostListeners { removeLostListeners() }
  }

  /// Tells the listeners that a change by a predicate waits for the next save.
  func noteBatch() {
    for listener in listeners { listener.hearBatch?() }
  }

  /// Calls a closure for every change from now on.
  ///
  /// - Parameters:
  ///   - isLost: whether the listener's owner is released. Such listeners are removed now and then.
  ///   - hearBatch: called for a change by a predicate that waits for the save; without it, the context makes such changes
  ///     object by object.
  ///   - hearsPlaces: whether the listener needs ``ContextChange/replaced(_:property:_:)``, which is sent only then.
  /// - Returns: a number to give to ``removeListener(_:)``.
  @discardableResult
  func addListener(
    isLost: @escaping () -> Bool = { false }, hearBatch: (() -> Void)? = nil, hearsPlaces: Bool = false,
    _ hear: @escaping (ContextChange) -> Void
  ) -> Int {
    lastID += 1
    if listeners.count >= sweepThreshold { removeLostListeners() }
    listeners.append(
      Listener(id: lastID, isLost: isLost, hear: hear, hearBatch: hearBatch, hearsPlaces: hearsPlaces))
    noteListeners()
    return lastID
  }

  /// Notes that a listener cannot hear any more, because its owner is released.
  func noteLostListener() { hasLostListeners = true }

  private func removeLostListeners() {
    hasLostListeners = false
    listeners.removeAll { $0.isLost() }
    sweepThreshold = max(16, 2 * listeners.count)
    noteListeners()
  }

  /// The number of listeners, for tests.
  var listenerCount: Int { listeners.count }

  private func noteListeners() {
    hasListeners = !listeners.isEmpty
    needsPlaces = listeners.contains { $0.hearsPlaces }
  }

  func removeListener(_ id: Int) {
    listeners.removeAll { $0.id == id }
    noteListeners()
  }

  func removeAllListeners() {
    listeners = []
    noteListeners()
  }
}
