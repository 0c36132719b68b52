internal import Foundation

extension PredicateExpressions.Range: CheckedExpression {
  /// - Throws: `PredicateError.invalidInput` if the lower bound exceeds the upper one.
  func checked() -> CheckedEvaluation<Output> {
    let bounds = CheckedBounds(lower, upper)
    return CheckedEvaluation { bindings in
      let (lower, upper) = try bounds.inOrder(bindings)
      return lower..<upper
    }
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
  /// - Throws: `PredicateError.invalidInput` if the lower bound exceeds the upper one.
  func checked() -> CheckedEvaluation<Output> {
    let bounds = CheckedBounds(lower, upper)
    return CheckedEvaluation { bindings in
      let (lower, upper) = try bounds.inOrder(bindings)
      return lower...upper
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    func test(_ range: some BoundsOperator) -> RangeTest<Element.Output>? { range.test as? RangeTest<Element.Output> }
    let element = CheckedEvaluation(of: element)
    if let test = (range as? any BoundsOperator).flatMap({ test($0) }) {
      return CheckedEvaluation { try test.contains($0, element($0)) }
    }
    let range = CheckedEvaluation(of: range)
    return CheckedEvaluation { try range($0).contains(element($0)) }
  }
}

/// The two bounds of a range, which are computed for each object.
private struct CheckedBounds<Bound: Comparable> {
  private let lower: CheckedEvaluation<Bound>
  private let upper: CheckedEvaluation<Bound>

  init<Lower: PredicateExpression<Bound>, Upper: PredicateExpression<Bound>>(_ lower: Lower, _ upper: Upper) {
    self.lower = CheckedEvaluation(of: lower)
    self.upper = CheckedEvaluation(of: upper)
  }

  func callAsFunction(_ bindings: PredicateBindings) throws -> (lower: Bound, upper: Bound) {
    try (lower(bindings), upper(bindings))
  }

  /// - Throws: `PredicateError.invalidInput` if the lower bound exceeds the upper one.
  func inOrder(_ bindings: PredicateBindings) throws -> (lower: Bound, upper: Bound) {
    let bounds = try self(bindings)
    guard bounds.lower <= bounds.upper else { throw PredicateError.invalidInput }
    return bounds
  }
}

/// Whether a value lies between two bounds. False if the lower bound exceeds the upper one.
private struct RangeTest<Bound> {
  let contains: (PredicateBindings, Bound) throws -> Bool
}

/// An operator that makes a range from two bounds.
private protocol BoundsOperator<Bound> {
  associatedtype Bound
  var test: RangeTest<Bound> { get }
}

extension PredicateExpressions.Range: BoundsOperator {
  fileprivate var test: RangeTest<LHS.Output> {
    let bounds = CheckedBounds(lower, upper)
    return RangeTest { bindings, value in
      let (lower, upper) = try bounds(bindings)
      return value >= lower && value < upper
    }
  }
}

extension PredicateExpressions.ClosedRange: BoundsOperator {
  fileprivate var test: RangeTest<LHS.Output> {
    let bounds = CheckedBounds(lower, upper)
    return RangeTest { bindings, value in
      let (lower, upper) = try bounds(bindings)
      return value >= lower && value <= upper
    }
  }
}
