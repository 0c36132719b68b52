internal import Foundation
internal import Logging
internal import StoreRequests

// The delivery of others' saves to the contexts.
extension RemoteChanges {
  /// The largest number of changed rows that are passed to a context one by one.
  private static let rowLimit = 10_000

  /// Passes the rows that others have changed to the contexts, which merge them as they merge one another's saves.
  func deliverForeignRows(_ event: Event, _ own: [Int: Set<Int64>]) {
    var rows = ChangedRows()
    if !event.unreadStores.isEmpty { rows.isComplete = false }
    for (index, range) in event.ranges {
      let store = stores[index]
      // Nobody else writes to a store in memory, whose reader may wait for this delivery.
      guard let engine = store.engine as? any HistoryEngine, engine.capabilities.contains(.readWhileSaving) else {
        continue
      }
      // The usual case: only this container's contexts have saved.
      if let own = own[index], own.count == range.after - range.before { continue }
      do {
        try collect(from: engine, range, except: own[index] ?? [], store, &rows)
      } catch {
        Logger(label: "SwiftData").error("Reading new transactions of \(store.configuration.place): \(error)")
        rows.isComplete = false
      }
    }
    // The changed rows of a store without history are unknown, except for the saves of the container's own contexts.
    for index in event.storesWithoutHistory where stores[index].engine is any WatchableEngine {
      rows.isComplete = false
    }
    if !rows.isEmpty { deliver(rows) }
  }

  /// Passes another container's save to a custom store to the contexts.
  ///
  /// Each container has keys of its own for the rows, found by their identifiers.
  ///
  /// - Parameter changes: `nil` if all objects were removed at once.
  func deliver(_ changes: SavedChanges?, of store: OpenStore) {
    var rows = ChangedRows()
    func note(_ kind: ChangedRows.Kind, _ identifiers: [PersistentIdentifier]) {
      for identifier in identifiers {
        guard let object = store.object(of: identifier) else { continue }
        let tag = EntityTag.make(store: store.index, entity: object.entity)
        rows.note(kind, of: ObjectKey(entity: tag, key: object.key))
      }
    }
    if let changes {
      // A new object may have the identifier of a deleted one.
      note(.deletion, changes.deleted)
      note(.insertion, changes.inserted)
      note(.update, changes.updated + changes.refreshed + changes.returned)
      for ownership in changes.exclusiveOwners { rows.exclusiveOwners.formUnion(ownership.counterparts(in: store)) }
    }
    if changes == nil || rows.count > Self.rowLimit { rows.isComplete = false }
    if !rows.isEmpty { deliver(rows) }
  }

  private func collect(
    from engine: any HistoryEngine, _ range: (before: Int64, after: Int64), except own: Set<Int64>, _ store: OpenStore,
    _ rows: inout ChangedRows
  ) throws {
    var request = HistoryRequest(after: range.before)
    request.through = range.after
    let history: any HistoryRows = try engine.history(request)
    defer { history.close() }
    while rows.count <= Self.rowLimit, let transaction = try history.next() {
      if own.contains(transaction.number) { continue }
      while let change = try history.nextChange() {
        let row = ObjectKey(
          entity: EntityTag.make(store: store.index, entity: change.object.entity), key: change.object.key)
        switch change.kind {
        case .insert: rows.note(.insertion, of: row)
        case .update: rows.note(.update, of: row)
        case .delete: rows.note(.deletion, of: row)
        }
      }
    }
    // Transactions may have been deleted before they were read.
    let (first, gap) = (try engine.firstTransaction() ?? .max, try engine.historyGap() ?? 0)
    if rows.count > Self.rowLimit || range.before + 1 < first || range.before < gap { rows.isComplete = false }
  }
}
