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
  /// Whether the store has a transaction after a position that a closure accepts by its author and its changed objects.
  func hasTransaction(
    after token: any HistoryToken, _ isWanted: (String?, [PersistentIdentifier]) -> Bool
  ) throws -> Bool {
    func search<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
      guard let token = token as? Provider.HistoryType.TokenType else { return false }
      return try provider.fetchHistory(HistoryDescriptor<Provider.HistoryType>()).contains { transaction in
        transaction.token > token
          && isWanted(transaction.author, transaction.changes.map(\.changedPersistentIdentifier))
      }
    }
    return try usingHistory { try search($0) } ?? false
  }
}

/// The history of those custom stores of a container whose transactions are of one type.
struct CustomHistory<Transaction: HistoryTransaction> {
  private let engines: [any HistoryProvidingEngine]

  init(_ container: ContainerCore) {
    engines = container.stores.compactMap { $0.engine as? any HistoryProvidingEngine }.filter { engine in
      engine.usingHistory { type(of: $0).historyType is Transaction.Type } ?? false
    }
  }

  var isEmpty: Bool { engines.isEmpty }

  /// The transactions of each store that a descriptor selects.
  func transactions(_ descriptor: HistoryDescriptor<Transaction>) throws -> [[Transaction]] {
    try engines.map { engine in
      try reporting { try engine.usingHistory { try Self.transactions(of: $0, descriptor) } ?? [] }
    }
  }

  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws {
    for engine in engines { try reporting { _ = try engine.usingHistory { try Self.delete(from: $0, descriptor) } } }
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

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw SwiftDataError(storeError: error) }
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
