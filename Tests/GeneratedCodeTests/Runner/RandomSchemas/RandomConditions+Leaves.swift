import Foundation
import SwiftData

extension RandomConditions {
  /// A condition on one object without a further one inside.
  func leaf<Model: PersistentModel>(_ object: Build.Variable<Model>, depth: Int = 2) -> Condition {
    func comparing(_ kind: any RandomValue.Type) -> Condition {
      func compare<Value: RandomValue>(_: Value.Type) -> Condition { comparison(Value.self, object, depth) }
      return compare(kind)
    }
    let kind = Self.kinds[below(Self.kinds.count)]
    switch below(12) {
    case 0: return strings(object)
    case 1:
      return world.table(Model.self).subclasses.randomElement(using: &world.random).map { isKind(object, $0) }
        ?? comparing(kind)
    case 2: return truth(object) ?? comparing(kind)
    case 3: return tagged(object) ?? comparing(kind)
    case 4:
      let wanted = world.someObjects(Model.self).map(\.persistentModelID)
      return Sketched(
        Build.build_contains(
          Build.build_Arg(wanted), Build.build_KeyPath(root: object, keyPath: \Model.persistentModelID)),
        "(\(wanted.count) identifiers).contains($0.persistentModelID)")
    case 5: return reference(from: object)?.test(self, depth: 0) ?? comparing(kind)
    default: return comparing(kind)
    }
  }

  private func isKind<Model: PersistentModel, Link: SubclassLink<Model>>(
    _ object: Build.Variable<Model>, _: Link
  ) -> Condition {
    Sketched(Build.TypeCheck<_, Link.Subclass>(object), "($0 is \(Link.Subclass.self))")
  }

  private func truth<Model: PersistentModel>(_ object: Build.Variable<Model>) -> Condition? {
    if once(in: 2), let optional = optional(Bool.self, of: object) { return decided(optional) }
    let path = world.table(Model.self).values(Bool.self).randomElement(using: &world.random)
    return path.map { Sketched($0.on(object), "$0.\($0.name)") }
  }

  private func tagged<Model: PersistentModel>(_ object: Build.Variable<Model>) -> Condition? {
    guard let path = world.table(Model.self).values([String].self).randomElement(using: &world.random) else {
      return nil
    }
    let tag = value(String.self, of: object, depth: 0)
    func contains(
      _ tags: some StandardPredicateExpression<[String]>, _ tag: some StandardPredicateExpression<String>
    ) -> Part<Bool> { Build.build_contains(tags, tag) }
    func isEmpty(_ tags: some StandardPredicateExpression<[String]>) -> Part<Bool> {
      Build.build_KeyPath(root: tags, keyPath: \[String].isEmpty)
    }
    if once(in: 3) { return Sketched(isEmpty(path.on(object)), "$0.\(path.name).isEmpty") }
    return Sketched(contains(path.on(object), tag.part), "$0.\(path.name).contains(\(tag.text))")
  }

  // MARK: Strings

  private func strings<Model: PersistentModel>(_ object: Build.Variable<Model>) -> Condition {
    let other = once(in: 3) ? value(String.self, of: object, depth: 0) : captured(.random(&world.random))
    let function = below(6)
    if once(in: 2), let text = optional(String.self, of: object) {
      return decided(optionalStrings(text, .random(&world.random), function))
    }
    let text = value(String.self, of: object, depth: 1)
    func test(
      _ one: some StandardPredicateExpression<String>, _ two: some StandardPredicateExpression<String>
    ) -> Condition {
      switch function {
      case 0: Sketched(Build.build_contains(one, two), "\(text.text).contains(\(other.text))")
      case 1: Sketched(Build.build_starts(one, with: two), "\(text.text).starts(with: \(other.text))")
      case 2:
        Sketched(
          Build.build_localizedStandardContains(one, two), "\(text.text).localizedStandardContains(\(other.text))")
      case 3:
        Sketched(
          Build.build_Equal(
            lhs: Build.build_caseInsensitiveCompare(one, two), rhs: Build.build_Arg(ComparisonResult.orderedSame)),
          "\(text.text).caseInsensitiveCompare(\(other.text)) == .orderedSame")
      case 4:
        Sketched(
          Build.build_Equal(
            lhs: Build.build_localizedCompare(one, two), rhs: Build.build_Arg(ComparisonResult.orderedAscending)),
          "\(text.text).localizedCompare(\(other.text)) == .orderedAscending")
      default: Sketched(Build.build_KeyPath(root: one, keyPath: \String.isEmpty), "\(text.text).isEmpty")
      }
    }
    return test(text.part, other.part)
  }

  /// `$0.nick?.contains("a")`
  private func optionalStrings(_ text: Sketched<String?>, _ other: String, _ function: Int) -> Sketched<Bool?> {
    func map(_ root: some StandardPredicateExpression<String?>) -> Sketched<Bool?> {
      switch function {
      case 0, 3:
        let result = mapped(root) {
          Build.build_contains($0, Build.build_Arg(other))
        }
        return Sketched(result, "\(text.text)?.contains(\(String(reflecting: other)))")
      case 1, 4:
        let result = mapped(root) {
          Build.build_starts($0, with: Build.build_Arg(other))
        }
        return Sketched(result, "\(text.text)?.starts(with: \(String(reflecting: other)))")
      case 2:
        let result = mapped(root) {
          Build.build_localizedStandardContains($0, Build.build_Arg(other))
        }
        return Sketched(result, "\(text.text)?.localizedStandardContains(\(String(reflecting: other)))")
      default: return Sketched(chained(root, \String.isEmpty), "\(text.text)?.isEmpty")
      }
    }
    return map(text.part)
  }

  // MARK: Comparisons

  private func comparison<Value: RandomValue, Model: PersistentModel>(
    _ type: Value.Type, _ object: Build.Variable<Model>, _ depth: Int
  ) -> Condition {
    if once(in: 3), let optional = optional(type, of: object) { return optionals(optional, type, object) }
    let left = value(type, of: object, depth: depth)
    if let ordered = type as? any OrderedValue.Type, !once(in: 3) {
      func order<Ordered: OrderedValue>(_: Ordered.Type) -> Condition? {
        guard let left = left as? Sketched<Ordered> else { return nil }
        return once(in: 4) ? inRange(left) : self.ordered(left, right(Ordered.self, object, depth))
      }
      if let condition = order(ordered) { return condition }
    }
    if once(in: 4) {
      let members = (0..<below(5)).map { _ in Value.random(&world.random) }
      return contained(left, members)
    }
    return compared(left, right(type, object, depth), isEqual: !once(in: 3))
  }

  private func right<Value: RandomValue, Model: PersistentModel>(
    _ type: Value.Type, _ object: Build.Variable<Model>, _ depth: Int
  ) -> Sketched<Value> {
    once(in: 2) ? captured(.random(&world.random)) : value(type, of: object, depth: max(0, depth - 1))
  }

  private func optionals<Value: RandomValue, Model: PersistentModel>(
    _ left: Sketched<Value?>, _ type: Value.Type, _ object: Build.Variable<Model>
  ) -> Condition {
    func isNil(_ one: some StandardPredicateExpression<Value?>, _ isEqual: Bool) -> Condition {
      isEqual
        ? Sketched(Build.build_Equal(lhs: one, rhs: Build.build_NilLiteral()), "(\(left.text) == nil)")
        : Sketched(Build.build_NotEqual(lhs: one, rhs: Build.build_NilLiteral()), "(\(left.text) != nil)")
    }
    switch below(4) {
    case 0: return isNil(left.part, once(in: 2))
    case 1:
      let members = (0..<below(5)).map { _ in once(in: 3) ? nil : Value.random(&world.random) }
      return contained(left, members)
    case 2:
      if let right = optional(type, of: object) { return compared(left, right, isEqual: once(in: 2)) }
    default: break
    }
    return compared(left, captured(Value?.some(.random(&world.random))), isEqual: once(in: 2))
  }

  private func contained<Value: Codable & Hashable & Sendable>(
    _ value: Sketched<Value>, _ members: [Value]
  ) -> Condition {
    let isSet = once(in: 2)
    func contain(_ one: some StandardPredicateExpression<Value>) -> Part<Bool> {
      isSet
        ? Build.build_contains(Build.build_Arg(Set(members)), one) : Build.build_contains(Build.build_Arg(members), one)
    }
    return Sketched(contain(value.part), "\(members).contains(\(value.text))")
  }

  private func ordered<Value: OrderedValue>(_ left: Sketched<Value>, _ right: Sketched<Value>) -> Condition {
    let (operation, sign) = [
      (Build.ComparisonOperator.lessThan, "<"), (.lessThanOrEqual, "<="), (.greaterThan, ">"),
      (.greaterThanOrEqual, ">="),
    ][below(4)]
    func compare(
      _ one: some StandardPredicateExpression<Value>, _ two: some StandardPredicateExpression<Value>
    ) -> Part<Bool> { Build.build_Comparison(lhs: one, rhs: two, op: operation) }
    return Sketched(compare(left.part, right.part), "(\(left.text) \(sign) \(right.text))")
  }

  private func inRange<Value: OrderedValue>(_ value: Sketched<Value>) -> Condition {
    let one = Value.random(&world.random)
    let other = Value.random(&world.random)
    let (low, high) = one <= other ? (one, other) : (other, one)
    let form = below(4)
    func contain(_ value: some StandardPredicateExpression<Value>) -> Part<Bool> {
      switch form {
      case 0: Build.build_contains(Build.build_Arg(low...high), value)
      case 1: Build.build_contains(Build.build_Arg(low..<high), value)
      case 2:
        Build.build_contains(
          Build.build_ClosedRange(lower: Build.build_Arg(low), upper: Build.build_Arg(high)), value)
      default:
        Build.build_contains(Build.build_Range(lower: Build.build_Arg(low), upper: Build.build_Arg(high)), value)
      }
    }
    let sign = form % 2 == 0 ? "..." : "..<"
    return Sketched(
      contain(value.part), "(\(String(reflecting: low))\(sign)\(String(reflecting: high))).contains(\(value.text))")
  }
}
