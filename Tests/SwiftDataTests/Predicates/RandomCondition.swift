import Foundation
import TestSupport

@testable import SwiftData

/// Joins conditions with the operators of predicates, at random.
enum RandomCondition {
  typealias Condition = any StandardPredicateExpression<Bool>

  /// A conjunction, disjunction, negation, conditional or comparison of conditions that a closure makes.
  static func joined(_ random: inout SplitMix, _ part: (inout SplitMix) -> Condition) -> Condition {
    switch random.below(7) {
    case 0, 1: and(part(&random), part(&random))
    case 2, 3: or(part(&random), part(&random))
    case 4: not(part(&random))
    case 5: conditional(part(&random), part(&random), part(&random))
    default: equal(part(&random), part(&random))
    }
  }

  private static func and(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Conjunction(lhs: left, rhs: right) }

  private static func or(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Disjunction(lhs: left, rhs: right) }

  private static func equal(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Equal(lhs: left, rhs: right) }

  private static func not(_ wrapped: some StandardPredicateExpression<Bool>) -> Condition {
    PredicateExpressions.build_Negation(wrapped)
  }

  private static func conditional(
    _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Bool>,
    _ second: some StandardPredicateExpression<Bool>
  ) -> Condition { PredicateExpressions.build_Conditional(test, first, second) }
}

/// A test of one variable, applied to the value of another variable, whose class may be a subclass.
struct Rebound<Model: PersistentModel, Target: PersistentModel, Test: StandardPredicateExpression>:
  StandardPredicateExpression, StoreExpressible, CheckedExpression
where Test.Output == Bool {
  let variable: PredicateExpressions.Variable<Model>
  let target: PredicateExpressions.Variable<Target>
  let test: Test

  init(
    variable: PredicateExpressions.Variable<Model>, to target: PredicateExpressions.Variable<Target>, test: Test
  ) {
    self.variable = variable
    self.target = target
    self.test = test
  }

  private struct NoSubclass: Error {}

  private static func upcast(_ target: Target) throws -> Model {
    guard let model = target as? Model else { throw NoSubclass() }
    return model
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try test.evaluate(bindings.binding(variable, to: Self.upcast(target.evaluate(bindings))))
  }

  func checked() -> CheckedEvaluation<Bool> {
    let (test, value) = (CheckedEvaluation(of: test), CheckedEvaluation(of: target))
    return CheckedEvaluation { try test($0.binding(variable, to: Self.upcast(value($0)))) }
  }

  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    translation.bind(variable, to: try translation.term(target))
    return try translation.term(test)
  }

  var sketch: String { SwiftData.sketch(test) }
}
