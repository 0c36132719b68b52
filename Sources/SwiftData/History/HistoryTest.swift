internal import Foundation
internal import StoreRequests

/// A comparison of a transaction's property with a constant, which a store can make.
enum HistoryTest {
  case token(FetchExpression.Comparison, DefaultHistoryToken)
  case number(FetchExpression.Comparison, Int64)
  case timestamp(FetchExpression.Comparison, Date)
  case text(WritableKeyPath<HistoryRequest, HistoryRequest.TextFilter>, isEqual: Bool, String?)
  case store(isEqual: Bool, String)

  /// The tests that together mean a condition; `nil` if no store can make them.
  static func tests(of condition: any PredicateExpression) -> [HistoryTest]? {
    (condition as? any HistoryComparison)?.historyTests
  }

  /// Makes the test that compares a property with a constant; `nil` if there is none.
  fileprivate init?(_ field: HistoryField, _ comparison: FetchExpression.Comparison, _ constant: Any) {
    let value = unwrap(constant)
    let isEqual = comparison == .equal
    let isEquality = isEqual || comparison == .notEqual
    switch field {
    case .token:
      guard let token = value as? DefaultHistoryToken, !isEquality else { return nil }
      self = .token(comparison, token)
    case .number:
      guard let number = value as? Int64, comparison != .notEqual else { return nil }
      self = .number(comparison, number)
    case .timestamp:
      guard let date = value as? Date, date.timeIntervalSinceReferenceDate.isFinite, comparison != .notEqual else {
        return nil
      }
      self = .timestamp(comparison, date)
    case .author:
      guard isEquality, value == nil || value is String else { return nil }
      self = .text(\.author, isEqual: isEqual, value as? String)
    case .bundleIdentifier, .processIdentifier:
      // The empty text stands for a missing one.
      guard isEquality, let text = value as? String, !text.isEmpty else { return nil }
      self = .text(
        field == .bundleIdentifier ? \.bundleIdentifier : \.processName, isEqual: isEqual, text)
    case .storeIdentifier:
      guard isEquality, let text = value as? String else { return nil }
      self = .store(isEqual: isEqual, text)
    }
  }

  /// Makes the test of two operands, of which one is a property and the other a constant.
  fileprivate init?(
    _ left: any PredicateExpression, _ comparison: FetchExpression.Comparison, _ right: any PredicateExpression
  ) {
    if let field = HistoryField(of: left), let constant = Constant(right) {
      self.init(field, comparison, constant.value)
    } else if let field = HistoryField(of: right), let constant = Constant(left) {
      self.init(field, comparison.reversed, constant.value)
    } else {
      return nil
    }
  }
}

/// A property of a transaction that stores know.
enum HistoryField {
  case token, number, timestamp, author, bundleIdentifier, processIdentifier, storeIdentifier

  init?(_ keyPath: AnyKeyPath) {
    let known: [(AnyKeyPath, HistoryField)] = [
      (\DefaultHistoryTransaction.token, .token), (\DefaultHistoryTransaction.transactionIdentifier, .number),
      (\DefaultHistoryTransaction.id, .number), (\DefaultHistoryTransaction.timestamp, .timestamp),
      (\DefaultHistoryTransaction.author, .author),
      (\DefaultHistoryTransaction.bundleIdentifier, .bundleIdentifier),
      (\DefaultHistoryTransaction.processIdentifier, .processIdentifier),
      (\DefaultHistoryTransaction.storeIdentifier, .storeIdentifier),
    ]
    guard let field = known.first(where: { $0.0 == keyPath })?.1 else { return nil }
    self = field
  }

  fileprivate init?(of expression: any PredicateExpression) {
    guard let keyPath = (expression as? any TransactionProperty)?.transactionKeyPath else { return nil }
    self.init(keyPath)
  }
}

/// The value of an expression without variables.
private struct Constant {
  let value: Any

  init?(_ expression: any PredicateExpression) {
    func value(_ expression: some PredicateExpression) throws -> Any {
      try CheckedEvaluation(of: expression)(PredicateBindings())
    }
    do { self.value = try value(expression) } catch { return nil }
  }
}

private protocol TransactionProperty {
  /// The key path if it starts at the predicate's transaction.
  var transactionKeyPath: AnyKeyPath? { get }
}

extension PredicateExpressions.KeyPath: TransactionProperty {
  fileprivate var transactionKeyPath: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
}

// MARK: Operators

private protocol HistoryComparison {
  var historyTests: [HistoryTest]? { get }
}

extension PredicateExpressions.Equal: HistoryComparison {
  fileprivate var historyTests: [HistoryTest]? { HistoryTest(lhs, .equal, rhs).map { [$0] } }
}

extension PredicateExpressions.NotEqual: HistoryComparison {
  fileprivate var historyTests: [HistoryTest]? { HistoryTest(lhs, .notEqual, rhs).map { [$0] } }
}

extension PredicateExpressions.Comparison: HistoryComparison {
  fileprivate var historyTests: [HistoryTest]? {
    let comparison: FetchExpression.Comparison
    switch op {
    case .lessThan: comparison = .less
    case .lessThanOrEqual: comparison = .lessOrEqual
    case .greaterThan: comparison = .greater
    case .greaterThanOrEqual: comparison = .greaterOrEqual
    @unknown default: return nil
    }
    return HistoryTest(lhs, comparison, rhs).map { [$0] }
  }
}

extension PredicateExpressions.Disjunction: HistoryComparison {
  /// Knows `author == nil || author != "x"`, which Core Data's users write: `!=` alone selects `nil`, too.
  fileprivate var historyTests: [HistoryTest]? {
    guard case .text(let text, let isEqual, let value)? = HistoryTest.tests(of: lhs)?.first,
      case .text(text, let isOtherEqual, let other)? = HistoryTest.tests(of: rhs)?.first
    else { return nil }
    switch (isEqual, value, isOtherEqual, other) {
    case (true, nil, false, let other?): return [.text(text, isEqual: false, other)]
    case (false, let value?, true, nil): return [.text(text, isEqual: false, value)]
    default: return nil
    }
  }
}

extension FetchExpression.Comparison {
  /// The comparison with its sides exchanged.
  fileprivate var reversed: FetchExpression.Comparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}
