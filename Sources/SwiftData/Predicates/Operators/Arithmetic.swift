internal import CoreDataStore
internal import Foundation

extension PredicateExpressions.Arithmetic: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try .value(.arithmetic(op.inStore, translation.value(lhs), translation.value(rhs)))
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) \(op.sketch) \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.UnaryMinus: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try .value(.negative(translation.value(wrapped)))
  }

  var sketch: String { "-\(SwiftData.sketch(wrapped))" }
}

extension PredicateExpressions.IntDivision: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    // In memory a division by zero ends the program; here it selects nothing.
    translation.require(isNotZero(divisor))
    return try .value(.arithmetic(.divide, translation.value(lhs), divisor))
  }

  var sketch: String { "(\(SwiftData.sketch(lhs)) / \(SwiftData.sketch(rhs)))" }
}

extension PredicateExpressions.IntRemainder: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let divisor = try translation.value(rhs)
    translation.require(isNotZero(divisor))
    return try .value(.arithmetic(.remainder, translation.value(lhs), divisor))
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

/// An operator whose evaluation in memory ends the program for some operands.
protocol MayTrap {
  /// The operand to beware of.
  var divisor: any PredicateExpression { get }
}

extension PredicateExpressions.IntDivision: MayTrap {
  var divisor: any PredicateExpression { rhs }
}

extension PredicateExpressions.IntRemainder: MayTrap {
  var divisor: any PredicateExpression { rhs }
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
