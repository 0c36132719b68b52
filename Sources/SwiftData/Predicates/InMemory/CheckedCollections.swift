internal import Foundation

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

// MARK: Operators that throw by themselves if there is no value; only their operands need checks.

extension PredicateExpressions.SequenceContains: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let element = CheckedEvaluation(of: element)
    let captured = (sequence as? PredicateExpressions.Value<LHS.Output>)?.value as? [LHS.Output.Element]
    if let contains = captured.flatMap({ membership(in: $0) }) {
      return CheckedEvaluation { try contains(element($0)) }
    }
    let elements = CheckedEvaluation(of: sequence)
    return CheckedEvaluation { try elements($0).contains(element($0)) }
  }
}

/// A test for the elements of a list that many objects are compared with; `nil` for a short list, and for elements without hashes.
private func membership<Element: Equatable>(in list: [Element]) -> ((Element) -> Bool)? {
  guard list.count > 16 else { return nil }
  func test<Known: Hashable>(_ type: Known.Type) -> ((Element) -> Bool)? {
    guard let list = list as? [Known] else { return nil }
    let known = Set(list)
    return { element in (element as? Known).map { known.contains($0) } ?? false }
  }
  return (Element.self as? any Hashable.Type).flatMap { test($0) }
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
