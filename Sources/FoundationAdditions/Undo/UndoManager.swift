#if !canImport(Darwin)
  public import Foundation
  internal import Logging

  /// Records actions that undo changes, and performs them; Foundation's `UndoManager`, which Linux lacks.
  ///
  ///     let manager = UndoManager()
  ///     manager.registerUndo(withTarget: document) { $0.title = "old" }
  ///     manager.setActionName("Rename")
  ///     manager.undo()
  ///
  /// A context of SwiftData that has an undo manager registers its own changes. Actions are collected in
  /// groups, and one ``undo()`` performs one group. What is registered while an action is undone becomes the action of
  /// ``redo()``.
  ///
  /// Foundation ends an event's group with a pass of the run loop. There is no run loop here: see ``groupsByEvent``.
  /// Wrong nesting, which makes Foundation end the program, is logged and does nothing. An undo manager belongs to one
  /// thread or actor at a time, as its contexts do. Apple: `UndoManager`.
  open class UndoManager {
    /// Groups that are undone by ``undo()``, the latest last.
    private(set) var undoGroups: [UndoGroup] = []
    private(set) var redoGroups: [UndoGroup] = []
    /// Groups that are open, each inside of the one before it.
    private var openGroups: [UndoGroup] = []
    /// Whether the outermost open group was opened for an event.
    private var isEventOpen = false
    private var activity = Activity.none
    private var disabledCount = 0
    private var participants: [WeakParticipant] = []

    private enum Activity { case none, undoing, redoing }

    private struct WeakParticipant {
      weak var participant: (any UndoParticipant)?
    }

    /// Makes a manager without any action.
    public init() {}

    // MARK: Settings

    /// The largest number of groups to undo, and to redo; 0, the default, for no limit. The oldest groups are dropped.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }

    /// Whether the first action of an event opens a group that ends with the event; `true` by default.
    ///
    /// There is no run loop whose pass would be an event. An event ends
    ///
    /// - with the next turn of the main queue, if its first action is registered on the main thread,
    /// - with the next turn of the actor of a context that has this manager,
    /// - with ``undo()``, and with `processPendingChanges()` or a save of such a context.
    ///
    /// If it is `false`, an action outside of any group is a group of its own.
    open var groupsByEvent = true

    /// The run loop modes in which an event ends; without effect, since no run loop ends it. The default mode alone by default.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// Whether actions are recorded, see ``disableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Records no actions until the matching ``enableUndoRegistration()``; calls may be nested.
    open func disableUndoRegistration() {
      checkpoint()
      disabledCount += 1
    }

    /// Ends the last ``disableUndoRegistration()``.
    open func enableUndoRegistration() {
      guard disabledCount > 0 else { return complain("enableUndoRegistration() without disableUndoRegistration()") }
      checkpoint()
      disabledCount -= 1
    }

    // MARK: Registering

    /// Records an action: a closure that is called with the target.
    ///
    /// The manager does not retain the target; the action of a released target does nothing. A new action removes all
    /// actions to redo.
    public func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      let opensGroup = openGroups.isEmpty
      if opensGroup { groupsByEvent ? beginEvent() : openGroup() }
      openGroups.last?.entries.append(
        .action(UndoAction(target) { target in if let target = target as? TargetType { handler(target) } }))
      if activity == .none { redoGroups = [] }
      if opensGroup, !groupsByEvent { closeGroup() }
    }

    // MARK: Groups

    /// The number of open groups.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group, inside of the group that is open.
    open func beginUndoGrouping() {
      checkpoint()
      openGroup()
    }

    /// Closes the group that was opened last. An empty group is dropped.
    open func endUndoGrouping() {
      guard openGroups.count > (activity == .none ? 0 : 1) else {
        return complain("endUndoGrouping() without beginUndoGrouping()")
      }
      checkpoint()
      closeGroup()
    }

    private func openGroup() {
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func closeGroup() {
      guard let group = openGroups.last else { return }
      let information: [AnyHashable: Any]? = group.isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
      post(.NSUndoManagerWillCloseUndoGroup, information)
      openGroups.removeLast()
      if openGroups.isEmpty { isEventOpen = false }
      if !group.entries.isEmpty {
        if let outer = openGroups.last {
          outer.entries.append(.group(group))
        } else {
          undoGroups.append(group)
          trim()
        }
      }
      post(.NSUndoManagerDidCloseUndoGroup, information)
    }

    private func beginEvent() {
      isEventOpen = true
      openGroup()
      guard Thread.isMainThread else { return }
      nonisolated(unsafe) weak let manager = self
      Task { @MainActor in manager?.endEvent() }
    }

    /// Closes the group of an event, unless a group inside of it is open.
    package func endEvent() {
      if isEventOpen, openGroups.count == 1, activity == .none { endUndoGrouping() }
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoGroups.removeFirst(max(0, undoGroups.count - levelsOfUndo))
      redoGroups.removeFirst(max(0, redoGroups.count - levelsOfUndo))
    }

    // MARK: Undoing

    /// Whether there is an action to undo.
    open var canUndo: Bool { !undoGroups.isEmpty || canUndoOpenGroup }

    /// Whether there is an action to redo.
    open var canRedo: Bool {
      checkpoint()
      return !redoGroups.isEmpty
    }

    /// The number of groups to undo.
    open var undoCount: Int { undoGroups.count + (activity == .none && canUndoOpenGroup ? 1 : 0) }

    /// The number of groups to redo.
    open var redoCount: Int { redoGroups.count }

    private var canUndoOpenGroup: Bool { openGroups.contains { !$0.entries.isEmpty } }

    /// Whether an action is being undone.
    open var isUndoing: Bool { activity == .undoing }

    /// Whether an action is being redone.
    open var isRedoing: Bool { activity == .redoing }

    /// Closes the outermost group if it is open, and undoes the latest group.
    open func undo() {
      guard activity == .none else { return complain("undo() inside of an undo or a redo") }
      checkpoint()
      if openGroups.count == 1 { closeGroup() }
      guard openGroups.isEmpty else { return complain("undo() with \(openGroups.count) open groups") }
      undoNestedGroup()
    }

    /// Undoes the group that was closed last, inside of the open group if there is one.
    open func undoNestedGroup() {
      guard activity == .none else { return complain("undoNestedGroup() inside of an undo or a redo") }
      checkpoint()
      let latest: UndoGroup?
      if let outer = openGroups.last {
        guard case .group(let group)? = outer.entries.last else {
          return complain("undoNestedGroup() with actions after the last closed group")
        }
        outer.entries.removeLast()
        latest = group
      } else {
        latest = undoGroups.popLast()
      }
      guard let latest else { return }
      post(.NSUndoManagerWillUndoChange)
      if let inverse = perform(latest, as: .undoing) { redoGroups.append(inverse) }
      trim()
      post(.NSUndoManagerDidUndoChange)
    }

    /// Performs the last undone group again.
    open func redo() {
      guard activity == .none else { return complain("redo() inside of an undo or a redo") }
      checkpoint()
      guard openGroups.isEmpty else { return complain("redo() with \(openGroups.count) open groups") }
      guard let latest = redoGroups.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      if let inverse = perform(latest, as: .redoing) { undoGroups.append(inverse) }
      trim()
      post(.NSUndoManagerDidRedoChange)
    }

    /// Performs the actions of a group, the latest first.
    ///
    /// - Returns: the actions registered meanwhile, which reverse the group; `nil` if there are none.
    private func perform(_ group: UndoGroup, as activity: Activity) -> UndoGroup? {
      let inverse = UndoGroup()
      inverse.name = group.name
      inverse.isDiscardable = group.isDiscardable
      inverse.userInfo = group.userInfo
      let outer = openGroups
      openGroups = [inverse]
      self.activity = activity
      run(group)
      while openGroups.count > 1 { closeGroup() }
      openGroups = outer
      self.activity = .none
      return inverse.entries.isEmpty ? nil : inverse
    }

    private func run(_ group: UndoGroup) {
      for entry in group.entries.reversed() {
        switch entry {
        case .action(let action): action.perform()
        case .group(let group):
          openGroup()
          run(group)
          closeGroup()
        }
      }
    }

    // MARK: Removing

    /// Drops all actions, and records actions again if that was disabled.
    open func removeAllActions() {
      undoGroups = []
      redoGroups = []
      for group in openGroups { group.entries = [] }
      disabledCount = 0
      forEachParticipant { $0.actionsWereRemoved() }
    }

    /// Drops the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      for group in undoGroups + redoGroups + openGroups { group.removeActions(of: target) }
      undoGroups.removeAll { $0.entries.isEmpty }
      redoGroups.removeAll { $0.entries.isEmpty }
      forEachParticipant { $0.actionsWereRemoved() }
    }

    // MARK: Names

    /// The name of the action that ``undo()`` undoes; empty if it has none.
    open var undoActionName: String { groupToUndo?.name ?? "" }

    /// The name of the action that ``redo()`` performs again; empty if it has none.
    open var redoActionName: String { redoGroups.last?.name ?? "" }

    /// Names the action of the open group, or of the group that was closed last.
    open func setActionName(_ actionName: String) { (openGroups.first ?? undoGroups.last)?.name = actionName }

    /// "Undo", with the action's name.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// "Redo", with the action's name.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// "Undo", with a name unless it is empty. Override it to translate it.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// "Redo", with a name unless it is empty. Override it to translate it.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private var groupToUndo: UndoGroup? {
      if let open = openGroups.first, activity == .none, canUndoOpenGroup { return open }
      return undoGroups.last
    }

    // MARK: Properties of groups

    /// Says whether the open group, or the group closed last, can be lost without asking the user.
    open func setActionIsDiscardable(_ discardable: Bool) {
      (openGroups.last ?? undoGroups.last)?.isDiscardable = discardable
    }

    /// Whether the action that ``undo()`` undoes can be lost without asking the user.
    open var undoActionIsDiscardable: Bool { groupToUndo?.isDiscardable ?? false }

    /// Whether the action that ``redo()`` performs again can be lost without asking the user.
    open var redoActionIsDiscardable: Bool { redoGroups.last?.isDiscardable ?? false }

    /// Keeps a value with the open group, or with the group closed last.
    open func setActionUserInfoValue(_ value: Any?, forKey key: UserInfoKey) {
      (openGroups.last ?? undoGroups.last)?.userInfo[key] = value
    }

    /// A value kept with the action that ``undo()`` undoes.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { groupToUndo?.userInfo[key] }

    /// A value kept with the action that ``redo()`` performs again.
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { redoGroups.last?.userInfo[key] }

    /// The name of a value that is kept with a group.
    public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
      /// The name.
      public let rawValue: String

      /// Makes a key.
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    // MARK: Participants

    /// Tells a participant about the ends of groups.
    package func add(_ participant: any UndoParticipant) {
      participants.removeAll { $0.participant == nil }
      participants.append(WeakParticipant(participant: participant))
    }

    package func remove(_ participant: any UndoParticipant) {
      participants.removeAll { $0.participant == nil || $0.participant === participant }
      removeAllActions(withTarget: participant)
    }

    private func forEachParticipant(_ body: (any UndoParticipant) -> Void) {
      for participant in participants { participant.participant.map(body) }
    }

    private func checkpoint() {
      forEachParticipant { $0.completeAction() }
      post(.NSUndoManagerCheckpoint)
    }

    private func post(_ name: Notification.Name, _ information: [AnyHashable: Any]? = nil) {
      NotificationCenter.default.post(name: name, object: self, userInfo: information)
    }

    private func complain(_ problem: String) {
      Logger(label: "FoundationAdditions").error("UndoManager: \(problem) does nothing.")
    }
  }

  /// Takes part in an undo manager's groups: a context, whose changes of one group are one action.
  package protocol UndoParticipant: AnyObject {
    /// A group is opened or closed, or an action is undone: further changes belong to another action.
    func completeAction()
    /// Actions were removed, perhaps the action that is being recorded.
    func actionsWereRemoved()
  }
#endif
