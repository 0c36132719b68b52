internal import Foundation
internal import StoreRequests

extension PredicateExpressions.Arithmetic: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let result = try FetchExpression.arithmetic(op.inStore, translation.value(lhs), translation.value(rhs))
    return .value(try translation.fitting(result, Output.self, of: self))
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) \(op.sketch) \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.UnaryMinus: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let result = try FetchExpression.negative(translation.value(wrapped))
    guard Output.self is any FixedWidthInteger.Type else { return .value(result) }
    return .value(try translation.fitting(result, Output.self, of: self))
  }

  package var sketch: String { "-\(SwiftData.sketch(wrapped))" }
}

extension PredicateExpressions.IntDivision: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    translation.require(isNotZero(divisor))
    let quotient = try FetchExpression.arithmetic(.divide, translation.value(lhs), divisor)
    // A quotient overflows for the divisor -1 only.
    if case .constant(.integer(let number)) = divisor, number != -1 { return .value(quotient) }
    return .value(try translation.fitting(quotient, Output.self, of: self))
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) / \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.IntRemainder: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    translation.require(isNotZero(divisor))
    let remainder = try FetchExpression.arithmetic(.remainder, translation.value(lhs), divisor)
    guard Output.self is any StoredInteger.Type else { throw translation.unsignedProblem(self) }
    return .value(remainder)
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) % \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.FloatDivision: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.demandExactness(Output.self, of: self)
    let dividend = try translation.value(lhs)
    let divisor = try translation.value(rhs)
    let quotient = FetchExpression.arithmetic(.divide, dividend, divisor)
    // A division by zero is NULL in SQL. In Swift it is an infinity, or not-a-number, which SQLite stores as NULL.
    func infinity(_ sign: FloatingPointSign) -> FetchExpression {
      .arithmetic(.multiply, dividend, .constant(.real(sign == .minus ? -.infinity : .infinity)))
    }
    if case .constant(.real(let number)) = divisor { return .value(number == 0 ? infinity(number.sign) : quotient) }
    return .value(
      .conditional(.comparison(.equal, divisor, .constant(.real(0))), then: infinity(.plus), otherwise: quotient))
  }

  package var sketch: String { "(\(SwiftData.sketch(lhs)) / \(SwiftData.sketch(rhs)))" }
}

/// Integer types that SQLite computes with as Swift does, as long as the type can hold the result.
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
  /// A computed number, with the requirement that its type can hold it. SQLite continues with a floating-point number
  /// if an integer exceeds 64 bits.
  fileprivate mutating func fitting(
    _ result: FetchExpression, _ type: Any.Type, of expression: any PredicateExpression
  ) throws -> FetchExpression {
    guard type is any FixedWidthInteger.Type else {
      try demandExactness(type, of: expression)
      return result
    }
    guard let type = type as? any StoredInteger.Type else { throw unsignedProblem(expression) }
    require(.isInteger(result, in: type.range))
    return result
  }

  /// Leaves to memory what a store would round in another way.
  fileprivate func demandExactness(_ type: Any.Type, of expression: any PredicateExpression) throws {
    let isRounded = type is Float.Type || type is Decimal.Type && !resolver.capabilities.contains(.decimals)
    guard isRounded else { return }
    throw unsupported(expression, "the store computes with doubles, and \(type) has other digits")
  }

  fileprivate func unsignedProblem(_ expression: any PredicateExpression) -> UnsupportedExpression {
    unsupported(expression, "the store computes with signed integers of 64 bits")
  }
}

/// The condition that a divisor is not zero; always true for a constant other than zero.
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
