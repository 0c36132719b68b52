internal import Foundation
internal import FoundationAdditions

extension PredicateExpressions.Conjunction: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (left, right) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return CheckedEvaluation { try left($0) && right($0) }
  }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (left, right) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return CheckedEvaluation { try left($0) || right($0) }
  }
}

extension PredicateExpressions.Negation: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let operand = CheckedEvaluation(of: wrapped)
    return CheckedEvaluation { try !operand($0) }
  }
}

extension PredicateExpressions.Conditional: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let condition = CheckedEvaluation(of: test)
    let (first, second) = (CheckedEvaluation(of: trueBranch), CheckedEvaluation(of: falseBranch))
    return CheckedEvaluation { try condition($0) ? first($0) : second($0) }
  }
}

extension PredicateExpressions.Equal: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (left, right) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return CheckedEvaluation { try left($0) == right($0) }
  }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (left, right) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return CheckedEvaluation { try left($0) != right($0) }
  }
}

extension PredicateExpressions.Comparison: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (left, right) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return switch op {
    case .lessThan: CheckedEvaluation { try left($0) < right($0) }
    case .lessThanOrEqual: CheckedEvaluation { try left($0) <= right($0) }
    case .greaterThan: CheckedEvaluation { try left($0) > right($0) }
    case .greaterThanOrEqual: CheckedEvaluation { try left($0) >= right($0) }
    @unknown default: CheckedEvaluation(evaluate)
    }
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (first, second) = (CheckedEvaluation(of: lhs), CheckedEvaluation(of: rhs))
    return CheckedEvaluation { try first($0) ?? second($0) }
  }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (value, result) = (CheckedEvaluation(of: wrapped), CheckedEvaluation(of: transform))
    // The closure returns a result, or an optional result.
    return CheckedEvaluation { bindings in
      try value(bindings).flatMap { try result(bindings.binding(variable, to: $0)) as? Result }
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let value = CheckedEvaluation(of: inner)
    return CheckedEvaluation { bindings in
      guard let value = try value(bindings) else { throw PredicateError.forceUnwrapFailure }
      return value
    }
  }
}

// MARK: Casts

extension PredicateExpressions.TypeCheck: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let value = CheckedEvaluation(of: input)
    return CheckedEvaluation { try value($0) is Desired }
  }
}

extension PredicateExpressions.ConditionalCast: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let value = CheckedEvaluation(of: input)
    return CheckedEvaluation { try value($0) as? Desired }
  }
}

extension PredicateExpressions.ForceCast: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let value = CheckedEvaluation(of: input)
    return CheckedEvaluation { bindings in
      guard let value = try value(bindings) as? Desired else { throw PredicateError.forceCastFailure }
      return value
    }
  }
}

// MARK: Key paths and other expressions

extension PredicateExpressions.KeyPath: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (value, keyPath) = (CheckedEvaluation(of: root), keyPath)
    return CheckedEvaluation { try value($0)[keyPath: keyPath] }
  }
}

extension PredicateExpressions.ExpressionEvaluate: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let expression = CheckedEvaluation(of: expression)
    let inputs = (repeat CheckedEvaluation(of: each input))
    // The expression is usually a captured value, so it is prepared once.
    let captured = try? expression(PredicateBindings())
    let prepared = captured.map { CheckedEvaluation(ofAny: $0.expression) }
    return CheckedEvaluation { bindings in
      let called = try captured ?? expression(bindings)
      var inner = PredicateBindings()
      for (variable, input) in repeat (each called.variable, each inputs) { inner[variable] = try input(bindings) }
      return try (prepared ?? CheckedEvaluation(ofAny: called.expression))(inner)
    }
  }
}

// A predicate or expression that is evaluated knows its own variables only. So a chain of them costs its length, not its square.

extension PredicateExpressions.Evaluation: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (condition, value) = (CheckedEvaluation(ofAny: expression.expression), CheckedEvaluation(of: argument))
    return CheckedEvaluation { bindings in
      var inner = PredicateBindings()
      inner[expression.variable] = try value(bindings)
      return try condition(inner)
    }
  }
}

extension PredicateExpressions.Composition: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let predicates = flattened
    let conditions = predicates.map { CheckedEvaluation(ofAny: $0.expression) }
    return CheckedEvaluation { bindings in
      for (predicate, condition) in zip(predicates, conditions) {
        var inner = PredicateBindings()
        for (variable, outer) in repeat (each predicate.variable, each self.variable) {
          inner[variable] = try outer.evaluate(bindings)
        }
        if try condition(inner) != (kind == .all) { return kind == .any }
      }
      return kind != .any
    }
  }
}

extension CheckedEvaluation {
  fileprivate init(ofAny expression: any StandardPredicateExpression<Output>) {
    func prepared(_ expression: some StandardPredicateExpression<Output>) -> CheckedEvaluation {
      CheckedEvaluation(of: expression)
    }
    self = prepared(expression)
  }
}
