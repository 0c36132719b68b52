#if !canImport(Darwin)
  /// Actions that are undone together, and groups inside of them, in the order of registration.
  final class UndoGroup {
    var entries: [Entry] = []
    var name = ""
    var isDiscardable = false
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]

    enum Entry {
      case action(UndoAction)
      case group(UndoGroup)
    }

    /// Removes the actions of a target, and groups that have no actions without them.
    func removeActions(of target: AnyObject) {
      entries.removeAll { entry in
        switch entry {
        case .action(let action): return action.target === target || action.target == nil
        case .group(let group):
          group.removeActions(of: target)
          return group.entries.isEmpty
        }
      }
    }
  }

  /// A closure, and the object that it is called with.
  struct UndoAction {
    private(set) weak var target: AnyObject?
    private let body: (AnyObject) -> Void

    init(_ target: AnyObject, _ body: @escaping (AnyObject) -> Void) {
      self.target = target
      self.body = body
    }

    /// Calls the closure, unless the target is released.
    func perform() { target.map(body) }
  }
#endif
