/// A change inside a context, in the order in which changes happen.
enum ContextChange {
  /// An object entered the context, or came back from a deletion.
  case inserted(any PersistentModel)
  /// An object is deleted: by the next save, or at once if it was never saved.
  case deleted(any PersistentModel)
  /// A property is about to change, by an assignment or because its inverse changed.
  case willChange(any PersistentModel, property: Int)
  /// The context dropped all unsaved changes.
  case rolledBack
  /// The context saved its changes.
  case saved(SavedChanges)
  /// The context took in changes that other contexts saved.
  case merged
}

/// Every change of a context passes through here.
///
/// Autosave listens here; undo, live results and history will listen here, too. Without listeners, a change costs one
/// comparison. Listeners run on the thread of the change and may change the context themselves.
final class ChangeStream {
  private var listeners: [(id: Int, hear: (ContextChange) -> Void)] = []
  private var lastID = 0
  private(set) var hasListeners = false

  /// Passes a change to all listeners; without listeners the change value is not made.
  func send(_ change: @autoclosure () -> ContextChange) {
    guard hasListeners else { return }
    let change = change()
    for listener in listeners { listener.hear(change) }
  }

  /// Calls a closure for every change from now on.
  ///
  /// - Returns: a number to give to ``removeListener(_:)``.
  func addListener(_ hear: @escaping (ContextChange) -> Void) -> Int {
    lastID += 1
    listeners.append((lastID, hear))
    hasListeners = true
    return lastID
  }

  func removeListener(_ id: Int) {
    listeners.removeAll { $0.id == id }
    hasListeners = !listeners.isEmpty
  }

  func removeAllListeners() {
    listeners = []
    hasListeners = false
  }
}
