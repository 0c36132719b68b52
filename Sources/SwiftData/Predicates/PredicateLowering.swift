internal import Foundation
internal import StoreRequests

/// A predicate parted into what the store selects by and what is left to be evaluated in memory.
///
/// Only the operands of `&&` at the top are parted: any other expression is the store's as a whole or not at all.
struct PredicateLowering {
  /// What the store selects by; `nil` for every row.
  var condition: FetchExpression?
  /// What the store cannot evaluate, with the reason; to be evaluated for each row it selects.
  var remainder: [(expression: any PredicateExpression<Bool>, problem: UnsupportedExpression)] = []

  /// Leaves a predicate to memory as a whole, for a store that does not filter.
  init<Model: PersistentModel>(inMemory predicate: Predicate<Model>) {
    remainder = [
      (
        predicate.expression,
        UnsupportedExpression(sketch: "the predicate", reason: "the store does not select rows by predicates")
      )
    ]
  }

  /// Parts a predicate on the objects of a class.
  init<Model: PersistentModel>(_ predicate: Predicate<Model>, resolver: any ModelResolver) throws {
    var translation = PredicateTranslation(resolver: resolver)
    let variable = predicate.variable
    translation.bind(variable, to: .object(ObjectTerm(path: FetchPath(), type: Model.self)))
    var conditions: [FetchExpression] = []
    var pending: [any PredicateExpression<Bool>] = [predicate.expression]
    while let next = pending.popLast() {
      if let conjunction = next as? any ConjunctionOperator {
        pending += conjunction.operands.reversed()
        continue
      }
      do {
        conditions.append(try translation.completeCondition(next))
      } catch let problem as UnsupportedExpression {
        remainder.append((next, problem))
      }
    }
    let condition = FetchExpression.conjunction(conditions)
    self.condition = condition.constantTruth == true ? nil : condition
  }
}

/// An operator that holds where all of its operands hold.
private protocol ConjunctionOperator {
  var operands: [any PredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionOperator {
  fileprivate var operands: [any PredicateExpression<Bool>] { [lhs, rhs] }
}
