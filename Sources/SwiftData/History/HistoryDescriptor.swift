public import Foundation

/// Selects transactions of a history: by a predicate, in an order, up to a number.
///
///     var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
///     descriptor.predicate = #Predicate { $0.token > token && $0.author != "server" }
///     descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
///     descriptor.fetchLimit = 10
///     let transactions = try context.fetchHistory(descriptor)
///
/// Without ``sortBy`` the earliest transaction comes first. Apple: `HistoryDescriptor`.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition on a transaction; `nil` selects all transactions.
  public var predicate: Predicate<TransactionType>?
  /// The largest number of transactions; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order of the transactions; the earliest comes first if it is empty.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Selects transactions by a predicate, the earliest first.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// Selects transactions by a predicate, in an order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension HistoryDescriptor where TransactionType == DefaultHistoryTransaction {
  /// Selects all transactions of stores of Core Data's layout; needs no type argument, which Apple's type does.
  public init() { self.init(predicate: nil, sortBy: []) }
}

extension HistoryDescriptor: CustomStringConvertible, CustomReflectable {
  /// The descriptor with its predicate as it may have been written; captured values are left out.
  ///
  /// Foundation's own description of a predicate may end the program; see ``FetchDescriptor/description``.
  public var description: String {
    let parts = customMirror.children.map { "\($0.label ?? ""): \($0.value)" }
    return "HistoryDescriptor<\(TransactionType.self)>(\(parts.joined(separator: ", ")))"
  }

  /// The properties that differ from their defaults; the predicate as text.
  public var customMirror: Mirror {
    var children: [Mirror.Child] = []
    if let predicate { children.append(("predicate", SwiftData.sketch(predicate.expression))) }
    if !sortBy.isEmpty { children.append(("sortBy", sortBy.map { SwiftData.sketch($0) })) }
    if fetchLimit > 0 { children.append(("fetchLimit", fetchLimit)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension HistoryDescriptor: @unchecked Sendable {}  // predicates and sort descriptors are immutable values
