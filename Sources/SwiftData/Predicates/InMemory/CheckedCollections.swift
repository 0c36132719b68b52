internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

// MARK: Quantifiers. An element fails the test if the test cannot be evaluated, as in the store.

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (elements, test, variable) = (CheckedEvaluation(of: sequence), CheckedEvaluation(of: test), variable)
    return CheckedEvaluation { bindings in
      try elements(bindings).contains { try test.holds(bindings.binding(variable, to: $0)) }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (elements, test, variable) = (CheckedEvaluation(of: sequence), CheckedEvaluation(of: test), variable)
    return CheckedEvaluation { bindings in
      try elements(bindings).allSatisfy { try test.holds(bindings.binding(variable, to: $0)) }
    }
  }
}

extension PredicateExpressions.Filter: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (elements, test, variable) = (CheckedEvaluation(of: sequence), CheckedEvaluation(of: filter), variable)
    return CheckedEvaluation { bindings in
      try elements(bindings).filter { try test.holds(bindings.binding(variable, to: $0)) }
    }
  }
}

// MARK: Ranges

extension PredicateExpressions.Range: CheckedExpression {
  /// - Throws: `PredicateError.invalidInput` if the lower bound exceeds the upper one.
  func checked() -> CheckedEvaluation<Output> {
    let bounds = (lower: CheckedEvaluation(of: lower), upper: CheckedEvaluation(of: upper))
    return CheckedEvaluation { bindings in
      let (lower, upper) = try (bounds.lower(bindings), bounds.upper(bindings))
      guard lower <= upper else { throw PredicateError.invalidInput }
      return lower..<upper
    }
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
  /// - Throws: `PredicateError.invalidInput` if the lower bound exceeds the upper one.
  func checked() -> CheckedEvaluation<Output> {
    let bounds = (lower: CheckedEvaluation(of: lower), upper: CheckedEvaluation(of: upper))
    return CheckedEvaluation { bindings in
      let (lower, upper) = try (bounds.lower(bindings), bounds.upper(bindings))
      guard lower <= upper else { throw PredicateError.invalidInput }
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

/// Whether a value lies between two bounds that are computed for each object. False if the lower bound exceeds the
/// upper one.
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
    let bounds = (lower: CheckedEvaluation(of: lower), upper: CheckedEvaluation(of: upper))
    return RangeTest { bindings, value in
      let (lower, upper) = try (bounds.lower(bindings), bounds.upper(bindings))
      return value >= lower && value < upper
    }
  }
}

extension PredicateExpressions.ClosedRange: BoundsOperator {
  fileprivate var test: RangeTest<LHS.Output> {
    let bounds = (lower: CheckedEvaluation(of: lower), upper: CheckedEvaluation(of: upper))
    return RangeTest { bindings, value in
      let (lower, upper) = try (bounds.lower(bindings), bounds.upper(bindings))
      return value >= lower && value <= upper
    }
  }
}

// MARK: Operators that throw by themselves if there is no value; only their operands need checks.

extension PredicateExpressions.SequenceContains: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (elements, element) = (CheckedEvaluation(of: sequence), CheckedEvaluation(of: element))
    return CheckedEvaluation { try elements($0).contains(element($0)) }
  }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let elements = CheckedEvaluation(of: elements)
    return CheckedEvaluation { try elements($0).max() }
  }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let elements = CheckedEvaluation(of: elements)
    return CheckedEvaluation { try elements($0).min() }
  }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (base, prefix) = (CheckedEvaluation(of: base), CheckedEvaluation(of: prefix))
    return CheckedEvaluation { try base($0).starts(with: prefix($0)) }
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    typealias Value = PredicateExpressions.Value
    let (base, other) = (CheckedEvaluation(of: base), CheckedEvaluation(of: other))
    return CheckedEvaluation { bindings in
      try PredicateExpressions.CollectionContainsCollection(
        base: Value(base(bindings)), other: Value(other(bindings))
      ).evaluate(bindings)
    }
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    typealias Value = PredicateExpressions.Value
    let (wrapped, index) = (CheckedEvaluation(of: wrapped), CheckedEvaluation(of: index))
    return CheckedEvaluation { bindings in
      try PredicateExpressions.CollectionIndexSubscript(
        wrapped: Value(wrapped(bindings)), index: Value(index(bindings))
      ).evaluate(bindings)
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    typealias Value = PredicateExpressions.Value
    let (wrapped, range) = (CheckedEvaluation(of: wrapped), CheckedEvaluation(of: range))
    return CheckedEvaluation { bindings in
      try PredicateExpressions.CollectionRangeSubscript(
        wrapped: Value(wrapped(bindings)), range: Value(range(bindings))
      ).evaluate(bindings)
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (wrapped, key) = (CheckedEvaluation(of: wrapped), CheckedEvaluation(of: key))
    return CheckedEvaluation { try wrapped($0)[key($0)] }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (wrapped, key) = (CheckedEvaluation(of: wrapped), CheckedEvaluation(of: key))
    let otherwise = CheckedEvaluation(of: self.default)
    return CheckedEvaluation { try wrapped($0)[key($0)] ?? otherwise($0) }
  }
}

// MARK: Strings

extension PredicateExpressions.StringContainsRegex: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (subject, regex) = (CheckedEvaluation(of: subject), CheckedEvaluation(of: regex))
    return CheckedEvaluation { try subject($0).contains(regex($0)) }
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.caseInsensitiveCompare(String(root($0)), String(other($0))) }
  }
}

extension PredicateExpressions.StringLocalizedCompare: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.localizedCompare(String(root($0)), String(other($0))) }
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.localizedStandardContains(String(root($0)), String(other($0))) }
  }
}
