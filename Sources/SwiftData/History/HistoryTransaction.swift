public import Foundation

/// One save of a store, as the store's history records it: who changed which objects, and when.
///
/// A custom store has a type of its own; ``DefaultHistoryTransaction`` belongs to Core Data's layout.
/// Apple: `HistoryTransaction`.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of positions in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes of objects, in the order of recording: insertions, updates, deletions.
  var changes: [HistoryChange] { get }
  /// The position in the history after this transaction.
  var token: TokenType { get }
  /// The transaction's number in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// ``ModelContext/author`` of the context that saved; `nil` if it had none.
  var author: String? { get }
}

/// A store that keeps a history of its saves. Apple: `HistoryProviding`.
public protocol HistoryProviding {
  /// The store's type of transactions.
  associatedtype HistoryType: HistoryTransaction
  /// The store's type of transactions.
  static var historyType: HistoryType.Type { get }
  /// The transactions that a descriptor selects, in its order.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Removes the transactions that a descriptor selects.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
