internal import Foundation

/// Evaluates a predicate, or a part of it, for objects in memory, with the result that the store would have.
///
/// A condition does not hold for an object where it has no value: it unwraps what is `nil`, takes an element that is not there,
/// divides by 0, or computes an integer that its type cannot hold. So it is with SQL.
struct InMemoryEvaluation<Model: PersistentModel> {
  private let variable: PredicateExpressions.Variable<Model>
  private let conditions: [CheckedEvaluation<Bool>]

  /// Conditions on the objects that a variable stands for.
  init(_ conditions: [any PredicateExpression<Bool>], of variable: PredicateExpressions.Variable<Model>) {
    func prepared(_ condition: some PredicateExpression<Bool>) -> CheckedEvaluation<Bool> {
      CheckedEvaluation(of: condition)
    }
    self.conditions = conditions.map { prepared($0) }
    self.variable = variable
  }

  /// Whether all conditions hold for an object.
  ///
  /// - Throws: whatever evaluation throws, other than that there is no value.
  func matches(_ object: Model) throws -> Bool {
    let bindings = PredicateBindings((variable, object))
    return try conditions.allSatisfy { try $0.holds(bindings) }
  }
}
