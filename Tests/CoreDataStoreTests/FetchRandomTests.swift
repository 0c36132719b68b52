import ManagedModel
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Random models with random rows, and requests of them: what SQL gives is what evaluation in memory gives.
///
/// A failure says its seed; `FETCH_SEED` begins there, `FETCH_WORLDS` says how many worlds are made. The full run makes 100,000
/// fetches and 100,000 requests for values.
@Suite struct FetchRandomTests {
  private static let firstSeed = UInt64(FullTests.setting("FETCH_SEED") ?? 20_261_121)
  private static let worldCount = FullTests.setting("FETCH_WORLDS") ?? (FullTests.areWanted ? 1000 : 8)
  private static let requestCount = FullTests.areWanted ? 100 : 40

  @Test("Random requests of random stores: SQL gives what evaluation in memory gives")
  func requests() throws {
    var sizes: Set<Int> = []
    var failures = 0
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let twin = FetchRandomTwin(world: world)
      var random = FetchRandomExpressions(world.random, numbers) { world.all($0).map(\.identity) }
      for _ in 0..<Self.requestCount where failures < 5 {
        let request = random.request()
        if twin.problem(request) != nil {
          failures += 1
          Issue.record("\(twin.report(request, seed: seed))")
        }
        sizes.insert(twin.keys(request).count)
        let values = random.valueRequest()
        if twin.problem(values) != nil {
          failures += 1
          Issue.record("\(twin.report(values, seed: seed))")
        }
      }
    }
    if FullTests.setting("FETCH_WORLDS") == nil { #expect(sizes.count > 10, "the requests have to be wrapping") }
  }

  @Test("Random predicates in NSPredicate's format: text, tree and SQL say the same")
  func formats() throws {
    var sizes: Set<Int> = []
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      var random = FetchRandomFormats(world, numbers)
      for _ in 0..<Self.requestCount {
        let entity = world.random.entities[random.numbers.below(world.random.entities.count)].name
        let tree = random.predicate(entity, depth: 3)
        let parsed = try #require(PredicateParser.predicate(tree.format), "seed \(seed): \(tree.format)")
        #expect(parsed.format == tree.format, "seed \(seed)")
        let expected = try world.all(entity).filter { try random.holds(tree, for: $0) }.map(\.key)
        let predicate = try FetchExpression(format: tree.format, of: entity, in: world.store.entities)
        let found = try world.store.keys(FetchRequest(entityName: entity, predicate: predicate)).map(\.key).sorted()
        #expect(found == expected, "seed \(seed), \(entity): \(tree.format)\n\(predicate)")
        sizes.insert(expected.count)
      }
    }
    #expect(sizes.count > 6, "the predicates have to be wrapping")
  }

  @Test("Random stores give back every row, value and relationship")
  func contents() throws {
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      for entity in world.random.entities {
        try expectAttributes(entity.name, world, seed)
        for relationship in world.random.relationships(entity.name) where relationship.isToMany {
          try expectMembers(entity.name, relationship, world, seed)
        }
      }
    }
  }

  private func expectAttributes(_ entity: String, _ world: FetchRandomWorld, _ seed: UInt64) throws {
    let names = world.random.attributes(entity).map(\.name)
    let columns = names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    let cursor = try world.store.fetch(
      FetchRequest(entityName: entity, sortTerms: [SortTerm(expression: .object(FetchPath()))], columns: columns))
    var objects = world.all(entity)[...]
    while try cursor.next() {
      guard let object = objects.popFirst() else { break }
      #expect(cursor.object == object.identity, "seed \(seed)")
      var reader = cursor.reader()
      for attribute in world.random.attributes(entity) {
        let paths =
          attribute.elements.isEmpty ? [attribute.name] : attribute.elements.map { "\(attribute.name).\($0.name)" }
        for path in paths {
          let found = FetchTestEvaluator.Value.plain(reader.value()).normalized
          #expect(found == .plain(object.attributes[path] ?? .null).normalized, "seed \(seed): \(entity).\(path)")
        }
      }
    }
    #expect(objects.isEmpty, "seed \(seed): \(entity)")
  }

  private func expectMembers(
    _ entity: String, _ relationship: RelationshipDescription, _ world: FetchRandomWorld, _ seed: UInt64
  ) throws {
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
