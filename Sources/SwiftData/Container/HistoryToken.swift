/// A position in the history of a container's stores. An app keeps one, to continue there later.
///
/// Apple: `HistoryToken`.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
  /// The type of the value.
  associatedtype TokenType: Decodable, Encodable, Hashable, Sendable
  /// The value; `nil` if the position is the beginning of the history.
  var tokenValue: TokenType? { get }
  /// The identifier of the store that the position belongs to; empty by default. Apple: iOS 27.
  ///
  /// ``ModelContainer/configurationName(forStoreIdentifier:)`` tells the store's configuration.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// Empty: the token names no store.
  public var storeIdentifier: String { "" }
}

/// A position in the history of stores of Core Data's layout: one transaction number per store.
///
/// Keep the token of the last transaction that you have processed, as JSON for example, and ask for later ones:
///
///     descriptor.predicate = #Predicate { $0.token > token }
///
/// Such a comparison is made store by store: it selects the transactions of each store after that store's number, and all
/// transactions of a store that the token does not name. Apple: `DefaultHistoryToken`.
public struct DefaultHistoryToken: HistoryToken {
  /// Transaction numbers by store identifier.
  public typealias TokenType = [String: Int64]

  let numbers: [String: Int64]

  private enum CodingKeys: String, CodingKey { case numbers = "tokenValue" }

  init(_ numbers: [String: Int64]) { self.numbers = numbers }

  /// The number of the last transaction of each store, by the store's identifier; `nil` at the beginning of the history.
  public var tokenValue: TokenType? { numbers.isEmpty ? nil : numbers }

  /// The identifier of the store of the position; of several stores the first by identifier.
  ///
  /// It is empty at the beginning of the history. ``tokenValue`` names all stores. Apple: iOS 27.
  public var storeIdentifier: String { numbers.keys.min() ?? "" }

  /// The hash of the token.
  public var id: Int { hashValue }

  /// Whether a position is before another position.
  ///
  /// The first number that differs decides, by store identifier; a store without a number counts as 0.
  public static func < (left: Self, right: Self) -> Bool {
    for store in Set(left.numbers.keys).union(right.numbers.keys).sorted() {
      let (one, other) = (left.numbers[store] ?? 0, right.numbers[store] ?? 0)
      if one != other { return one < other }
    }
    return false
  }
}
