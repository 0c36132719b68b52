internal import Foundation

/// An operation on two integers.
private enum IntegerOperation {
  case add, subtract, multiply, divide, remainder

  /// - Throws: `PredicateError.invalidInput` if the type cannot hold the result, or if the divisor is 0.
  func callAsFunction<Integer: FixedWidthInteger>(_ left: Integer, _ right: Integer) throws -> Integer {
    let result: (partialValue: Integer, overflow: Bool) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      // The remainder by -1 is 0. Swift would trap for the least number, whose quotient overflows.
      case .remainder:
        right == 0 ? (right, true) : (left.remainderReportingOverflow(dividingBy: right).partialValue, false)
      }
    if result.overflow { throw PredicateError.invalidInput }
    return result.partialValue
  }
}

/// A function of two numbers of one type.
private struct NumberFunction<Number> {
  let body: (Number, Number) throws -> Number

  init(_ body: @escaping (Number, Number) throws -> Number) { self.body = body }

  /// The checked operation for integers of a fixed width; `nil` for other numbers.
  init?(_ operation: IntegerOperation) {
    func function<Integer: FixedWidthInteger>(_: Integer.Type) -> NumberFunction? {
      NumberFunction<Integer> { try operation($0, $1) } as? NumberFunction
    }
    guard let function = (Number.self as? any FixedWidthInteger.Type).flatMap({ function($0) }) else { return nil }
    self = function
  }
}

extension CheckedEvaluation {
  /// A function of two operands.
  fileprivate init(
    _ left: CheckedEvaluation, _ right: CheckedEvaluation, _ function: NumberFunction<Output>
  ) {
    self.init { try function.body(left($0), right($0)) }
  }
}

extension PredicateExpressions.Arithmetic: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let function: NumberFunction<Output> =
      switch op {
      case .add: NumberFunction(.add) ?? NumberFunction { $0 + $1 }
      case .subtract: NumberFunction(.subtract) ?? NumberFunction { $0 - $1 }
      case .multiply: NumberFunction(.multiply) ?? NumberFunction { $0 * $1 }
      @unknown default: NumberFunction { _, _ in throw PredicateError.invalidInput }
      }
    return CheckedEvaluation(CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs), function)
  }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let operand = CheckedEvaluation(of: wrapped)
    guard let subtract = NumberFunction<Output>(.subtract) else { return CheckedEvaluation { try -operand($0) } }
    return CheckedEvaluation { try subtract.body(0, operand($0)) }
  }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let function =
      NumberFunction<Output>(.divide)
      ?? NumberFunction { left, right in
        guard right != 0 else { throw PredicateError.invalidInput }
        return left / right
      }
    return CheckedEvaluation(CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs), function)
  }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let function =
      NumberFunction<Output>(.remainder)
      ?? NumberFunction { left, right in
        guard right != 0 else { throw PredicateError.invalidInput }
        return left % right
      }
    return CheckedEvaluation(CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs), function)
  }
}

extension PredicateExpressions.FloatDivision: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    CheckedEvaluation(CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs), NumberFunction { $0 / $1 })
  }
}
