internal import Foundation
internal import StoreRequests

/// An engine over a custom store that may keep a history.
protocol HistoryProvidingEngine: StoreEngine {
  /// Passes the store to a closure; `nil` if the store keeps no history.
  func usingHistory<Result>(_ body: (any HistoryProviding) throws -> Result) rethrows -> Result?
}

extension SnapshotEngine: HistoryProvidingEngine {
  func usingHistory<Result>(_ body: (any HistoryProviding) throws -> Result) rethrows -> Result? {
    guard let provider = store as? any HistoryProviding else { return nil }
    return try using { try body(provider) }
  }
}

extension HistoryProvidingEngine {
  /// Looks at the transactions after a position.
  ///
  /// - Returns: whether a closure accepts one of them by its author and its changed objects, and the position of the last one; `nil` if the
  ///   given position is not one of the store's history.
  func examine(
    after position: any HistoryToken, _ isWanted: (String?, [PersistentIdentifier]) -> Bool
  ) throws -> (isWanted: Bool, last: any HistoryToken)? {
    try usingHistory { try examine($0, after: position, isWanted) } ?? nil
  }

  private func examine<Provider: HistoryProviding>(
    _ provider: Provider, after position: any HistoryToken, _ isWanted: (String?, [PersistentIdentifier]) -> Bool
  ) throws -> (isWanted: Bool, last: any HistoryToken)? {
    guard let token = position as? Provider.HistoryType.TokenType else { return nil }
    let later = try provider.fetchHistory(HistoryDescriptor<Provider.HistoryType>()).filter { $0.token > token }
    let isOneWanted = later.contains { transaction in
      isWanted(transaction.author, transaction.changes.map(\.changedPersistentIdentifier))
    }
    return (isOneWanted, later.map(\.token).max() as? any HistoryToken ?? position)
  }
}

/// The history of those custom stores of a container whose transactions are of one type.
struct CustomHistory<Transaction: HistoryTransaction> {
  private let stores: [(store: OpenStore, engine: any HistoryProvidingEngine)]

  init(_ container: ContainerCore) {
    stores = container.stores.compactMap { store in
      guard let engine = store.engine as? any HistoryProvidingEngine,
        engine.usingHistory({ type(of: $0).historyType is Transaction.Type }) ?? false
      else { return nil }
      return (store, engine)
    }
  }

  var isEmpty: Bool { stores.isEmpty }

  /// The transactions of each store that a descriptor selects.
  func transactions(_ descriptor: HistoryDescriptor<Transaction>) throws -> [[Transaction]] {
    try stores.map { store, engine in
      try reporting(store) { try engine.usingHistory { try Self.transactions(of: $0, descriptor) } ?? [] }
    }
  }

  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws {
    for (store, engine) in stores {
      try reporting(store) { _ = try engine.usingHistory { try Self.delete(from: $0, descriptor) } }
    }
  }

  /// Merges transactions of several stores in a descriptor's order, or by time.
  static func merged(_ parts: [[Transaction]], _ descriptor: HistoryDescriptor<Transaction>) -> [Transaction] {
    guard parts.count > 1 else { return parts.first ?? [] }
    let all = parts.flatMap(\.self)
    let sorted =
      descriptor.sortBy.isEmpty
      ? all.sorted { $0.timestamp < $1.timestamp } : all.sorted(by: DescriptorOrder(descriptor.sortBy))
    return descriptor.fetchLimit == 0 ? sorted : Array(sorted.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  private func reporting<Result>(_ store: OpenStore, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw store.storeFailure(error) }
  }

  private static func transactions<Provider: HistoryProviding>(
    of provider: Provider, _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [Transaction] {
    guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return [] }
    return try provider.fetchHistory(descriptor) as? [Transaction] ?? []
  }

  private static func delete<Provider: HistoryProviding>(
    from provider: Provider, _ descriptor: HistoryDescriptor<Transaction>
  ) throws {
    guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return }
    try provider.deleteHistory(descriptor)
  }
}
