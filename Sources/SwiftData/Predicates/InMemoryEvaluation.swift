internal import Foundation

/// Evaluates a predicate, or a part of it, for objects in memory, with the result of the store.
///
/// A condition without a value is false, as in SQL: a forced unwrap of `nil`, an index out of range, a division by 0,
/// an integer that its type cannot hold.
struct InMemoryEvaluation<Model: PersistentModel> {
  private let variable: PredicateExpressions.Variable<Model>
  private let conditions: [CheckedEvaluation<Bool>]

  /// Evaluates conditions on the objects of a variable.
  init(_ conditions: [any PredicateExpression<Bool>], of variable: PredicateExpressions.Variable<Model>) {
    func prepared(_ condition: some PredicateExpression<Bool>) -> CheckedEvaluation<Bool> {
      CheckedEvaluation(of: condition)
    }
    self.conditions = conditions.map { prepared($0) }
    self.variable = variable
  }

  /// Whether all conditions are true for an object.
  ///
  /// - Throws: errors of evaluation, except for a condition without a value.
  func matches(_ object: Model) throws -> Bool {
    let bindings = PredicateBindings((variable, object))
    return try conditions.allSatisfy { try $0.holds(bindings) }
  }
}
