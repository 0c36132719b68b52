internal import Dispatch
internal import Foundation
internal import Logging
internal import StoreRequests
internal import Synchronization

/// Notices saves to the stores of a container, by its own contexts, other containers and other processes.
///
/// A fetch asks each store whether others have saved. A save of the container's own contexts has the next number unless others have
/// saved before it. While somebody listens, the engines also call when a store is written, and the container calls after each of its
/// own saves. Each burst of calls leads to a few checks. A check asks a store for the number of its last transaction: two short
/// queries.
final class RemoteChanges: Sendable {
  /// New transactions, after one check.
  struct Event: Sendable {
    /// The numbers of the last transactions before and after the event, by store index; only of stores with new ones.
    var ranges: [Int: (before: Int64, after: Int64)] = [:]
    /// The stores that were saved to, but keep no history.
    var storesWithoutHistory: Set<Int> = []
    /// The stores that could not be read before: what was saved to them is not known.
    var unreadStores: Set<Int> = []
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

  fileprivate struct State {
    var lastID = 0
    var listeners: [Int: @Sendable (Event) -> Void] = [:]
    /// The engines' watches, while there are listeners.
    var watches: [any Sendable & AnyObject] = []
    /// How far the stores were at the last check: all of them with listeners, otherwise those with marks.
    var known: [Int: Position] = [:]
    /// What the connections of each store told of others' saves before the last check, by store index; empty before
    /// ``RemoteChanges/begin()``.
    var marks: [[Int: Int64]] = []
    /// Whether the stores are watched.
    var isStarted = false
    /// The listener for which the watches are being made: it hears nothing of earlier saves.
    var starting: Int?
    /// The numbers of transactions that the container's contexts have saved and no check has met.
    var own: [Int: Set<Int64>] = [:]
    /// The stores without numbers that the container's contexts have saved to.
    var saved: Set<Int> = []
    var customSaves: [CustomSave] = []
    /// The next check, and its place in ``RemoteChanges/delays``.
    var next: (check: DispatchWorkItem, round: Int)?
  }

  /// How far a store was when it was last checked.
  fileprivate enum Position: Equatable, Sendable {
    case transaction(Int64)
    /// Of a store without history.
    case version(Int64)
  }

  let stores: [OpenStore]
  /// The engines of the stores that other processes can write, by store index.
  private let watchable: [(any WatchableEngine)?]
  private let state = Mutex(State())
  /// Held while the first positions are read, so that no context reads rows before.
  private let beginning = Mutex(())
  /// Held during a check, so that another one that comes meanwhile waits until the rows are delivered.
  private let checking = Mutex(())
  /// Passes the rows that others changed to the container's contexts.
  let deliver: @Sendable (ChangedRows) -> Void
  /// Each container has its own: a server that does not answer must not delay the events of other containers.
  private let queue = DispatchQueue(label: "SwiftData.RemoteChanges", qos: .utility)

  /// The times of checks after the last sign of a save.
  ///
  /// A writer makes a save visible a moment after its last write to the log, and no sign tells when. After an interrupted or
  /// slow writer, the last check finds it.
  private static let delays: [DispatchTimeInterval] = [
    .milliseconds(20), .milliseconds(100), .milliseconds(500), .seconds(2),
  ]

  init(_ stores: [OpenStore], deliver: @escaping @Sendable (ChangedRows) -> Void) {
    self.stores = stores
    watchable = stores.map { $0.engine as? any WatchableEngine }
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
      guard state.listeners.count == 1 else { return (state.lastID, false) }
      state.starting = state.lastID
      return (state.lastID, true)
    }
    if isFirst { start() }
    return Registration(self, id)
  }

  /// Whether engines watch their stores; for tests.
  var isWatching: Bool { state.withLock { !$0.watches.isEmpty } }

  /// The number of own saves that the next check has to tell from others' saves; for tests.
  var ownSavesToTell: Int { state.withLock { $0.own.reduce(0) { $0 + $1.value.count } } }

  /// Calls a closure on the queue of the events.
  func afterwards(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  private func start() {
    // Watched first, so that a save after the reading of the numbers leaves a sign.
    let watches = watchable.compactMap { $0?.watch { [weak self] in self?.signal() } }
    begin()
    let followed = state.withLock { Set($0.known.keys) }
    learnPositions { !followed.contains($0.index) }
    check(nil) { followed.contains($0.index) }
    state.withLock { state in
      state.starting = nil
      guard !state.listeners.isEmpty else { return }
      state.watches = watches
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
      state = state.withoutListeners
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
    let (isHeard, followsOthers) = state.withLock { state in
      let isHeard = !state.listeners.isEmpty
      for case (let store, let number?) in transactions { state.note(number, in: store) }
      guard isHeard else { return (false, transactions.keys.contains { state.own[$0]?.isEmpty == false }) }
      state.saved.formUnion(transactions.filter { $0.value == nil }.keys)
      state.customSaves += customSaves
      return (true, false)
    }
    if isHeard { signal() }
    if followsOthers { check(nil) { transactions.keys.contains($0.index) } }
  }

  /// Passes another container's save to a custom store to the contexts, and notes it for the listeners.
  ///
  /// - Parameters:
  ///   - changes: the changed objects; `nil` if all objects were removed at once.
  ///   - counted: the save for observers of the history, if it counts.
  func noteSaveElsewhere(_ changes: SavedChanges?, in store: OpenStore, _ counted: CustomSave?) {
    deliver(changes, of: store)
    let isHeard = state.withLock { state in
      guard !state.listeners.isEmpty else { return false }
      state.saved.insert(store.index)
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
    queue.asyncAfter(deadline: .now() + Self.delays[round], execute: check)
  }

  private func run(_ round: Int) {
    let isWanted = state.withLock { state in
      guard state.isStarted, state.next?.round == round else { return false }
      // A sign that comes during the check starts anew.
      state.next = nil
      if round + 1 < Self.delays.count { schedule(round + 1, &state) }
      return true
    }
    if isWanted { check(nil) { _ in true } }
  }

  // MARK: Checks

  /// Notes how far the stores with marks are, before the first context reads rows. Later calls have no effect.
  func begin() {
    guard !state.withLock(\.hasBegun) else { return }
    beginning.withLock { _ in
      guard !state.withLock(\.hasBegun) else { return }
      let marks = marks()
      learnPositions { marks[$0.index] != nil }
      state.withLock { $0.marks = marks.map { mark in mark.map { [$0.connection: $0.version] } ?? [:] } }
    }
  }

  /// Asks stores of unknown positions for them.
  private func learnPositions(of isWanted: (OpenStore) -> Bool) {
    let known = state.withLock { Set($0.known.keys) }
    let positions = positions { isWanted($0) && !known.contains($0.index) }
    state.withLock { $0.known.merge(positions) { old, _ in old } }
  }

  /// Passes what others have saved to the contexts, if the stores can tell at once that there is something.
  ///
  /// Cost: one pragma for each store in a file.
  func catchUp() {
    // A container of a migration's stage has not begun.
    guard state.withLock(\.hasBegun) else { return }
    let marks = marks()
    let isNew = state.withLock { state in stores.indices.map { state.isNew(marks[$0], of: $0) } }
    if isNew.contains(true) { check(marks) { isNew[$0.index] } }
  }

  private func marks() -> [OthersMark?] { watchable.map { $0?.markOfOthers() } }

  private func positions(where isWanted: (OpenStore) -> Bool) -> [Int: Position] {
    var positions: [Int: Position] = [:]
    for store in stores where isWanted(store) { positions[store.index] = position(of: store) }
    return positions
  }

  /// How far a store is; `nil` if it cannot be read, or does not tell.
  private func position(of store: OpenStore) -> Position? {
    do {
      if let engine = store.engine as? any HistoryEngine, let number = try engine.lastTransaction() {
        return .transaction(number)
      }
      return try watchable[store.index].map { .version(try $0.dataVersion()) }
    } catch {
      Logger(label: "SwiftData").error("Looking for new transactions of \(store.configuration.place): \(error)")
      return nil
    }
  }

  /// Passes what others have saved to some stores to the contexts, and tells the listeners of all saves.
  ///
  /// - Parameter marks: what the stores told before; `nil` if they were not asked.
  private func check(_ marks: [OthersMark?]?, of isWanted: (OpenStore) -> Bool) {
    // Read outside of the lock: a store in memory may be in use by a thread that waits for the lock.
    let positions = positions(where: isWanted)
    checking.withLock { _ in
      // Another thread may have passed it all on meanwhile.
      if let marks, !state.withLock({ state in positions.keys.contains { state.isNew(marks[$0], of: $0) } }) { return }
      examine(positions)
      guard let marks else { return }
      // A store that could not be read is asked again.
      state.withLock { state in for index in positions.keys { state.take(marks[index], of: index) } }
    }
  }

  private func examine(_ positions: [Int: Position]) {
    let (event, own, listeners) = state.withLock { state in
      var event = Event(storesWithoutHistory: state.saved)
      var own: [Int: Set<Int64>] = [:]
      for store in stores {
        guard let new = positions[store.index] else { continue }
        own[store.index] = state.take(new, of: store.index, &event)
      }
      for case (let index, .transaction(let number)) in state.known {
        event.numbers[stores[index].engine.identifier] = number
      }
      event.customSaves = state.customSaves
      state.customSaves = []
      state.saved = []
      let listeners = state.listeners.filter { $0.key != state.starting }.sorted { $0.key < $1.key }.map(\.value)
      return (event, own, listeners)
    }
    guard !event.ranges.isEmpty || !event.storesWithoutHistory.isEmpty || !event.unreadStores.isEmpty else { return }
    deliverForeignRows(event, own)
    // Events keep their order: each is queued during its check.
    if !listeners.isEmpty { queue.async { for hear in listeners { hear(event) } } }
  }
}

extension RemoteChanges.State {
  /// What stays known when the last listener goes.
  fileprivate var withoutListeners: Self {
    var rest = Self()
    rest.lastID = lastID
    rest.marks = marks
    rest.known = known.filter { isMarked($0.key) }
    rest.own = own.filter { isMarked($0.key) }
    return rest
  }

  private func isMarked(_ store: Int) -> Bool { hasBegun && !marks[store].isEmpty }

  fileprivate var hasBegun: Bool { !marks.isEmpty }

  /// Whether somebody has saved to a store since the last check, as far as the store can tell.
  fileprivate func isNew(_ mark: OthersMark?, of store: Int) -> Bool {
    guard let mark else { return false }
    return marks[store][mark.connection] != mark.version
  }

  fileprivate mutating func take(_ mark: OthersMark?, of store: Int) {
    if let mark { marks[store][mark.connection] = mark.version }
  }

  /// Takes over the position of a store, and adds what has happened to an event.
  ///
  /// - Returns: the numbers of own saves among the new transactions.
  fileprivate mutating func take(
    _ new: RemoteChanges.Position, of store: Int, _ event: inout RemoteChanges.Event
  ) -> Set<Int64> {
    let old = known.updateValue(new, forKey: store)
    let range: (before: Int64, after: Int64)
    switch (old, new) {
    case (.transaction(let before), .transaction(let number)):
      guard number > before else {
        // Another check may have read a later number.
        known[store] = old
        return []
      }
      range = (before, number)
    // A store without history has got one.
    case (.version, .transaction(let number)): range = (0, number)
    case (nil, _):
      event.unreadStores.insert(store)
      return []
    default:
      if old != new { event.storesWithoutHistory.insert(store) }
      return []
    }
    event.ranges[store] = range
    // A save may be noted after a check has met its transaction. The number then stands for no part of this range.
    let numbers = own[store] ?? []
    own[store] = numbers.filter { $0 > range.after }
    return numbers.filter { $0 > range.before && $0 <= range.after }
  }

  /// Notes the number of an own save, for the next check to tell it from others' saves.
  ///
  /// While nobody listens, a save that follows the known one needs no check.
  fileprivate mutating func note(_ number: Int64, in store: Int) {
    guard listeners.isEmpty else {
      own[store, default: []].insert(number)
      return
    }
    // A check may have met the save already.
    guard case .transaction(let last)? = known[store], number > last else { return }
    if number == last + 1, own[store]?.isEmpty != false {
      known[store] = .transaction(number)
    } else {
      own[store, default: []].insert(number)
    }
  }
}
