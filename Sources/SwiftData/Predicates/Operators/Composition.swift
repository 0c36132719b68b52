internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

extension PredicateExpressions.Composition: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    var conditions: [FetchExpression] = []
    var requirements: [FetchExpression] = []
    let inputs = try PredicateTranslation.inputs(repeat each variable, in: &translation)
    for predicate in flattened {
      let (condition, requirement) = try translation.collectingRequirements { translation in
        bind(predicate, to: inputs, in: &translation)
        return try translation.condition(predicate.expression)
      }
      conditions.append(condition)
      requirements.append(requirement)
    }
    translation.require(requirement(conditions[...], requirements[...]))
    switch kind {
    case .all: return .value(.conjunction(conditions))
    case .any: return .value(.disjunction(conditions))
    case .none: return .value(.negation(.disjunction(conditions)))
    }
  }

  /// The requirements of predicates together. A later predicate is evaluated only if the earlier ones leave the result open.
  ///
  /// Each half states its own, and the second one applies only if the first half leaves the result open. So the text grows with
  /// n log n; with n² if each predicate named all earlier ones.
  private func requirement(
    _ conditions: ArraySlice<FetchExpression>, _ requirements: ArraySlice<FetchExpression>
  ) -> FetchExpression {
    guard requirements.count > 1 else { return requirements.first ?? .truth(true) }
    let middle = requirements.startIndex + requirements.count / 2
    let first = requirement(conditions[..<middle], requirements[..<middle])
    let second = requirement(conditions[middle...], requirements[middle...])
    guard second.constantTruth != true else { return first }
    let earlier = Array(conditions[..<middle])
    let isDecided: FetchExpression = kind == .all ? .negation(.conjunction(earlier)) : .disjunction(earlier)
    // The nested part comes first: a parenthesis after an operator takes three entries of SQLite's parser stack, and else one.
    return .conjunction([.disjunction([second, isDecided]), first])
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
