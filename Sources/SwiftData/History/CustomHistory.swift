internal import Foundation
internal import StoreRequests

/// An engine over a custom store that keeps a history.
protocol HistoryProvidingEngine: StoreEngine {
  var historyProvider: any HistoryProviding { get }
}

/// The history of the custom stores of a container whose transactions are of one type.
struct CustomHistory<Transaction: HistoryTransaction> {
  private let providers: [any HistoryProviding]

  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has transactions of the type.
  init(_ container: ContainerCore) throws {
    providers = container.stores.compactMap { ($0.engine as? any HistoryProvidingEngine)?.historyProvider }
      .filter { Swift.type(of: $0).historyType is Transaction.Type }
    guard !providers.isEmpty else {
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store of the container keeps a history with transactions of type \(Transaction.self).")
    }
  }

  /// The transactions of all stores, merged by the descriptor's order or by time.
  func transactions(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction] {
    var transactions = try providers.flatMap { try Self.transactions(of: $0, descriptor) }
    if providers.count > 1 {
      if descriptor.sortBy.isEmpty {
        transactions.sort { $0.timestamp < $1.timestamp }
      } else {
        transactions = transactions.sorted(using: descriptor.sortBy)
      }
    }
    return descriptor.fetchLimit == 0 ? transactions : Array(transactions.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws {
    for provider in providers { try Self.delete(from: provider, descriptor) }
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
