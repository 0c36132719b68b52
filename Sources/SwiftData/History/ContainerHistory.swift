internal import Foundation
internal import StoreRequests

/// The history of all stores of a container that have Core Data's layout.
struct ContainerHistory {
  let histories: [StoreHistory]

  init(_ container: ContainerCore) { histories = container.stores.compactMap { StoreHistory($0) } }

  /// Whether no store keeps such a history.
  var isEmpty: Bool { histories.isEmpty }

  /// The transactions that a descriptor selects, in its order.
  ///
  /// Transactions of several stores are merged by time; those of one store keep the order of their numbers.
  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let plan = try HistoryPlan(descriptor)
    let start = histories.count > 1 ? try numbersBefore(plan) : [:]
    let parts = try histories.map { try transactions(of: $0, plan) }
    try checkTokens(plan)
    var result = merged(parts, isDescending: plan.isDescending)
    if histories.count > 1 { addTokens(to: &result, start, isDescending: plan.isDescending) }
    if !plan.isSortedByStore || histories.count > 1, !plan.sortBy.isEmpty {
      result = result.sorted(by: DescriptorOrder(plan.sortBy))
    }
    return Array(result.prefix(plan.limit ?? .max))
  }

  /// Removes the transactions that a descriptor selects: each store's in one transaction of the store.
  func delete(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let plan = try HistoryPlan(descriptor)
    // A store counts its own transactions only.
    if plan.isComplete, plan.limit == nil || histories.count == 1 && plan.isSortedByStore {
      for history in histories {
        guard let request = plan.request(to: history.engine.identifier) else { continue }
        try remove(from: history) { try $0.deleteHistory(request) }
      }
      return
    }
    let chosen = Dictionary(grouping: try transactions(descriptor), by: \.storeIdentifier)
    for history in histories {
      guard let transactions = chosen[history.engine.identifier] else { continue }
      try remove(from: history) { try $0.deleteHistory(transactions: transactions.map(\.transactionIdentifier)) }
    }
  }

  func remove(from history: StoreHistory, _ body: (any HistoryEngine) throws -> Void) throws {
    guard history.store.configuration.allowsSave else { throw SwiftDataError.readOnly(history.store) }
    try history.reporting { try body(history.engine) }
  }

  // MARK: Reading

  private func transactions(of history: StoreHistory, _ plan: HistoryPlan) throws -> [DefaultHistoryTransaction] {
    guard let request = plan.request(to: history.engine.identifier) else { return [] }
    var transactions: [DefaultHistoryTransaction] = []
    let limit = plan.isSortedByStore ? plan.limit ?? .max : .max
    try history.forEach(request) { transaction in
      if try plan.matches(transaction) { transactions.append(transaction) }
      return transactions.count < limit
    }
    return transactions
  }

  /// Throws if transactions that a token asks for were deleted.
  ///
  /// The check comes after the reading: a deletion before or during the reading is noticed.
  private func checkTokens(_ plan: HistoryPlan) throws {
    // What a store has lost does not matter to a reader that asks for another one only.
    for token in plan.startingTokens { try check(token) { plan.request(to: $0) != nil } }
  }

  /// Throws if transactions after a token were deleted.
  ///
  /// - Parameter matters: whether the transactions of a store matter, by its identifier.
  func check(_ token: DefaultHistoryToken, where matters: (String) -> Bool = { _ in true }) throws {
    guard !token.numbers.isEmpty else { return }
    var isKnown = false
    for history in histories {
      guard let number = token.numbers[history.engine.identifier] else { continue }
      isKnown = true
      guard matters(history.engine.identifier) else { continue }
      let (first, last, gap) = try history.reporting {
        (
          try history.engine.firstTransaction(), try history.engine.lastTransaction() ?? 0,
          try history.engine.historyGap() ?? 0
        )
      }
      // The first transaction that the token asks for has the next number, if there is any.
      if number > last {
        throw expired("the store has only \(last) transactions, so it is an older copy of the token's store")
      }
      if number < last, number + 1 < first ?? .max {
        throw expired("transactions after number \(number) have been deleted")
      }
      if number < gap {
        throw expired(
          "transactions after number \(number) have been deleted, of which \(gap) is the last that had earlier ones left",
          start: "a transaction after that")
      }
    }
    if !isKnown { throw expired("it belongs to other stores") }
  }

  private func expired(_ reason: String, start: String = "the last transaction") -> SwiftDataError {
    SwiftDataError(
      .historyTokenExpired,
      "The history token cannot be continued: \(reason). Read the objects anew, and start from the token of \(start).")
  }

  // MARK: Several stores

  /// Merges the stores' transactions by time. The transactions of one store keep their order, even if a clock went back.
  private func merged(_ parts: [[DefaultHistoryTransaction]], isDescending: Bool) -> [DefaultHistoryTransaction] {
    let parts = parts.filter { !$0.isEmpty }
    guard parts.count > 1 else { return parts.first ?? [] }
    var next = parts.map { _ in 0 }
    var result: [DefaultHistoryTransaction] = []
    while true {
      var chosen: Int?
      for index in parts.indices where next[index] < parts[index].count {
        guard let best = chosen else {
          chosen = index
          continue
        }
        let (one, other) = (parts[index][next[index]].timestamp, parts[best][next[best]].timestamp)
        if isDescending ? one > other : one < other { chosen = index }
      }
      guard let chosen else { return result }
      result.append(parts[chosen][next[chosen]])
      next[chosen] += 1
    }
  }

  /// The number of the transaction after which the reading starts, for each store. It is in the token that the descriptor continues;
  /// otherwise it is one less than the oldest transaction that is left.
  ///
  /// So a token names all stores, and a reader that continues after it hears of deleted transactions of any of them.
  private func numbersBefore(_ plan: HistoryPlan) throws -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    for token in plan.startingTokens { numbers.merge(token.numbers) { max($0, $1) } }
    for history in histories where numbers[history.engine.identifier] == nil {
      numbers[history.engine.identifier] = try history.reporting {
        if let first = try history.engine.firstTransaction() { return first - 1 }
        return try history.engine.lastTransaction() ?? 0
      }
    }
    return numbers
  }

  /// Gives each transaction the numbers of other stores' transactions that come before it.
  ///
  /// No number is too high: a reader that continues after the token misses nothing.
  private func addTokens(
    to transactions: inout [DefaultHistoryTransaction], _ start: [String: Int64], isDescending: Bool
  ) {
    var numbers = start
    let indices = isDescending ? Array(transactions.indices.reversed()) : Array(transactions.indices)
    for index in indices {
      let transaction = transactions[index]
      numbers[transaction.storeIdentifier] = transaction.transactionIdentifier
      transactions[index].token = DefaultHistoryToken(numbers)
    }
  }
}
