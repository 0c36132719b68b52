extension FetchExpression {
  /// A condition that every row meets, or no row.
  package static func truth(_ value: Bool) -> FetchExpression { .constant(.integer(value ? 1 : 0)) }

  /// Whether the expression is the same condition for every row.
  package var constantTruth: Bool? {
    switch self {
    case .constant(.integer(let value)): value != 0
    case .constant(.null): false
    default: nil
    }
  }

  /// All of the conditions, simplified.
  package static func conjunction(_ terms: [FetchExpression]) -> FetchExpression {
    if terms.contains(where: { $0.constantTruth == false }) { return .truth(false) }
    let open = terms.filter { $0.constantTruth == nil }
    return open.count == 1 ? open[0] : open.isEmpty ? .truth(true) : .and(open)
  }

  /// Any of the conditions, simplified.
  package static func disjunction(_ terms: [FetchExpression]) -> FetchExpression {
    if terms.contains(where: { $0.constantTruth == true }) { return .truth(true) }
    let open = terms.filter { $0.constantTruth == nil }
    return open.count == 1 ? open[0] : open.isEmpty ? .truth(false) : .or(open)
  }

  /// The opposite of a condition, simplified.
  package static func negation(_ term: FetchExpression) -> FetchExpression {
    if let truth = term.constantTruth { return .truth(!truth) }
    if case .not(let inner) = term { return inner }
    return .not(term)
  }

  /// The expression as a value. A condition on `NULL` is then false; in SQL it would be `NULL`.
  package var definite: FetchExpression {
    switch self {
    case .comparison, .membership, .objectMembership, .isKind, .isInteger, .contains: .and([self])
    default: self
    }
  }

  /// Whether the expression's form makes it true or false for each row, so that it can be negated and joined with others.
  package var isCondition: Bool {
    switch self {
    case .comparison, .and, .or, .not, .isNull, .exists, .membership, .objectMembership, .isKind, .isInteger, .contains:
      true
    default: false
    }
  }
}

extension FetchExpression.Comparison {
  /// The comparison with its sides exchanged.
  package var swapped: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
