import Foundation
import SwiftData

/// An object that may be missing: at the end of relationships to one object, or of another class.
protocol ObjectReference {
  func optional<Value: RandomValue>(_: Value.Type, _ random: RandomConditions) -> Sketched<Value?>?
  /// An object that a relationship leads to from this one, or this one as an object of a class below its own.
  func next(_ random: RandomConditions) -> (any ObjectReference)?
  func test(_ random: RandomConditions, depth: Int) -> RandomConditions.Condition
}

struct Reference<Model: PersistentModel>: ObjectReference {
  let object: Sketched<Model?>

  func optional<Value: RandomValue>(_: Value.Type, _ random: RandomConditions) -> Sketched<Value?>? {
    let table = random.world.table(Model.self)
    func through(_ root: some StandardPredicateExpression<Model?>) -> Sketched<Value?>? {
      if random.once(in: 2), let path = table.values(Value.self).randomElement(using: &random.world.random) {
        return Sketched(path.through(root), "\(object.text)?.\(path.name)")
      }
      let path = table.optionals(Value.self).randomElement(using: &random.world.random)
      return path.map { Sketched($0.through(root), "\(object.text)?.\($0.name)") }
    }
    return through(object.part)
  }

  func next(_ random: RandomConditions) -> (any ObjectReference)? {
    let table = random.world.table(Model.self)
    func follow(_ root: some StandardPredicateExpression<Model?>) -> (any ObjectReference)? {
      func along<Destination>(_ link: some ToOneLink<Model>, _ path: DirectOptionalPath<Model, Destination>)
        -> any ObjectReference where Destination: PersistentModel
      {
        Reference<Destination>(object: Sketched(path.through(root), "\(object.text)?.\(path.name)"))
      }
      func cast<Subclass: PersistentModel>(to: Subclass.Type) -> any ObjectReference {
        let result = flatMapped(root) { Build.ConditionalCast<_, Subclass>($0) }
        return Reference<Subclass>(object: Sketched(result, "(\(object.text) as? \(Subclass.self))"))
      }
      func below<Link: SubclassLink<Model>>(_: Link) -> any ObjectReference { cast(to: Link.Subclass.self) }
      func one<Link: ToOneLink<Model>>(_ link: Link) -> any ObjectReference { along(link, link.path) }
      if random.once(in: 3), let link = table.subclasses.randomElement(using: &random.world.random) {
        return below(link)
      }
      return table.toOne.randomElement(using: &random.world.random).map { one($0) }
    }
    return follow(object.part)
  }

  func test(_ random: RandomConditions, depth: Int) -> RandomConditions.Condition {
    let table = random.world.table(Model.self)
    func compared(_ root: some StandardPredicateExpression<Model?>) -> RandomConditions.Condition {
      switch random.below(6) {
      case 0:
        return Sketched(Build.build_Equal(lhs: root, rhs: Build.build_NilLiteral()), "(\(object.text) == nil)")
      case 1:
        return Sketched(Build.build_NotEqual(lhs: root, rhs: Build.build_NilLiteral()), "(\(object.text) != nil)")
      case 2:
        let id = random.world.anyObject(Model.self)?.persistentModelID
        let path = Sketched(chained(root, \Model.persistentModelID), "\(object.text)?.persistentModelID")
        return random.compared(path, random.captured(id), isEqual: random.once(in: 2))
      case 3:
        if let link = table.subclasses.randomElement(using: &random.world.random) { return isKind(root, link) }
      case 4:
        if let link = table.toMany.randomElement(using: &random.world.random) {
          return random.decided(members(root, link, random, depth))
        }
      default: break
      }
      // A condition on the object, such as `if let`.
      return random.decided(tested(root, random.inner(Model.self, depth: depth)))
    }
    return compared(object.part)
  }

  private func isKind<Link: SubclassLink<Model>>(
    _ root: some StandardPredicateExpression<Model?>, _: Link
  ) -> RandomConditions.Condition {
    Sketched(Build.TypeCheck<_, Link.Subclass>(root), "(\(object.text) is \(Link.Subclass.self))")
  }

  private func tested(
    _ root: some StandardPredicateExpression<Model?>, _ inner: some InnerCondition<Model>
  ) -> Sketched<Bool?> {
    let result = mapped(root) { inner.on($0) }
    return Sketched(result, "\(object.text).flatMap { \(inner.text) }")
  }

  private func members<Link: ToManyLink<Model>>(
    _ root: some StandardPredicateExpression<Model?>, _ link: Link, _ random: RandomConditions, _ depth: Int
  ) -> Sketched<Bool?> {
    let text = "\(object.text)?.\(link.name)"
    if random.once(in: 4) { return Sketched(emptiness(root, link.keyPath), "\(text).isEmpty") }
    return quantified(
      root, link.keyPath, random.inner(Link.Destination.self, depth: depth - 1), random.below(3), random.below(4), text)
  }

  private func quantified<Member>(
    _ root: some StandardPredicateExpression<Model?>, _ keyPath: any KeyPath<Model, [Member]> & Sendable,
    _ inner: some InnerCondition<Member>, _ form: Int, _ count: Int, _ text: String
  ) -> Sketched<Bool?> {
    switch form {
    case 0:
      let result = mapped(root) {
        Build.build_contains(Build.build_KeyPath(root: $0, keyPath: keyPath)) { inner.on($0) }
      }
      return Sketched(result, "\(text).contains { \(inner.text) }")
    case 1:
      let result = mapped(root) {
        Build.build_allSatisfy(Build.build_KeyPath(root: $0, keyPath: keyPath)) { inner.on($0) }
      }
      return Sketched(result, "\(text).allSatisfy { \(inner.text) }")
    default:
      let result = mapped(root) {
        Build.build_Comparison(
          lhs: Build.build_KeyPath(
            root: Build.build_filter(Build.build_KeyPath(root: $0, keyPath: keyPath)) { inner.on($0) },
            keyPath: \[Member].count), rhs: Build.build_Arg(count), op: .greaterThan)
      }
      return Sketched(result, "\(text).filter { \(inner.text) }.count > \(count)")
    }
  }

  private func emptiness<Member>(
    _ root: some StandardPredicateExpression<Model?>, _ keyPath: any KeyPath<Model, [Member]> & Sendable
  ) -> Part<Bool?> {
    let result = mapped(root) {
      Build.build_KeyPath(root: Build.build_KeyPath(root: $0, keyPath: keyPath), keyPath: \[Member].isEmpty)
    }
    return result
  }
}

extension RandomConditions {
  /// An object that may be missing, some steps away from another.
  func reference<Model: PersistentModel>(from object: Build.Variable<Model>) -> (any ObjectReference)? {
    let table = world.table(Model.self)
    func one<Link: ToOneLink<Model>>(_ link: Link) -> any ObjectReference {
      Reference(object: Sketched(link.path.on(object), "$0.\(link.path.name)"))
    }
    func cast<Link: SubclassLink<Model>>(_: Link) -> any ObjectReference {
      Reference(
        object: Sketched(
          Build.ConditionalCast<Build.Variable<Model>, Link.Subclass>(object), "($0 as? \(Link.Subclass.self))"))
    }
    var reference: (any ObjectReference)?
    if !table.toOne.isEmpty, !once(in: 3) || table.subclasses.isEmpty {
      reference = table.toOne.randomElement(using: &world.random).map { one($0) }
    } else {
      reference = table.subclasses.randomElement(using: &world.random).map { cast($0) }
    }
    for _ in 0..<below(3) { reference = reference?.next(self) ?? reference }
    return reference
  }
}
