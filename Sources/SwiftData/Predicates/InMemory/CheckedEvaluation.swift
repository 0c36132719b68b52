internal import Foundation

/// An operator of predicates that evaluates itself for objects in memory as the store would evaluate it.
///
/// Foundation's own evaluation ends the program where a computation overflows, a divisor is 0 or the bounds of a range are in
/// the wrong order. Every operator conforms, so that none evaluates its operands by itself.
protocol CheckedExpression: PredicateExpression {
  /// A function that gives the operator's value. It is made once per fetch and called for each object.
  func checked() -> CheckedEvaluation<Output>
}

/// A function that evaluates an expression for the objects that variables stand for.
struct CheckedEvaluation<Output> {
  private let body: (PredicateBindings) throws -> Output

  init(_ body: @escaping (PredicateBindings) throws -> Output) { self.body = body }

  /// Prepares an expression; an operator of the program's own evaluates itself.
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

  /// - Throws: `PredicateError` where there is no value: what is `nil` is unwrapped, a computation leaves its type.
  func callAsFunction(_ bindings: PredicateBindings) throws -> Output { try body(bindings) }
}

extension CheckedEvaluation<Bool> {
  /// Whether the condition holds; it does not where evaluating it fails.
  ///
  /// - Throws: whatever is no `PredicateError`; `PredicateError.undefinedVariable`.
  func holds(_ bindings: PredicateBindings) throws -> Bool {
    do {
      return try self(bindings)
    } catch let error as PredicateError where error != .undefinedVariable {
      return false
    }
  }
}
