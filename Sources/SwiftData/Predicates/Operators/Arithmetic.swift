internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Arithmetic: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let result = try FetchExpression.arithmetic(op.inStore, translation.value(lhs), translation.value(rhs))
    return .value(try translation.fitting(result, Output.self, of: self))
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) \(op.sketch) \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.UnaryMinus: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let result = try FetchExpression.negative(translation.value(wrapped))
    return .value(try translation.fitting(result, Output.self, of: self))
  }

  var sketch: String { "-\(SwiftData.sketch(wrapped))" }
}

extension PredicateExpressions.IntDivision: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    translation.require(isNotZero(divisor))
    let quotient = try FetchExpression.arithmetic(.divide, translation.value(lhs), divisor)
    // Only by -1 a quotient leaves its type.
    if case .constant(.integer(let number)) = divisor, number != -1 { return .value(quotient) }
    return .value(try translation.fitting(quotient, Output.self, of: self))
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) / \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.IntRemainder: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    translation.require(isNotZero(divisor))
    let remainder = try FetchExpression.arithmetic(.remainder, translation.value(lhs), divisor)
    guard Output.self is any StoredInteger.Type else { throw translation.unsignedProblem(self) }
    return .value(remainder)
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) % \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.FloatDivision: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let dividend = try translation.value(lhs)
    let divisor = try translation.value(rhs)
    let quotient = FetchExpression.arithmetic(.divide, dividend, divisor)
    if case .constant(.real(let number)) = divisor, number != 0 { return .value(quotient) }
    // SQL gives NULL for a division by zero, Swift an infinity, or not-a-number, which is NULL.
    let infinity = FetchExpression.arithmetic(.multiply, dividend, .constant(.real(.infinity)))
    return .value(
      .conditional(.comparison(.equal, divisor, .constant(.real(0))), then: infinity, otherwise: quotient))
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) / \(SwiftData.sketch(rhs)))" }
}

/// Integers whose columns SQLite computes with as Swift does, as long as the result fits the type.
private protocol StoredInteger: FixedWidthInteger {}

extension Int: StoredInteger {}
extension Int8: StoredInteger {}
extension Int16: StoredInteger {}
extension Int32: StoredInteger {}
extension Int64: StoredInteger {}
extension UInt8: StoredInteger {}
extension UInt16: StoredInteger {}
extension UInt32: StoredInteger {}

extension StoredInteger {
  fileprivate static var range: ClosedRange<Int64> { Int64(min)...Int64(max) }
}

extension PredicateTranslation {
  /// A computed number, with the requirement that its type can hold it; SQLite goes on with a floating-point number where an
  /// integer does not fit 64 bits.
  fileprivate mutating func fitting(
    _ result: FetchExpression, _ type: Any.Type, of expression: any PredicateExpression
  ) throws -> FetchExpression {
    guard type is any FixedWidthInteger.Type else { return result }
    guard let type = type as? any StoredInteger.Type else { throw unsignedProblem(expression) }
    require(.isInteger(result, in: type.range))
    return result
  }

  fileprivate func unsignedProblem(_ expression: any PredicateExpression) -> UnsupportedExpression {
    unsupported(expression, "the store computes with signed integers of 64 bits")
  }
}

/// That a divisor is not zero; nothing to ask of a constant that is not.
private func isNotZero(_ divisor: FetchExpression) -> FetchExpression {
  if case .constant(.integer(let number)) = divisor { return .truth(number != 0) }
  return .negation(.comparison(.equal, divisor, .constant(.integer(0))))
}

extension PredicateExpressions.ArithmeticOperator {
  fileprivate var inStore: FetchExpression.Arithmetic {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    @unknown default: .add
    }
  }

  fileprivate var sketch: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    @unknown default: "?"
    }
  }
}
