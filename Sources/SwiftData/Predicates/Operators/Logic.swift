internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Conjunction: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let left = try translation.condition(lhs)
    let right = try translation.whenever(left) { try $0.condition(rhs) }
    return .value(.conjunction([left, right]))
  }

  package var sketch: String { "\(SwiftData.sketch(lhs)) && \(SwiftData.sketch(rhs))" }
}

extension PredicateExpressions.Disjunction: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let left = try translation.condition(lhs)
    let right = try translation.whenever(.negation(left)) { try $0.condition(rhs) }
    return .value(.disjunction([left, right]))
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) || \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.Negation: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    .value(.negation(try translation.condition(wrapped)))
  }

  package var sketch: String { "!\(SwiftData.sketch(wrapped))" }
}

extension PredicateExpressions.Conditional: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let condition = try translation.condition(test)
    if let truth = condition.constantTruth {
      return truth ? try translation.term(trueBranch) : try translation.term(falseBranch)
    }
    let first = try translation.whenever(condition) { try $0.value(trueBranch) }
    let second = try translation.whenever(.negation(condition)) { try $0.value(falseBranch) }
    return .value(.conditional(condition, then: first, otherwise: second))
  }

  package var sketch: String {
    "(\(SwiftData.sketch(test)) ? \(SwiftData.sketch(trueBranch)) : \(SwiftData.sketch(falseBranch)))"
  }
}
