import Foundation
import ManagedModel
import StoreRequests
import TestSupport

/// Makes predicates in `NSPredicate`'s format over a random world, and evaluates them in memory without lowering them.
struct FetchRandomFormats<Engine: ValueEngine> {
  let world: FetchRandomWorld<Engine>
  var numbers: SplitMix
  private var variableCount = 0

  init(_ world: FetchRandomWorld<Engine>, _ numbers: SplitMix) {
    self.world = world
    self.numbers = numbers
  }

  typealias Value = PredicateValue<FetchTestEvaluator.Value>

  // MARK: Making

  private mutating func attribute(_ entity: String, throughToMany: Bool) -> (path: String, type: AttributeType)? {
    for _ in 0..<8 {
      var entity = entity
      var names: [String] = []
      var isThroughToMany = false
      while numbers.once(in: 2) || throughToMany && !isThroughToMany, names.count < 4 {
        let steps = world.random.relationships(entity).filter { throughToMany || !$0.isToMany }
        guard !steps.isEmpty else { break }
        let step = steps[numbers.below(steps.count)]
        names.append(step.name)
        isThroughToMany = isThroughToMany || step.isToMany
        entity = step.destinationEntityName
      }
      let attributes = world.random.attributes(entity).filter {
        $0.elements.isEmpty && $0.type != .binary && $0.type != .uuid
      }
      guard isThroughToMany == throughToMany, !attributes.isEmpty else { continue }
      let attribute = attributes[numbers.below(attributes.count)]
      return ((names + [attribute.name]).joined(separator: "."), attribute.type)
    }
    return nil
  }

  private mutating func constant(_ type: AttributeType) -> ExpressionTree {
    switch RandomRows.value(type, &numbers) {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    // The format's text has no character of number 0.
    case .text(let text): .string(text.replacing("\0", with: "x"))
    case .null, .blob: .null
    }
  }

  private mutating func comparison(_ entity: String, _ base: ExpressionTree) -> PredicateTree {
    let isQuantified = numbers.once(in: 3)
    guard let (path, type) = attribute(entity, throughToMany: isQuantified) else { return .value(numbers.once(in: 2)) }
    let left = ExpressionTree.keyPath(of: base, path)
    let isText = type == .string || type == .uri
    let options = PredicateTree.Options(rawValue: isText && type == .string ? [0, 0, 1, 2, 3][numbers.below(5)] : 0)
    let modifier: PredicateTree.Modifier = isQuantified ? (numbers.once(in: 2) ? .any : .all) : .direct
    let plain: [PredicateTree.Operator] = [
      .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .in, .between,
    ]
    let ofTexts: [PredicateTree.Operator] = [.contains, .beginsWith, .endsWith, .like]
    var relation = isText && numbers.once(in: 2) ? ofTexts[numbers.below(4)] : plain[numbers.below(8)]
    // Takes no number, so that the other predicates of a seed stay as they are.
    var ahead = numbers
    if relation == .like, ahead.once(in: 2) { relation = .matches }
    let right: ExpressionTree
    switch relation {
    case .in: right = .list((0..<numbers.below(4)).map { _ in constant(type) })
    case .between: right = .list([constant(type), constant(type)])
    default: right = numbers.once(in: 6) && (relation == .equal || relation == .notEqual) ? .null : constant(type)
    }
    return .comparison(left, relation, right, modifier, options)
  }

  private mutating func counted(_ entity: String, _ base: ExpressionTree, depth: Int) -> PredicateTree {
    let candidates = world.random.relationships(entity).filter(\.isToMany)
    guard !candidates.isEmpty else { return comparison(entity, base) }
    let relationship = candidates[numbers.below(candidates.count)]
    variableCount += 1
    let collection = ExpressionTree.keyPath(of: base, relationship.name)
    let name = "v\(variableCount)"
    let count: ExpressionTree =
      numbers.once(in: 2)
      ? .keyPath(of: base, relationship.name + ".@count")
      : .keyPath(
        of: .subquery(
          of: collection, variable: name,
          predicate(relationship.destinationEntityName, .variable(name), depth: depth - 1)
        ),
        "@count")
    return .comparison(
      count, numbers.once(in: 2) ? .greaterThan : .equal, .integer(Int64(numbers.below(3))), .direct, [])
  }

  mutating func predicate(_ entity: String, _ base: ExpressionTree = .evaluatedObject, depth: Int) -> PredicateTree {
    switch numbers.below(depth > 0 ? 8 : 3) {
    case 3: return .and([predicate(entity, base, depth: depth - 1), predicate(entity, base, depth: depth - 1)])
    case 4, 5: return .or([predicate(entity, base, depth: depth - 1), predicate(entity, base, depth: depth - 1)])
    case 6: return .not(predicate(entity, base, depth: depth - 1))
    case 7: return counted(entity, base, depth: depth)
    default: return comparison(entity, base)
    }
  }

  // MARK: Evaluating

  func holds(
    _ tree: PredicateTree, for object: FetchTestObject, _ named: [String: FetchTestObject] = [:]
  ) throws -> Bool {
    switch tree {
    case .value(let value): return value
    case .and(let parts): return try parts.allSatisfy { try holds($0, for: object, named) }
    case .or(let parts): return try parts.contains { try holds($0, for: object, named) }
    case .not(let part): return try !holds(part, for: object, named)
    case .comparison(let left, let relation, let right, let modifier, let options):
      return try value(left, for: object, named).holds(relation, value(right, for: object, named), modifier, options)
    }
  }

  private func value(
    _ tree: ExpressionTree, for object: FetchTestObject, _ named: [String: FetchTestObject]
  ) throws -> Value {
    switch tree {
    case .integer(let number): return .stored(.integer(number))
    case .real(let number): return .stored(.real(number))
    case .string(let text): return .stored(.text(text))
    case .list(let items): return .list(try items.map { try value($0, for: object, named) })
    case .keyPath(.subquery(.keyPath(let base, let name), let variable, let predicate), "@count"):
      let owner = self.object(base, object, named)
      let members = owner.map { FetchTestEvaluator(world, $0).related(FetchPath(), name) } ?? []
      return .stored(
        .integer(
          Int64(
            try members.count { member in
              try holds(predicate, for: object, named.merging([variable: member]) { $1 })
            })))
    case .keyPath(let base, let path):
      return walk(path.split(separator: ".").map(String.init)[...], from: self.object(base, object, named))
    default: return .null
    }
  }

  private func object(
    _ base: ExpressionTree, _ object: FetchTestObject, _ named: [String: FetchTestObject]
  ) -> FetchTestObject? {
    if case .variable(let name) = base { named[name] } else { object }
  }

  private func walk(_ names: ArraySlice<String>, from object: FetchTestObject?) -> Value {
    guard let name = names.first, let object else { return .null }
    let rest = names.dropFirst()
    let evaluator = FetchTestEvaluator(world, object)
    guard let relationship = world.random.relationships(object.entity).first(where: { $0.name == name }) else {
      return .stored(object.attributes[name] ?? .null)
    }
    guard relationship.isToMany else {
      let next = evaluator.object(FetchPath(relationships: [name]))
      guard next == nil, rest.contains(where: { _ in true }) else { return walk(rest, from: next) }
      return leadsThroughToMany(rest, from: relationship.destinationEntityName) ? .list([]) : .null
    }
    let members = evaluator.related(FetchPath(), name)
    if rest.first == "@count" { return .stored(.integer(Int64(members.count))) }
    return .list(
      members.flatMap { member -> [Value] in
        let value = walk(rest, from: member)
        return if case .list(let items) = value { items } else { [value] }
      })
  }

  /// Of no object there are no members, not one that is `nil`.
  private func leadsThroughToMany(_ names: ArraySlice<String>, from entity: String) -> Bool {
    guard let name = names.first,
      let relationship = world.random.relationships(entity).first(where: { $0.name == name })
    else { return false }
    return relationship.isToMany || leadsThroughToMany(names.dropFirst(), from: relationship.destinationEntityName)
  }
}
