import Foundation
import SwiftData

extension RandomConditions {
  /// The types of values that conditions compare.
  static let kinds: [any RandomValue.Type] = [
    String.self, String.self, String.self, Int.self, Int.self, Int32.self, Int16.self, Int64.self, Double.self,
    Float.self, Decimal.self, Bool.self, Date.self, UUID.self, URL.self, Data.self, Mood.self, Level.self, Place.self,
  ]

  /// A value of an object: of a property, or computed.
  func value<Value: RandomValue, Model: PersistentModel>(
    _ type: Value.Type, of object: Build.Variable<Model>, depth: Int = 2
  ) -> Sketched<Value> {
    let paths = world.table(Model.self).values(Value.self)
    guard depth > 0 else {
      return paths.randomElement(using: &world.random).map { Sketched($0.on(object), "$0.\($0.name)") }
        ?? captured(.random(&world.random))
    }
    switch below(10) {
    case 0, 1:
      if let optional = optional(type, of: object) {
        return coalesced(optional, value(type, of: object, depth: depth - 1))
      }
    case 2:
      return conditional(
        leaf(object, depth: depth - 1), value(type, of: object, depth: depth - 1),
        value(type, of: object, depth: depth - 1))
    case 3, 4:
      if let computed = type as? any ComputedValue.Type { return computedValue(computed, object, depth) }
    case 5:
      if type == Int.self, let count = count(object, depth) as? Sketched<Value> { return count }
    default: break
    }
    guard let path = paths.randomElement(using: &world.random) else { return captured(.random(&world.random)) }
    return Sketched(path.on(object), "$0.\(path.name)")
  }

  private func computedValue<Result: RandomValue, Value: ComputedValue, Model: PersistentModel>(
    _ type: Value.Type, _ object: Build.Variable<Model>, _ depth: Int
  ) -> Sketched<Result> {
    let left = value(type, of: object, depth: 0)
    let right = once(in: 2) ? captured(.random(&world.random)) : value(type, of: object, depth: 0)
    let (operation, sign) = [
      (Build.ArithmeticOperator.add, "+"), (.subtract, "-"), (.multiply, "*"),
    ][below(3)]
    func compute(
      _ one: some StandardPredicateExpression<Value>, _ two: some StandardPredicateExpression<Value>
    ) -> Part<Value> { Build.build_Arithmetic(lhs: one, rhs: two, op: operation) }
    func negate(_ one: some StandardPredicateExpression<Value>) -> Part<Value> { Build.build_UnaryMinus(one) }
    var result = Sketched(compute(left.part, right.part), "(\(left.text) \(sign) \(right.text))")
    if once(in: 6) { result = Sketched(negate(left.part), "-\(left.text)") }
    if once(in: 4), let quotient = quotient(left) { result = quotient }
    return (result as Any) as? Sketched<Result> ?? captured(.random(&world.random))
  }

  /// A quotient or a remainder. The divisor is never 0: Foundation throws then, and a store has no value.
  private func quotient<Value>(_ left: Sketched<Value>) -> Sketched<Value>? {
    func divide(_ one: some StandardPredicateExpression<Int>, _ by: Int) -> Part<Int> {
      Build.build_Division(lhs: one, rhs: Build.build_Arg(by))
    }
    func remain(_ one: some StandardPredicateExpression<Int>, _ by: Int) -> Part<Int> {
      Build.build_Remainder(lhs: one, rhs: Build.build_Arg(by))
    }
    func divideReal(_ one: some StandardPredicateExpression<Double>, _ by: Double) -> Part<Double> {
      Build.build_Division(lhs: one, rhs: Build.build_Arg(by))
    }
    let divisor = [-3, -1, 1, 2, 4][below(5)]
    if let integer = left as? Sketched<Int> {
      let isQuotient = once(in: 2)
      return Sketched(
        isQuotient ? divide(integer.part, divisor) : remain(integer.part, divisor),
        "(\(left.text) \(isQuotient ? "/" : "%") \(divisor))") as? Sketched<Value>
    }
    guard let real = left as? Sketched<Double> else { return nil }
    return Sketched(divideReal(real.part, Double(divisor)), "(\(left.text) / \(divisor))") as? Sketched<Value>
  }

  /// A count of characters, or of members.
  private func count<Model: PersistentModel>(_ object: Build.Variable<Model>, _ depth: Int) -> Sketched<Int>? {
    if once(in: 2), let link = world.table(Model.self).toMany.randomElement(using: &world.random) {
      return memberCount(object, link, depth: depth - 1)
    }
    func count(_ one: some StandardPredicateExpression<String>) -> Part<Int> {
      Build.build_KeyPath(root: one, keyPath: \String.count)
    }
    let text = value(String.self, of: object, depth: 0)
    return Sketched(count(text.part), "\(text.text).count")
  }

  /// An optional value: of a property, or of an object that may be missing.
  func optional<Value: RandomValue, Model: PersistentModel>(
    _ type: Value.Type, of object: Build.Variable<Model>
  ) -> Sketched<Value?>? {
    if once(in: 2), let found = reference(from: object)?.optional(type, self) { return found }
    return world.table(Model.self).optionals(type).randomElement(using: &world.random).map {
      Sketched($0.on(object), "$0.\($0.name)")
    }
  }
}
