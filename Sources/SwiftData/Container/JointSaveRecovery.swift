internal import Logging
internal import StoreRequests
internal import Synchronization

/// Completes saves over several stores if the saving process was killed after some of the commits.
///
/// A part is made again like any save: with the versions of rows that the killed process has seen, or not at all.
final class JointSaveRecovery: Sendable {
  private struct State {
    var unfinished: [UnfinishedSave] = []
    /// Records of saves that have ended, but could not be removed.
    var left: [(identifier: String, store: OpenStore)] = []
  }

  private let state = Mutex(State())

  var unfinished: [UnfinishedSave] { state.withLock { $0.unfinished } }

  func leave(_ identifier: String, in store: OpenStore) { state.withLock { $0.left.append((identifier, store)) } }

  /// - Throws: ``SwiftDataError`` if a record still cannot be removed: its changes would be made twice one day.
  func removeLeftRecords() throws {
    while let (identifier, store) = state.withLock({ $0.left.last }) {
      try store.reporting { try ($0 as? any RecoverableEngine)?.removeJointSaveRecord(identifier) }
      state.withLock { $0.left.removeAll { $0.identifier == identifier } }
    }
  }

  /// Makes all recorded parts again that stores lack. Cost: without a record, one short query for each store.
  func complete(in stores: [OpenStore]) {
    guard stores.count > 1 else { return }
    var unfinished: [UnfinishedSave] = []
    for store in stores {
      guard let engine = store.engine as? any RecoverableEngine else { continue }
      do {
        for record in try engine.jointSaveRecords() { unfinished += complete(record, of: store, engine, among: stores) }
      } catch {
        Logger(label: "SwiftData").error(
          "Looking for unfinished saves of \(store.configuration.debugDescription): \(error)")
      }
    }
    let known = state.withLock { state in
      defer { state.unfinished = unfinished }
      return state.unfinished
    }
    for save in unfinished where !known.contains(save) { Logger(label: "SwiftData").error("\(save)") }
  }

  /// - Returns: the parts that could not be made again.
  private func complete(
    _ record: JointSaveRecord, of store: OpenStore, _ engine: any RecoverableEngine, among stores: [OpenStore]
  ) -> [UnfinishedSave] {
    func unfinished(_ name: String, _ reason: String) -> UnfinishedSave {
      UnfinishedSave(
        record: record.identifier, recordStore: engine.identifier, savedStore: store.configuration.debugDescription,
        transaction: record.transaction, unsavedStore: name, reason: reason)
    }
    guard let parts = try? RecordBytes.decode([RecordedPart].self, from: record.data) else {
      return [unfinished("another store", "the record of the save is damaged")]
    }
    var problems: [UnfinishedSave] = []
    var isComplete = true
    for part in parts {
      guard let target = stores.first(where: { $0.engine.identifier == part.store && $0 !== store }),
        let targetEngine = target.engine as? any RecoverableEngine
      else {
        // A container that has the store will find the record.
        isComplete = false
        continue
      }
      do {
        let note = JointSaveNote.part(identifier: record.identifier, recordedIn: engine.identifier)
        _ = try targetEngine.save(try part.changes(in: target.engine.entities), note: note) { _ in }
        Logger(label: "SwiftData").notice(
          """
          Completed a save of \(store.configuration.debugDescription) and \(target.configuration.debugDescription): a process was killed \
          after the first of them was saved.
          """)
      } catch JointSaveNote.Refusal.isWritten {
        continue
      } catch {
        problems.append(unfinished(target.configuration.debugDescription, Self.reason(error)))
      }
    }
    if isComplete, problems.isEmpty {
      do { try engine.removeJointSaveRecord(record.identifier) } catch {
        // The stores know that they have their parts; the next opening tries again.
        Logger(label: "SwiftData").warning("Removing the record of a complete save: \(error)")
      }
    }
    return problems
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case RecordedPart.Obstacle.batches: "the save changed rows by a predicate, which cannot be repeated"
    case RecordedPart.Obstacle.changedEntity(let name): "entity \"\(name)\" is not as it was"
    case RecordedPart.Obstacle.invalid: "the record of the save does not fit the store"
    case JointSaveNote.Refusal.unknownStore: "the two stores were never saved together"
    default: "\(error)"
    }
  }

  /// Removes the record of a save.
  func discard(_ save: UnfinishedSave, from stores: [OpenStore]) throws {
    guard let store = stores.first(where: { $0.engine.identifier == save.recordStore }) else { return }
    try store.reporting { try ($0 as? any RecoverableEngine)?.removeJointSaveRecord(save.record) }
    state.withLock { $0.unfinished.removeAll { $0.record == save.record && $0.recordStore == save.recordStore } }
  }
}
