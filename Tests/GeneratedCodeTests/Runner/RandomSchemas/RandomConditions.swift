import Foundation
import SwiftData

/// An expression with its text. Foundation's text of a predicate may trap.
struct Sketched<Value> {
  let part: Part<Value>
  let text: String

  init(_ part: Part<Value>, _ text: String) { (self.part, self.text) = (part, text) }
}

/// Random conditions on the objects of a schema, made of the operators that `#Predicate` has.
struct RandomConditions {
  typealias Condition = Sketched<Bool>
  let world: RandomWorld

  init(_ world: RandomWorld) { self.world = world }

  func below(_ count: Int) -> Int { world.random.below(count) }
  func once(in count: Int) -> Bool { world.random.once(in: count) }

  func condition<Model: PersistentModel>(on object: Build.Variable<Model>, depth: Int) -> Condition {
    guard depth > 0, !once(in: 5) else { return leaf(object) }
    func part() -> Condition { condition(on: object, depth: depth - 1) }
    switch below(9) {
    case 0, 1: return joined(part(), part(), false)
    case 2, 3: return joined(part(), part(), true)
    case 4: return negated(part())
    case 5: return conditional(part(), part(), part())
    case 6: return equal(part(), part())
    default: return related(object, depth: depth - 1) ?? leaf(object)
    }
  }

  // MARK: Joining

  private func joined(_ left: Condition, _ right: Condition, _ isOr: Bool) -> Condition {
    func join(
      _ one: some StandardPredicateExpression<Bool>, _ two: some StandardPredicateExpression<Bool>
    ) -> Part<Bool> {
      isOr ? Build.build_Disjunction(lhs: one, rhs: two) : Build.build_Conjunction(lhs: one, rhs: two)
    }
    return Sketched(join(left.part, right.part), "(\(left.text) \(isOr ? "||" : "&&") \(right.text))")
  }

  private func negated(_ condition: Condition) -> Condition {
    func negate(_ part: some StandardPredicateExpression<Bool>) -> Part<Bool> { Build.build_Negation(part) }
    return Sketched(negate(condition.part), "!\(condition.text)")
  }

  private func equal(_ left: Condition, _ right: Condition) -> Condition {
    compared(left, right, isEqual: !once(in: 3))
  }

  func compared<Value: Equatable>(_ left: Sketched<Value>, _ right: Sketched<Value>, isEqual: Bool) -> Condition {
    func compare(
      _ one: some StandardPredicateExpression<Value>, _ two: some StandardPredicateExpression<Value>
    ) -> Part<Bool> {
      isEqual ? Build.build_Equal(lhs: one, rhs: two) : Build.build_NotEqual(lhs: one, rhs: two)
    }
    return Sketched(compare(left.part, right.part), "(\(left.text) \(isEqual ? "==" : "!=") \(right.text))")
  }

  func conditional<Value>(_ test: Condition, _ first: Sketched<Value>, _ second: Sketched<Value>) -> Sketched<Value> {
    func choose(
      _ test: some StandardPredicateExpression<Bool>, _ one: some StandardPredicateExpression<Value>,
      _ two: some StandardPredicateExpression<Value>
    ) -> Part<Value> { Build.build_Conditional(test, one, two) }
    return Sketched(choose(test.part, first.part, second.part), "(\(test.text) ? \(first.text) : \(second.text))")
  }

  func coalesced<Value>(_ optional: Sketched<Value?>, _ other: Sketched<Value>) -> Sketched<Value> {
    func coalesce(
      _ one: some StandardPredicateExpression<Value?>, _ two: some StandardPredicateExpression<Value>
    ) -> Part<Value> { Build.build_NilCoalesce(lhs: one, rhs: two) }
    return Sketched(coalesce(optional.part, other.part), "(\(optional.text) ?? \(other.text))")
  }

  func captured<Value: Codable & Sendable>(_ value: Value) -> Sketched<Value> {
    Sketched(Build.build_Arg(value), String(reflecting: value))
  }

  /// A test of a missing value becomes one with a value: `== true`, or `?? false`.
  func decided(_ optional: Sketched<Bool?>) -> Condition {
    if once(in: 2) { return coalesced(optional, captured(once(in: 2))) }
    return compared(optional, captured(Bool?.some(once(in: 2))), isEqual: once(in: 2))
  }
}
