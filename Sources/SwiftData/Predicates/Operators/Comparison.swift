internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Comparison: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let terms = try (translation.term(lhs), translation.term(rhs))
    if case (.constant(let one as LHS.Output), .constant(let other as LHS.Output)) = terms {
      return .constant(compare(one, other))
    }
    guard isOrderedAsStored(LHS.Output.self) else {
      throw translation.unsupported(self, "the order of \(LHS.Output.self) is not that of its stored values")
    }
    let operands = try (translation.value(of: terms.0, lhs), translation.value(of: terms.1, rhs))
    return .value(.comparison(op.inStore, operands.0, operands.1))
  }

  private func compare(_ one: LHS.Output, _ other: LHS.Output) -> Bool {
    switch op {
    case .lessThan: one < other
    case .lessThanOrEqual: one <= other
    case .greaterThan: one > other
    case .greaterThanOrEqual: one >= other
    @unknown default: false
    }
  }

  package var sketch: String { "\(SwiftData.sketch(lhs)) \(op.sketch) \(SwiftData.sketch(rhs))" }
}

extension PredicateExpressions.ComparisonOperator {
  fileprivate var inStore: FetchExpression.Comparison {
    switch self {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    @unknown default: .equal
    }
  }

  fileprivate var sketch: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    @unknown default: "?"
    }
  }
}
