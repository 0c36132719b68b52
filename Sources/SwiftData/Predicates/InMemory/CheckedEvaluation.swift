internal import Foundation

/// A predicate operator that evaluates objects in memory with the result of the store.
///
/// Foundation's own evaluation traps if a computation overflows, if a divisor is 0, or if a range has its bounds in the
/// wrong order. Every operator conforms, so that Foundation evaluates no operand.
protocol CheckedExpression: PredicateExpression {
  /// A function that computes the operator's value. It is made once per fetch and called for each object.
  func checked() -> CheckedEvaluation<Output>
}

/// A function that evaluates an expression for the current objects of its variables.
struct CheckedEvaluation<Output> {
  private let body: (PredicateBindings) throws -> Output

  init(_ body: @escaping (PredicateBindings) throws -> Output) { self.body = body }

  /// Prepares an expression. An operator that the program defines evaluates itself.
  init<Expression: PredicateExpression>(of expression: Expression) where Expression.Output == Output {
    func prepared(_ expression: some CheckedExpression) -> CheckedEvaluation? {
      expression.checked() as? CheckedEvaluation
    }
    if let known = (expression as? any CheckedExpression).flatMap({ prepared($0) }) {
      self = known
    } else {
      self.init(expression.evaluate)
    }
  }

  /// - Throws: `PredicateError` if there is no value: for a forced unwrap of `nil`, or a result outside of its type.
  func callAsFunction(_ bindings: PredicateBindings) throws -> Output { try body(bindings) }
}

extension CheckedEvaluation<Bool> {
  /// Whether the condition is true. It is false if its evaluation throws a `PredicateError`.
  ///
  /// - Throws: errors other than `PredicateError`; `PredicateError.undefinedVariable`.
  func holds(_ bindings: PredicateBindings) throws -> Bool {
    do {
      return try self(bindings)
    } catch let error as PredicateError where !error.isUndefinedVariable {
      return false
    }
  }
}

extension PredicateError {
  /// Whether it is `undefinedVariable`. Foundation on Linux never returns from the comparison of two such errors.
  var isUndefinedVariable: Bool {
    ![PredicateError.invalidInput, .forceUnwrapFailure, .forceCastFailure].contains(self)
  }
}
