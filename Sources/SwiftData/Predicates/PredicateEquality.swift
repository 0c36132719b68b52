internal import Foundation

/// Compares two predicates.
///
/// Foundation's text of a predicate cannot be compared: printing one traps on operators that are not Foundation's.
struct PredicateEquality {
  private var variables: [PredicateExpressions.VariableID: PredicateExpressions.VariableID] = [:]

  /// Whether two predicates have the same tree, the same key paths and equal captured values.
  static func areEqual<each Input>(_ left: Predicate<repeat each Input>?, _ right: Predicate<repeat each Input>?)
    -> Bool
  {
    guard let left, let right else { return left == nil && right == nil }
    var equality = PredicateEquality()
    return equality.areEqual(left.expression, right.expression, depth: 0)
  }

  private mutating func areEqual(_ left: Any, _ right: Any, depth: Int) -> Bool {
    guard type(of: left) == type(of: right), depth < 500 else { return false }
    if let left = left as? any VariableOperator, let right = right as? any VariableOperator {
      // Each predicate has variables of its own: the first occurrence pairs them.
      if let known = variables[left.key] { return known == right.key }
      variables[left.key] = right.key
      return true
    }
    if let left = left as? AnyKeyPath { return left == right as? AnyKeyPath }
    if !(left is any PredicateExpression), let left = left as? any Equatable { return isEqual(left, right) }
    let (first, second) = (Mirror(reflecting: left).children, Mirror(reflecting: right).children)
    guard first.count == second.count else { return false }
    // A value without children that is not comparable may be anything, except for operators without operands.
    if first.isEmpty { return left is any PredicateExpression || left is any Collection }
    return zip(first, second).allSatisfy { areEqual($0.value, $1.value, depth: depth + 1) }
  }

  private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { left == right as? Value }
}

private protocol VariableOperator {
  var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: VariableOperator {}
