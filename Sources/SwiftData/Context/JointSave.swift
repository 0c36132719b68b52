internal import StoreRequests

/// Writes the plans of a save: all stores, or none as long as no commit has failed.
///
/// The save of each store contains the save of the next store, and commits after it. Stores on this machine come first, ordered by
/// identifier, so that two programs never wait for each other's locks. Remote stores follow, and commit before them. Stores without
/// transactions of ours are innermost: the failure of such a store undoes all stores but those of its kind that were saved before.
final class JointSave {
  /// The saved stores, in the order of their commits.
  private(set) var written: [(plan: SavePlan, result: SaveResult)] = []
  /// The store that failed first.
  private(set) var failed: OpenStore?

  /// Whether a commit on this machine failed after another store's commit. It is undone, and may be tried again.
  var canContinue: Bool {
    !written.isEmpty && (failed?.engine as? any TransactionalEngine)?.commitsRemotely == false
  }

  /// - Throws: the error of the store that failed; ``written`` then has the stores that are saved all the same.
  func run(_ plans: [SavePlan]) throws {
    guard plans.count > 1 else {
      for plan in plans { try save(plan) { try $0.save(plan.changes) } }
      return
    }
    let kinds = Dictionary(grouping: plans) { ($0.store.engine as? any TransactionalEngine)?.commitsRemotely }
    func ordered(_ plans: [SavePlan]?) -> [SavePlan] {
      (plans ?? []).sorted { $0.store.engine.identifier < $1.store.engine.identifier }
    }
    try run((ordered(kinds[false]) + ordered(kinds[true]) + (kinds[nil] ?? []))[...])
  }

  private func run(_ plans: ArraySlice<SavePlan>) throws {
    guard let plan = plans.first else { return }
    let others = plans.dropFirst()
    guard let engine = plan.store.engine as? any TransactionalEngine else {
      try save(plan) { try $0.save(plan.changes) }
      return try run(others)
    }
    try save(plan) { _ in try engine.save(plan.changes) { try run(others) } }
  }

  private func save(_ plan: SavePlan, _ body: (any StoreEngine) throws -> SaveResult) throws {
    do {
      written.append((plan, try plan.store.reporting(body)))
    } catch {
      failed = failed ?? plan.store
      throw error
    }
  }
}
