extension FetchExpression {
  /// The expression with other constants, which are visited in the order of the text.
  ///
  /// - Parameter keys: gives the keys of known objects; an object without a row stays.
  package func mapConstants(_ values: (StoreValue) -> StoreValue, keys: (ObjectKey) -> ObjectKey) -> FetchExpression {
    func map(_ expression: FetchExpression) -> FetchExpression { expression.mapConstants(values, keys: keys) }
    switch self {
    case .constant(let value): return .constant(values(value))
    case .objectConstant(let key): return .objectConstant(key.map(keys))
    case .attribute, .object, .isKind, .groupCount: return self
    case .objectMembership(let path, let members): return .objectMembership(path, members.map(keys))
    case .membership(let operand, let members): return .membership(map(operand), members.map(values))
    case .count(let path, let relationship, let variable, let condition):
      return .count(path, relationship: relationship, variable: variable, condition: condition.map(map))
    case .exists(let path, let relationship, let variable, let condition):
      return .exists(path, relationship: relationship, variable: variable, condition: condition.map(map))
    case .aggregate(let aggregate, let path, let relationship, let variable, let operand):
      return .aggregate(aggregate, path, relationship: relationship, variable: variable, of: map(operand))
    case .groupAggregate(let aggregate, let operand, let isDistinct):
      return .groupAggregate(aggregate, of: map(operand), isDistinct: isDistinct)
    case .comparison(let comparison, let left, let right): return .comparison(comparison, map(left), map(right))
    case .arithmetic(let operation, let left, let right): return .arithmetic(operation, map(left), map(right))
    case .coalesce(let first, let second): return .coalesce(map(first), map(second))
    case .conditional(let condition, let first, let second):
      return .conditional(map(condition), then: map(first), otherwise: map(second))
    case .and(let operands): return .and(operands.map(map))
    case .or(let operands): return .or(operands.map(map))
    case .string(let function, let operands): return .string(function, operands.map(map))
    case .not(let operand): return .not(map(operand))
    case .isNull(let operand): return .isNull(map(operand))
    case .contains(let list, let element): return .contains(map(list), element: map(element))
    case .elementCount(let operand): return .elementCount(map(operand))
    case .negative(let operand): return .negative(map(operand))
    case .isInteger(let operand, let range): return .isInteger(map(operand), in: range)
    }
  }
}
