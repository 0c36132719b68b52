internal import Foundation
internal import StoreRequests

/// A predicate divided into a condition for the store, and a remainder to evaluate in memory.
///
/// Only the operands of `&&` at the top are divided. Any other expression goes to the store as a whole, or not at all.
struct PredicateLowering {
  /// The condition for the store; `nil` selects every row.
  var condition: FetchExpression?
  /// Whether the condition has all parts of the predicate. The store may decide about some of them only in part.
  private(set) var hasWholeCondition = true
  /// The conditions that the store cannot evaluate, with the reason. They are evaluated for each selected row.
  var remainder: [(expression: any PredicateExpression<Bool>, problem: UnsupportedExpression)] = []

  /// Leaves a predicate to memory as a whole, for a store that does not filter.
  init<Model: PersistentModel>(inMemory predicate: Predicate<Model>) {
    hasWholeCondition = false
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
        let condition = try translation.completeCondition(next)
        conditions.append(condition)
        if try !resolver.decides(condition, about: Model.self) {
          remainder.append(
            (next, UnsupportedExpression(sketch: sketch(next), reason: "the store decides about it only in part")))
        }
      } catch let problem as UnsupportedExpression {
        hasWholeCondition = false
        remainder.append((next, problem))
      }
    }
    let condition = FetchExpression.conjunction(conditions)
    self.condition = condition.constantTruth == true ? nil : condition
  }
}

/// An operator that is true if all of its operands are.
private protocol ConjunctionOperator {
  var operands: [any PredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionOperator {
  fileprivate var operands: [any PredicateExpression<Bool>] { [lhs, rhs] }
}
