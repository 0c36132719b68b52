import Foundation
import SwiftData

extension RandomConditions {
  /// A condition on other objects: on members of a relationship, or on one that may be missing.
  func related<Model: PersistentModel>(_ object: Build.Variable<Model>, depth: Int) -> Condition? {
    if !once(in: 3), let link = world.table(Model.self).toMany.randomElement(using: &world.random) {
      return members(object, link, depth: depth)
    }
    return reference(from: object)?.test(self, depth: depth)
  }

  private func members<Model: PersistentModel, Link: ToManyLink<Model>>(
    _ object: Build.Variable<Model>, _ link: Link, depth: Int
  ) -> Condition {
    typealias Member = Link.Destination
    let all = Build.build_KeyPath(root: object, keyPath: link.keyPath)
    let text = "$0.\(link.name)"
    switch below(7) {
    case 0: return Sketched(Build.build_KeyPath(root: all, keyPath: \[Member].isEmpty), "\(text).isEmpty")
    case 1: return compared(memberCount(object, link, depth: depth), captured(below(4)), isEqual: once(in: 2))
    case 2:
      if let condition = correlated(object, link) { return condition }
    default: break
    }
    return quantified(all, inner(Member.self, depth: depth), below(3), text)
  }

  private func quantified<Member>(
    _ all: some StandardPredicateExpression<[Member]>, _ inner: some InnerCondition<Member>, _ form: Int, _ text: String
  ) -> Condition {
    switch form {
    case 0: Sketched(Build.build_allSatisfy(all) { inner.on($0) }, "\(text).allSatisfy { \(inner.text) }")
    case 1:
      Sketched(
        Build.build_KeyPath(root: Build.build_filter(all) { inner.on($0) }, keyPath: \[Member].isEmpty),
        "\(text).filter { \(inner.text) }.isEmpty")
    default: Sketched(Build.build_contains(all) { inner.on($0) }, "\(text).contains { \(inner.text) }")
    }
  }

  func memberCount<Model: PersistentModel, Link: ToManyLink<Model>>(
    _ object: Build.Variable<Model>, _ link: Link, depth: Int
  ) -> Sketched<Int> {
    typealias Member = Link.Destination
    let all = Build.build_KeyPath(root: object, keyPath: link.keyPath)
    guard depth > 0, once(in: 2) else {
      return Sketched(Build.build_KeyPath(root: all, keyPath: \[Member].count), "$0.\(link.name).count")
    }
    func filtered(_ inner: some InnerCondition<Member>) -> Sketched<Int> {
      Sketched(
        Build.build_KeyPath(root: Build.build_filter(all) { inner.on($0) }, keyPath: \[Member].count),
        "$0.\(link.name).filter { \(inner.text) }.count")
    }
    return filtered(inner(Member.self, depth: depth - 1))
  }

  /// A test of members that reads the outer object as well.
  private func correlated<Model: PersistentModel, Link: ToManyLink<Model>>(
    _ object: Build.Variable<Model>, _ link: Link
  ) -> Condition? {
    let kind = Self.kinds[below(Self.kinds.count)]
    func correlate<Value: RandomValue>(_: Value.Type) -> Condition? {
      let outer = world.table(Model.self).values(Value.self).compactMap { $0 as? DirectPath<Model, Value> }
      let inner = world.table(Link.Destination.self).values(Value.self).compactMap {
        $0 as? DirectPath<Link.Destination, Value>
      }
      guard let one = outer.randomElement(using: &world.random), let two = inner.randomElement(using: &world.random)
      else { return nil }
      let all = Build.build_KeyPath(root: object, keyPath: link.keyPath)
      let left = Build.build_KeyPath(root: object, keyPath: one.keyPath)
      let text = "outer.\(one.name) == $0.\(two.name)"
      return once(in: 2)
        ? Sketched(
          Build.build_contains(all) {
            Build.build_Equal(lhs: left, rhs: Build.build_KeyPath(root: $0, keyPath: two.keyPath))
          }, "$0.\(link.name).contains { \(text) }")
        : Sketched(
          Build.build_allSatisfy(all) {
            Build.build_Equal(lhs: left, rhs: Build.build_KeyPath(root: $0, keyPath: two.keyPath))
          }, "$0.\(link.name).allSatisfy { \(text) }")
    }
    return correlate(kind)
  }
}
