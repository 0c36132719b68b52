extension FetchExpression {
  /// The direct parts of the expression, in order.
  package var operands: [FetchExpression] {
    switch self {
    case .constant, .attribute, .object, .objectConstant, .objectMembership, .isKind, .groupCount: []
    case .count(_, _, _, let condition), .exists(_, _, _, let condition): condition.map { [$0] } ?? []
    case .aggregate(_, _, _, _, let operand), .groupAggregate(_, let operand, _): [operand]
    case .not(let operand), .isNull(let operand), .negative(let operand), .membership(let operand, _),
      .isInteger(let operand, _), .elementCount(let operand):
      [operand]
    case .comparison(_, let left, let right), .arithmetic(_, let left, let right), .coalesce(let left, let right),
      .contains(let left, let right):
      [left, right]
    case .conditional(let condition, let first, let second): [condition, first, second]
    case .and(let operands), .or(let operands), .string(_, let operands): operands
    }
  }

  /// The path that the expression itself reads; `nil` if it reads only its operands.
  package var path: FetchPath? {
    switch self {
    case .attribute(let path, _, _), .object(let path), .objectMembership(let path, _), .isKind(let path, _),
      .count(let path, _, _, _), .exists(let path, _, _, _), .aggregate(_, let path, _, _, _):
      path
    default: nil
    }
  }

  /// The variable that the expression introduces for its operands.
  private var variable: FetchVariable? {
    switch self {
    case .count(_, _, let variable, _), .exists(_, _, let variable, _), .aggregate(_, _, _, let variable, _): variable
    default: nil
    }
  }

  /// Whether the expression is the identity of an object, which has no order.
  package var isIdentity: Bool {
    switch self {
    case .object, .objectConstant: true
    default: false
    }
  }

  /// Whether the expression reads only the rows of some variables, and of variables that it introduces.
  package func speaksOnly(of variables: Set<FetchVariable>) -> Bool {
    if let path, !variables.contains(path.variable) { return false }
    let inner = variable.map { variables.union([$0]) } ?? variables
    return operands.allSatisfy { $0.speaksOnly(of: inner) }
  }

  /// Whether the expression contains an aggregate of groups.
  package var isAggregate: Bool {
    switch self {
    case .groupCount, .groupAggregate: true
    default: operands.contains(where: \.isAggregate)
    }
  }

  /// Whether the expression has one value for each group: it consists of grouping expressions, aggregates and constants.
  package func isGrouped(by groups: [FetchExpression]) -> Bool {
    if groups.contains(self) || groups.contains(.object(FetchPath())) { return true }
    switch self {
    case .groupCount, .groupAggregate: return true
    default: return path == nil && operands.allSatisfy { $0.isGrouped(by: groups) }
    }
  }
}
