internal import Dispatch
internal import Foundation
internal import Logging
internal import StoreRequests
internal import Synchronization

/// Notices saves to the stores of a container, by its own contexts, other containers and other processes.
///
/// Does nothing while nobody listens. With listeners, the engines call when a store is written, and the container calls after
/// saves of its own contexts. Each burst of calls leads to a few checks, each of which asks every store for the number of its
/// last transaction: two short queries.
final class RemoteChanges: Sendable {
  /// New transactions, after one check.
  struct Event: Sendable {
    /// The numbers of the last transactions before and after the event, by store index; only of stores with new ones.
    var ranges: [Int: (before: Int64, after: Int64)] = [:]
    /// The stores that were saved to, but keep no history.
    var storesWithoutHistory: Set<Int> = []
    /// The numbers of the last transactions of all stores, by store identifier.
    var numbers: [String: Int64] = [:]
    /// The saves to custom stores that keep histories of their own, in their order.
    var customSaves: [CustomSave] = []
  }

  /// A save to a custom store that told its position in its history, by any container of the process.
  struct CustomSave: Sendable {
    let store: Int
    /// `nil` if all objects were removed at once.
    let token: (any HistoryToken)?
    let author: String?
    /// The numbers of the changed objects' entities.
    let entities: Set<Int32>
  }

  /// Another container's save to a custom store.
  struct SaveElsewhere: Sendable {
    let store: Int
    /// The changed objects; `nil` if all objects were removed at once.
    let changes: SavedChanges?
  }

  private struct State {
    var lastID = 0
    var listeners: [Int: @Sendable (Event) -> Void] = [:]
    /// The engines' watches, while there are listeners.
    var watches: [any Sendable & AnyObject] = []
    var known: [Int: Position] = [:]
    /// Whether ``known`` is filled: no check comes before.
    var isStarted = false
    /// The numbers of transactions that the container's contexts have saved and no check has met.
    var own: [Int: Set<Int64>] = [:]
    /// The stores without numbers that the container's contexts have saved to.
    var saved: Set<Int> = []
    var customSaves: [CustomSave] = []
    /// What other containers have saved to custom stores, in its order.
    var savedElsewhere: [SaveElsewhere] = []
    /// The next check, and its place in ``RemoteChanges/delays``.
    var next: (check: DispatchWorkItem, round: Int)?
  }

  /// How far a store was when it was last checked.
  private enum Position: Equatable {
    case transaction(Int64)
    /// Of a store without history.
    case version(Int64)
  }

  private let stores: [OpenStore]
  private let state = Mutex(State())
  /// Passes the rows that others changed to the container's contexts.
  private let deliver: @Sendable (ChangedRows) -> Void
  private static let queue = DispatchQueue(label: "SwiftData.RemoteChanges", qos: .utility)

  /// The times of checks after the last sign of a save.
  ///
  /// A writer makes a save visible a moment after its last write to the log, and no sign tells when. After an interrupted or
  /// slow writer, the last check finds it.
  private static let delays: [DispatchTimeInterval] = [
    .milliseconds(20), .milliseconds(100), .milliseconds(500), .seconds(2),
  ]
  /// The largest number of changed rows that are passed to a context one by one.
  private static let rowLimit = 10_000

  init(_ stores: [OpenStore], deliver: @escaping @Sendable (ChangedRows) -> Void) {
    self.stores = stores
    self.deliver = deliver
  }

  // MARK: Listening

  /// A listener; it hears events until this object is released.
  final class Registration: Sendable {
    private let changes: RemoteChanges
    private let id: Int

    fileprivate init(_ changes: RemoteChanges, _ id: Int) {
      self.changes = changes
      self.id = id
    }

    deinit { changes.remove(id) }
  }

  /// Calls a closure on a private queue for each event from now on. The contexts have the changes by then.
  func listen(_ hear: @escaping @Sendable (Event) -> Void) -> Registration {
    let (id, isFirst) = state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = hear
      return (state.lastID, state.listeners.count == 1)
    }
    if isFirst { start() }
    return Registration(self, id)
  }

  /// Whether engines watch their stores; for tests.
  var isWatching: Bool { state.withLock { !$0.watches.isEmpty } }

  /// Calls a closure on the queue of the events.
  func afterwards(_ body: @escaping @Sendable () -> Void) { Self.queue.async(execute: body) }

  private func start() {
    // Watched first, so that a save after the reading of the numbers leaves a sign.
    let watches = stores.compactMap { store in
      (store.engine as? any WatchableEngine)?.watch { [weak self] in self?.signal() }
    }
    let known = positions()
    state.withLock { state in
      guard !state.listeners.isEmpty else { return }
      state.watches = watches
      state.known = known
      state.isStarted = true
    }
    // Signs that came too early led to no check.
    signal()
  }

  private func remove(_ id: Int) {
    // Released after the lock: a watch takes a lock of its own.
    let watches = state.withLock { state -> [any Sendable & AnyObject] in
      state.listeners[id] = nil
      guard state.listeners.isEmpty else { return [] }
      state.next?.check.cancel()
      let watches = state.watches
      let lastID = state.lastID
      state = State()
      state.lastID = lastID
      return watches
    }
    withExtendedLifetime(watches) {}
  }

  // MARK: Signs of saves

  /// Notes a save of one of the container's contexts, which the other contexts know already.
  ///
  /// - Parameters:
  ///   - transactions: the numbers of its transactions, by store index; `nil` for a store without numbers.
  ///   - customSaves: its parts in custom stores that told their positions.
  func noteOwnSave(_ transactions: [Int: Int64?], _ customSaves: [CustomSave] = []) {
    let isHeard = state.withLock { state in
      guard !state.listeners.isEmpty else { return false }
      for (store, number) in transactions {
        if let number { state.own[store, default: []].insert(number) } else { state.saved.insert(store) }
      }
      state.customSaves += customSaves
      return true
    }
    if isHeard { signal() }
  }

  /// Notes another container's save to a custom store, whose rows the container's contexts have not heard of.
  ///
  /// - Parameter counted: the save for observers of the history, if it counts.
  func noteSaveElsewhere(_ save: SaveElsewhere, _ counted: CustomSave?) {
    let isHeard = state.withLock { state in
      guard !state.listeners.isEmpty else { return false }
      state.saved.insert(save.store)
      state.savedElsewhere.append(save)
      if let counted { state.customSaves.append(counted) }
      return true
    }
    if isHeard { signal() }
  }

  /// Notes that a store may have been saved to.
  func signal() {
    state.withLock { state in
      guard state.isStarted, state.next?.round != 0 else { return }
      state.next?.check.cancel()
      schedule(0, &state)
    }
  }

  private func schedule(_ round: Int, _ state: inout State) {
    let check = DispatchWorkItem { [weak self] in self?.run(round) }
    state.next = (check, round)
    Self.queue.asyncAfter(deadline: .now() + Self.delays[round], execute: check)
  }

  private func run(_ round: Int) {
    let isWanted = state.withLock { state in
      guard state.isStarted, state.next?.round == round else { return false }
      // A sign that comes during the check starts anew.
      state.next = nil
      if round + 1 < Self.delays.count { schedule(round + 1, &state) }
      return true
    }
    if isWanted { check() }
  }

  // MARK: Checks

  private func positions() -> [Int: Position] {
    var positions: [Int: Position] = [:]
    for store in stores { positions[store.index] = position(of: store) }
    return positions
  }

  private func position(of store: OpenStore) -> Position? {
    do {
      if let engine = store.engine as? any HistoryEngine, let number = try engine.lastTransaction() {
        return .transaction(number)
      }
      if let engine = store.engine as? any WatchableEngine { return .version(try engine.dataVersion()) }
      return nil
    } catch {
      Logger(label: "SwiftData").error("Looking for new transactions of \(store.configuration.place): \(error)")
      return state.withLock { $0.known[store.index] }
    }
  }

  private func check() {
    let positions = positions()
    let (event, own, savedElsewhere, listeners) = state.withLock { state in
      var event = Event(storesWithoutHistory: state.saved)
      var own: [Int: Set<Int64>] = [:]
      for store in stores {
        guard let new = positions[store.index] else { continue }
        let old = state.known.updateValue(new, forKey: store.index)
        switch new {
        case .transaction(let number):
          event.numbers[store.engine.identifier] = number
          // A store without history has got one.
          let before = if case .transaction(let before)? = old { before } else { 0 as Int64 }
          guard number > before else { continue }
          event.ranges[store.index] = (before, number)
          // A save may be noted after a check has met its transaction. The number then stands for no part of this range.
          own[store.index] = state.own[store.index]?.filter { $0 > before && $0 <= number }
          state.own[store.index] = state.own[store.index]?.filter { $0 > number }
        case .version: if old != nil, old != new { event.storesWithoutHistory.insert(store.index) }
        }
      }
      event.customSaves = state.customSaves
      let savedElsewhere = state.savedElsewhere
      state.customSaves = []
      state.saved = []
      state.savedElsewhere = []
      return (event, own, savedElsewhere, Array(state.listeners.sorted { $0.key < $1.key }.map(\.value)))
    }
    guard !event.ranges.isEmpty || !event.storesWithoutHistory.isEmpty else { return }
    deliverForeignRows(event, own, savedElsewhere)
    for hear in listeners { hear(event) }
  }

  /// Passes the rows that others have changed to the contexts, which merge them as they merge one another's saves.
  private func deliverForeignRows(_ event: Event, _ own: [Int: Set<Int64>], _ savedElsewhere: [SaveElsewhere]) {
    var rows = ChangedRows()
    for (index, range) in event.ranges {
      let store = stores[index]
      guard let engine = store.engine as? any HistoryEngine else { continue }
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
    for save in savedElsewhere where rows.isComplete { collect(save, stores[save.store], &rows) }
    if !rows.isEmpty { deliver(rows) }
  }

  /// Adds the rows of a save to a custom store. Each container has keys of its own for them, found by their identifiers.
  private func collect(_ save: SaveElsewhere, _ store: OpenStore, _ rows: inout ChangedRows) {
    guard let changes = save.changes else { return rows.isComplete = false }
    func note(_ kind: ChangedRows.Kind, _ identifiers: [PersistentIdentifier]) {
      for identifier in identifiers {
        guard let object = store.object(of: identifier) else { continue }
        let tag = EntityTag.make(store: store.index, entity: object.entity)
        rows.note(kind, of: ObjectKey(entity: tag, key: object.key))
      }
    }
    // A new object may have the identifier of a deleted one.
    note(.deletion, changes.deleted)
    note(.insertion, changes.inserted)
    note(.update, changes.updated + changes.refreshed + changes.returned)
    for ownership in changes.exclusiveOwners { rows.exclusiveOwners.formUnion(ownership.counterparts(in: store)) }
    if rows.count > Self.rowLimit { rows.isComplete = false }
  }

  private func collect(
    from engine: any HistoryEngine, _ range: (before: Int64, after: Int64), except own: Set<Int64>, _ store: OpenStore,
    _ rows: inout ChangedRows
  ) throws {
    var request = HistoryRequest(after: range.before)
    request.through = range.after
    let history: any HistoryRows = try engine.history(request)
    defer { history.close() }
    while let transaction = try history.next() {
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
      guard rows.count <= Self.rowLimit else {
        rows.isComplete = false
        return
      }
    }
  }
}
