internal import StoreRequests

/// Writes the plans of a save: all stores or none, unless a commit fails after another one.
///
/// The save of each store contains the save of the next store, and commits after it. Stores on this machine come first, ordered by
/// identifier, so that two programs never wait for each other's locks. Remote stores follow, and commit before them. Last come the
/// stores that have no transactions of ours. If one of them fails, all stores are rolled back, except the stores of this last kind that
/// were saved before.
final class JointSave {
  /// The saved stores, in the order of their commits.
  private(set) var written: [(plan: SavePlan, result: SaveResult)] = []
  /// The store that failed first.
  private(set) var failed: OpenStore?
  /// Its error, which reaches the program as it is: other stores' saves surround that of the store.
  private var cause: (any Error)?

  /// Whether a commit on this machine failed after another store's commit. It is undone, and may be tried again.
  var canContinue: Bool {
    !written.isEmpty && (failed?.engine as? any TransactionalEngine)?.commitsRemotely == false
  }

  /// Lets a later process complete the save if this one is killed between two commits; `nil` if fewer than two stores outlive it.
  private var recording: JointSaveRecording?

  /// - Throws: the error of the store that failed; ``written`` then has the stores that are saved all the same.
  func run(_ plans: [SavePlan], of container: ContainerCore) throws {
    guard plans.count > 1 else {
      for plan in plans { try save(plan) { try $0.save(plan.changes) } }
      return
    }
    let kinds = Dictionary(grouping: plans) { ($0.store.engine as? any TransactionalEngine)?.commitsRemotely }
    func ordered(_ plans: [SavePlan]?) -> [SavePlan] {
      (plans ?? []).sorted { $0.store.engine.identifier < $1.store.engine.identifier }
    }
    let local = ordered(kinds[false])
    recording = try JointSaveRecording(local, container)
    let result = Result { try run((local + ordered(kinds[true]) + (kinds[nil] ?? []))[...]) }
    // After a failure, the unsaved changes stay in the context, so no other process may complete them from the record.
    recording?.end()
    try result.get()
  }

  private func run(_ plans: ArraySlice<SavePlan>) throws {
    guard let plan = plans.first else { return }
    let others = plans.dropFirst()
    guard let engine = plan.store.engine as? any TransactionalEngine else {
      try save(plan) { try $0.save(plan.changes) }
      return try run(others)
    }
    func next(_ result: SaveResult) throws {
      try recording?.add(plan, result)
      try run(others)
    }
    try save(plan) { _ in
      guard let note = recording?.note(for: plan.store), let engine = engine as? any RecoverableEngine else {
        return try engine.save(plan.changes, beforeCommit: next)
      }
      return try engine.save(plan.changes, note: note, beforeCommit: next)
    }
  }

  private func save(_ plan: SavePlan, _ body: (any StoreEngine) throws -> SaveResult) throws {
    do {
      written.append((plan, try plan.store.reporting(body)))
    } catch {
      failed = failed ?? plan.store
      let first = cause ?? error
      cause = first
      throw first
    }
  }
}
