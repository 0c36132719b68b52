internal import Foundation
internal import StoreRequests

/// Finds out whether a container's stores have new transactions that matter.
struct HistoryFilter: Sendable {
  private let histories: [(store: OpenStore, engine: any HistoryEngine)]
  private let customHistories: [(store: OpenStore, engine: any HistoryProvidingEngine)]
  /// The entities whose changes matter, by store index; `nil` for all.
  private let entities: [Int: Set<Int32>]?
  private let authors: Set<String>

  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store keeps a history;
  ///   ``SwiftDataError/unknownSchema`` for a class that is not in the schema.
  init(_ container: ContainerCore, _ models: [any PersistentModel.Type], _ authors: Set<String>) throws {
    histories = container.stores.compactMap { store in
      (store.engine as? any HistoryEngine).map { (store, $0) }
    }
    customHistories = container.stores.compactMap { store in
      guard let engine = store.engine as? any HistoryProvidingEngine, engine.usingHistory({ _ in true }) == true else {
        return nil
      }
      return (store, engine)
    }
    guard !histories.isEmpty || !customHistories.isEmpty else {
      throw SwiftDataError(
        .invalidTransactionFetchRequest, "No store of the container keeps a history, so nothing can be observed.")
    }
    self.authors = authors
    guard !models.isEmpty else {
      entities = nil
      return
    }
    var entities: [Int: Set<Int32>] = [:]
    for binding in try models.flatMap({ try container.existingBindings(of: $0) }) {
      let store = EntityTag.store(binding.tag)
      let kinds = container.stores[store].engine.entities.entity(named: binding.name)?.kindNumbers ?? []
      entities[store, default: []].formUnion(kinds)
    }
    self.entities = entities
  }

  /// The numbers of tokens, or of the stores' last transactions, by store index.
  ///
  /// - Parameter tokens: by store identifier.
  func positions(_ tokens: [String: any HistoryToken]?) throws -> [Int: Int64] {
    var positions: [Int: Int64] = [:]
    for (store, engine) in histories {
      if let token = tokens?[engine.identifier] as? DefaultHistoryToken {
        positions[store.index] = token.numbers[engine.identifier] ?? 0
      } else {
        positions[store.index] = try last(store, engine)
      }
    }
    return positions
  }

  /// Whether a transaction after some positions matters, and the positions of the last transactions. Transactions that are deleted already may
  /// have mattered.
  ///
  /// Cost: two short queries per store, and three more if there are new transactions, which ends at the first that matters.
  func examine(after positions: [Int: Int64]) throws -> (matters: Bool, now: [Int: Int64]) {
    var now = positions
    var matters = false
    for (store, engine) in histories {
      let last = try last(store, engine)
      let position = positions[store.index] ?? 0
      guard last > position else { continue }
      now[store.index] = last
      if !matters {
        let (first, gap) = try store.reporting { _ in (try engine.firstTransaction(), try engine.historyGap() ?? 0) }
        matters = position < gap || position + 1 < first ?? .max
      }
      if !matters { matters = try self.matters(store, engine, after: position, through: last) }
    }
    return (matters, now)
  }

  /// Whether a save to a custom store matters, and is not among the transactions that were examined before.
  ///
  /// - Parameter positions: the last examined positions, by store index. A store that was erased may begin its history anew.
  func matters(_ save: RemoteChanges.CustomSave, after positions: inout [Int: any HistoryToken]) -> Bool {
    if let token = save.token {
      if let examined = positions[save.store], !isLater(token, than: examined) { return false }
    } else {
      positions[save.store] = nil
    }
    return isWanted(save.author, save.entities, in: save.store)
  }

  private func isLater<Token: HistoryToken>(_ token: Token, than other: any HistoryToken) -> Bool {
    (other as? Token).map { token > $0 } ?? true
  }

  /// Whether custom stores have transactions after some positions that matter, and the positions of the last transactions, by store index.
  ///
  /// Cost: each of these stores reads its whole history.
  /// - Parameter tokens: by store identifier.
  func examineCustomHistories(
    after tokens: [String: any HistoryToken]
  ) throws -> (matters: Bool, now: [Int: any HistoryToken]) {
    var now: [Int: any HistoryToken] = [:]
    var matters = false
    for (store, engine) in customHistories {
      guard let token = tokens[engine.identifier] else { continue }
      let found = try store.reporting { _ in
        try engine.examine(after: token) { author, changed in
          isWanted(author, Set(changed.compactMap { store.object(of: $0)?.entity }), in: store.index)
        }
      }
      now[store.index] = found?.last
      if found?.isWanted == true { matters = true }
    }
    return (matters, now)
  }

  private func isWanted(_ author: String?, _ changed: Set<Int32>, in store: Int) -> Bool {
    if let entities, entities[store]?.isDisjoint(with: changed) != false { return false }
    return authors.isEmpty || author.map(authors.contains) == true
  }

  private func last(_ store: OpenStore, _ engine: any HistoryEngine) throws -> Int64 {
    try store.reporting { _ in try engine.lastTransaction() ?? 0 }
  }

  private func matters(
    _ store: OpenStore, _ engine: any HistoryEngine, after position: Int64, through last: Int64
  ) throws -> Bool {
    var request = HistoryRequest(after: position)
    request.through = last
    if let entities {
      guard let own = entities[store.index] else { return false }
      request.entities = own
    }
    if authors.count == 1 { request.author = .equal(authors.first) }
    if authors.count < 2 { request.limit = 1 }
    return try store.reporting { _ in
      let history: any HistoryRows = try engine.history(request)
      defer { history.close() }
      while let transaction = try history.next() {
        if authors.isEmpty || transaction.author.map(authors.contains) == true { return true }
      }
      return false
    }
  }
}
