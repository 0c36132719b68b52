internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

extension PredicateExpressions.Composition: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    var conditions: [FetchExpression] = []
    let inputs = try PredicateTranslation.inputs(repeat each variable, in: &translation)
    for predicate in flattened {
      // A later predicate is evaluated only if the earlier ones leave the result open.
      var isReached: FetchExpression {
        .conjunction(kind == .all ? conditions : conditions.map { .negation($0) })
      }
      let condition = try translation.whenever(isReached) { translation in
        bind(predicate, to: inputs, in: &translation)
        return try translation.condition(predicate.expression)
      }
      conditions.append(condition)
    }
    switch kind {
    case .all: return .value(.conjunction(conditions))
    case .any: return .value(.disjunction(conditions))
    case .none: return .value(.negation(.disjunction(conditions)))
    }
  }

  /// Binds a predicate's variables to the terms of this composition's variables.
  func bind(
    _ predicate: Predicate<repeat each Input>, to terms: [StoreTerm], in translation: inout PredicateTranslation
  ) {
    var position = 0
    for variable in repeat each predicate.variable {
      translation.bind(variable, to: terms[position])
      position += 1
    }
  }
}

extension PredicateTranslation {
  /// The values of variables, in their order.
  static func inputs<each Input>(
    _ variables: repeat PredicateExpressions.Variable<each Input>, in translation: inout PredicateTranslation
  ) throws -> [StoreTerm] {
    var terms: [StoreTerm] = []
    for variable in repeat each variables { terms.append(try translation.term(variable)) }
    return terms
  }
}
