internal import Foundation
internal import StoreRequests

/// The record of a save over several stores, while the save runs; see ``RecoverableEngine``.
///
/// The record becomes durable with the first commit, and is removed after the last.
final class JointSaveRecording {
  private let identifier = UUID().uuidString
  private let container: ContainerCore
  /// The store that commits first, and keeps the record.
  private let first: OpenStore
  private let firstEngine: any RecoverableEngine
  /// The indexes of the stores that commit later.
  private let later: Set<Int>
  private var parts: [RecordedPart] = []

  /// Completes or reports earlier saves of killed processes. Returns `nil` if fewer than two stores outlive the process.
  ///
  /// - Parameter plans: in the order in which the stores are written, which is the reverse order of their commits.
  /// - Throws: ``SwiftDataError``
  init?(_ plans: [SavePlan], _ container: ContainerCore) throws {
    let plans = plans.filter {
      !$0.changes.isEmpty && ($0.store.engine as? any RecoverableEngine)?.isRecoverable == true
    }
    guard plans.count > 1, let first = plans.last?.store, let engine = first.engine as? any RecoverableEngine else {
      return nil
    }
    (self.first, firstEngine, self.container) = (first, engine, container)
    later = Set(plans.dropLast().map(\.store.index))
    try container.jointSaves.removeLeftRecords()
    container.jointSaves.complete(in: container.stores)
    for plan in plans.dropLast() {
      try plan.store.reporting { try ($0 as? any RecoverableEngine)?.allowJointSaves(with: engine.identifier) }
    }
  }

  /// The note of a store in its part of the save.
  func note(for store: OpenStore) -> JointSaveNote? {
    if store === first { return .record(identifier: identifier, RecordBytes.encode(parts)) }
    return later.contains(store.index) ? .part(identifier: identifier, recordedIn: first.engine.identifier) : nil
  }

  /// Records the part of a store that has written it, and commits later than the first one.
  func add(_ plan: SavePlan, _ result: SaveResult) throws {
    guard later.contains(plan.store.index) else { return }
    parts.append(
      try RecordedPart(
        of: plan.changes, result, deletedVersions: plan.deleted.map { $0._$state.version }, in: plan.store.engine,
        storeName: plan.store.configuration.debugDescription))
  }

  /// Removes the record. If that fails, it is removed before the next save.
  func end() {
    do { try firstEngine.removeJointSaveRecord(identifier) } catch {
      container.jointSaves.leave(identifier, in: first)
    }
  }
}
