internal import Foundation
internal import StoreRequests

/// A history descriptor, divided into requests to the stores and a remainder to evaluate in memory.
///
/// An operand of a top-level `&&` becomes a condition of the requests if it compares a constant with a token, a number, a time,
/// a text or the store. Every other operand is evaluated for each transaction that the store returns.
struct HistoryPlan {
  /// The conditions that hold for every store.
  private var request = HistoryRequest()
  private var tokens: [(comparison: FetchExpression.Comparison, token: DefaultHistoryToken)] = []
  private var stores: [(identifier: String, isEqual: Bool)] = []
  private var variable: PredicateExpressions.Variable<DefaultHistoryTransaction>?
  private var conditions: [CheckedEvaluation<Bool>] = []
  let sortBy: [SortDescriptor<DefaultHistoryTransaction>]
  /// The largest number of transactions; `nil` for all.
  let limit: Int?
  /// Whether the stores return transactions in the wanted order, so that reading can stop at the limit.
  let isSortedByStore: Bool

  init(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    sortBy = descriptor.sortBy
    limit = descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit)
    isSortedByStore = Self.addOrder(of: descriptor.sortBy, to: &request)
    guard let predicate = descriptor.predicate else { return }
    variable = predicate.variable
    var pending: [any PredicateExpression<Bool>] = [predicate.expression]
    while let next = pending.popLast() {
      if let conjunction = next as? any HistoryConjunction {
        pending += conjunction.operands.reversed()
      } else if let tests = HistoryTest.tests(of: next), tests.allSatisfy(isAddable) {
        tests.forEach { add($0) }
      } else {
        conditions.append(Self.prepared(next))
      }
    }
  }

  private static func prepared(_ condition: some PredicateExpression<Bool>) -> CheckedEvaluation<Bool> {
    CheckedEvaluation(of: condition)
  }

  /// Whether the requests contain the whole predicate.
  var isComplete: Bool { conditions.isEmpty }

  var isDescending: Bool { request.isDescending }

  // MARK: Order

  /// Adds the order that the first sort descriptor asks for; returns whether the stores sort completely.
  private static func addOrder(
    of sortBy: [SortDescriptor<DefaultHistoryTransaction>], to request: inout HistoryRequest
  ) -> Bool {
    guard let first = sortBy.first else { return true }
    guard let keyPath = first.keyPath else { return false }
    switch HistoryField(keyPath) {
    case .token, .number: request.order = .number
    // Transactions of equal times have the order of their numbers, which another descriptor may reverse.
    case .timestamp where sortBy.count == 1: request.order = .date
    default: return false
    }
    request.isDescending = first.order == .reverse
    return true
  }

  // MARK: Conditions

  private func isAddable(_ test: HistoryTest) -> Bool {
    if case .text(let text, _, _) = test { request[keyPath: text] == .any } else { true }
  }

  private mutating func add(_ test: HistoryTest) {
    switch test {
    case .token(let comparison, let token): tokens.append((comparison, token))
    case .number(let comparison, let number): Self.add(comparison, number, to: &request)
    case .timestamp(let comparison, let date): Self.add(comparison, date, to: &request)
    case .text(let text, isEqual: true, let value): request[keyPath: text] = .equal(value)
    case .text(let text, isEqual: false, let value): request[keyPath: text] = .notEqual(value)
    case .store(isEqual: let isEqual, let identifier): stores.append((identifier, isEqual))
    }
  }

  private static func add(_ comparison: FetchExpression.Comparison, _ number: Int64, to request: inout HistoryRequest) {
    // Numbers of transactions are positive, so that clamping at the ends of the type changes nothing.
    let before = number == .min ? number : number - 1
    switch comparison {
    case .greater: request.after = max(request.after ?? .min, number)
    case .greaterOrEqual: request.after = max(request.after ?? .min, before)
    case .less: request.through = min(request.through ?? .max, before)
    case .lessOrEqual: request.through = min(request.through ?? .max, number)
    default:
      add(.greaterOrEqual, number, to: &request)
      add(.lessOrEqual, number, to: &request)
    }
  }

  private static func add(_ comparison: FetchExpression.Comparison, _ date: Date, to request: inout HistoryRequest) {
    let next = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextUp)
    switch comparison {
    case .greater: request.since = max(request.since ?? next, next)
    case .greaterOrEqual: request.since = max(request.since ?? date, date)
    case .less: request.before = min(request.before ?? date, date)
    case .lessOrEqual: request.before = min(request.before ?? next, next)
    default:
      add(.greaterOrEqual, date, to: &request)
      add(.lessOrEqual, date, to: &request)
    }
  }

  // MARK: Stores

  /// The request to a store; `nil` if the predicate excludes the store.
  func request(to store: String) -> HistoryRequest? {
    guard stores.allSatisfy({ ($0.identifier == store) == $0.isEqual }) else { return nil }
    var request = request
    for (comparison, token) in tokens { Self.add(comparison, token.numbers[store] ?? 0, to: &request) }
    if isComplete, isSortedByStore { request.limit = limit }
    return request
  }

  /// The tokens after which transactions are wanted. Their stores must still have these transactions.
  var startingTokens: [DefaultHistoryToken] {
    tokens.filter { $0.comparison == .greater || $0.comparison == .greaterOrEqual }.map(\.token)
  }

  /// Whether a transaction meets the conditions that no store evaluates.
  ///
  /// A condition without a value, such as an index out of range, is false.
  /// - Throws: ``SwiftDataError/unsupportedPredicate``
  func matches(_ transaction: DefaultHistoryTransaction) throws -> Bool {
    guard let variable, !conditions.isEmpty else { return true }
    let bindings = PredicateBindings((variable, transaction))
    do {
      return try conditions.allSatisfy { try $0.holds(bindings) }
    } catch {
      throw SwiftDataError(
        .unsupportedPredicate,
        "The predicate on history transactions cannot be evaluated (\(error)): compare the transaction's properties.",
        underlyingError: error)
    }
  }
}

/// An operator that is true if all of its operands are.
private protocol HistoryConjunction {
  var operands: [any PredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: HistoryConjunction {
  fileprivate var operands: [any PredicateExpression<Bool>] { [lhs, rhs] }
}
