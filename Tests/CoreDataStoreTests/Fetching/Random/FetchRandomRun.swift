import Foundation
import ManagedModel
import StoreRequests
import TestSupport
import Testing

/// Asks a random store for random things, and compares the answers with those of memory.
struct FetchRandomRun<Engine: ValueEngine> {
  let world: FetchRandomWorld<Engine>
  let questions: FetchRandomQuestions<Engine>
  let seed: UInt64
  private(set) var numbers: SplitMix
  /// How many rows the requests have.
  private(set) var sizes: Set<Int> = []
  /// How many requests the engine carried out alone, and how many not.
  private(set) var decided = 0
  private(set) var undecided = 0
  private var failures = 0

  init(
    _ world: FetchRandomWorld<Engine>, _ questions: FetchRandomQuestions<Engine>, seed: UInt64, _ numbers: SplitMix
  ) {
    self.world = world
    self.questions = questions
    self.seed = seed
    self.numbers = numbers
  }

  // MARK: Requests

  mutating func expectRequests(_ count: Int) {
    let twin = FetchRandomTwin(world: world, questions: questions)
    let world = world
    var random = FetchRandomExpressions(world.random, numbers) { world.all($0).map(\.identity) }
    for _ in 0..<count where failures < 5 {
      let request = random.request()
      if twin.problem(request) != nil { fail(twin.report(request, seed: seed)) }
      note(twin.isDecided(request))
      sizes.insert(twin.keys(request).count)
      let values = random.valueRequest()
      if twin.problem(values) != nil { fail(twin.report(values, seed: seed)) }
      note(twin.isDecided(values))
    }
  }

  private mutating func note(_ isDecided: Bool) { if isDecided { decided += 1 } else { undecided += 1 } }

  private mutating func fail(_ report: String) {
    failures += 1
    Issue.record("\(report)")
  }

  /// Compares predicates in `NSPredicate`'s format, their trees and their rows.
  mutating func expectFormats(_ count: Int) throws {
    let twin = FetchRandomTwin(world: world, questions: questions)
    var random = FetchRandomFormats(world, numbers)
    for _ in 0..<count where failures < 5 {
      let entity = world.random.entities[random.numbers.below(world.random.entities.count)].name
      let tree = random.predicate(entity, depth: 3)
      let parsed = try #require(PredicateParser.predicate(tree.format), "seed \(seed): \(tree.format)")
      #expect(parsed.format == tree.format, "seed \(seed)")
      let expected = try world.all(entity).filter { try random.holds(tree, for: $0) }.map(\.key)
      let predicate = try FetchExpression(format: tree.format, of: entity, in: world.store.entities)
      let request = FetchRequest(entityName: entity, predicate: predicate)
      let isDecided = twin.isDecided(request)
      let found = try isDecided ? world.store.keys(request).map(\.key).sorted() : twin.fetched(request)
      note(isDecided)
      if isDecided ? found != expected : !Set(found).isSuperset(of: expected) {
        fail("seed \(seed), \(entity): \(tree.format)\n\(predicate)\nselected \(found), expected \(expected)")
      }
      sizes.insert(expected.count)
    }
  }

  // MARK: Contents

  /// Compares each row, value and relationship.
  func expectContents() throws {
    for entity in world.random.entities {
      try expectAttributes(entity.name)
      for relationship in world.random.relationships(entity.name) where relationship.isToMany {
        try expectMembers(entity.name, relationship)
      }
    }
  }

  private func expectAttributes(_ entity: String) throws {
    let names = world.random.attributes(entity).map(\.name)
    let columns = names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    let cursor = try world.store.fetch(
      FetchRequest(entityName: entity, sortTerms: [SortTerm(expression: .object(FetchPath()))], columns: columns))
    var objects = world.all(entity)[...]
    while try cursor.next() {
      guard let object = objects.popFirst() else { break }
      #expect(cursor.object == object.identity, "seed \(seed)")
      var column = 0
      for attribute in world.random.attributes(entity) {
        let paths =
          attribute.elements.isEmpty ? [attribute.name] : attribute.elements.map { "\(attribute.name).\($0.name)" }
        for path in paths {
          let found = FetchTestEvaluator.Value.plain(cursor.value(column)).normalized
          #expect(found == .plain(object.attributes[path] ?? .null).normalized, "seed \(seed): \(entity).\(path)")
          column += 1
        }
      }
    }
    #expect(objects.isEmpty, "seed \(seed): \(entity)")
  }

  private func expectMembers(_ entity: String, _ relationship: RelationshipDescription) throws {
    let owners = world.all(entity)
    let cursor = try world.store.related(to: (entity, relationship.name), owners: owners.map(\.identity), columns: [])
    var found: [Int64: [Int64]] = [:]
    while try cursor.next() { found[cursor.owner, default: []].append(cursor.key) }
    for owner in owners {
      let expected = FetchTestEvaluator(world, owner).related(FetchPath(), relationship.name).map(\.key)
      #expect(
        found[owner.key] ?? [] == (relationship.isOrdered ? expected : expected.sorted()),
        "seed \(seed): \(entity) \(owner.key) \(relationship.name)")
    }
  }
}
