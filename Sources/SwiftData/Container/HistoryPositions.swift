internal import StoreRequests

/// The positions of stores in their histories after a save.
struct HistoryPositions {
  /// By store identifier.
  private(set) var byStore: [String: any HistoryToken] = [:]
  /// The position of all stores of Core Data's layout; without such a store, the position of the first custom store that returned one.
  private(set) var token: (any HistoryToken)?

  init(_ changes: SavedChanges, _ container: ContainerCore) {
    var numbers: [String: Int64] = [:]
    var other: (any HistoryToken)?
    for store in container.stores {
      let identifier = store.engine.identifier
      if let number = changes.transactions[store.index] ?? nil {
        numbers[identifier] = number
        byStore[identifier] = DefaultHistoryToken([identifier: number])
      } else if let token = changes.tokens[store.index] {
        byStore[identifier] = token
        if let usual = token as? DefaultHistoryToken {
          numbers.merge(usual.numbers) { max($0, $1) }
        } else {
          other = other ?? token
        }
      }
    }
    token = numbers.isEmpty ? other : DefaultHistoryToken(numbers)
  }
}
