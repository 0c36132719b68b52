import ManagedModel
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Random stores, whose models are changed at random: a migration keeps every value and pair that the new model has, or is refused
/// and changes nothing.
@Suite("Random migrations") struct MigrationRandomTests {
  private static let firstSeed = UInt64(FullTests.setting("MIGRATION_SEED") ?? 20_261_123)
  private static let count = FullTests.setting("MIGRATION_COUNT") ?? (FullTests.areWanted ? 10_000 : 10)

  @Test("Rows and relationships are the same before and after, or the migration is refused")
  func randomPairs() throws {
    var migrated = 0
    for number in 0..<Self.count {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let url = try #require(world.store.url)
      // Random stores have keys that lead nowhere, which the checker reports.
      let known = try FormatFailures(url).lines
      let model = RandomModelChanges.changed(world.store.layout.model, &numbers)
      let reference = try MigrationReference(world.store)
      world.store.close()
      do {
        try PersistentStore.migrate(at: url, through: [model])
        migrated += 1
      } catch is MigrationError {
        // Rows are in the way.
      }
      let store = try PersistentStore.open(at: url)
      let problems = try reference.problems(in: store)
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
      store.close()
      let new = try FormatFailures(url).lines.subtracting(known)
      #expect(new.isEmpty, "seed \(seed): \(new)")
    }
    #expect(migrated * 2 > Self.count)
  }

  @Test("Entities that the new model does not mention keep their rows")
  func keepsOtherEntities() throws {
    for number in 0..<(Self.count / 2) {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let url = try #require(world.store.url)
      let known = try FormatFailures(url).lines
      let original = world.store.layout.model
      let left = original.entities.filter { candidate in
        !original.entities.contains { $0.superentityName == candidate.name }
      }
      let omitted = left[numbers.below(left.count)].name
      var model = original
      model.entities.removeAll { $0.name == omitted }
      for index in model.entities.indices {
        model.entities[index].properties.removeAll {
          if case .relationship(let relationship) = $0 { relationship.destinationEntityName == omitted } else { false }
        }
        model.entities[index].properties.append(RandomModelChanges.attribute("added", default: "d"))
      }
      let reference = try MigrationReference(world.store)
      world.store.close()
      try PersistentStore.migrate(at: url, through: [model], keepsOtherEntities: true)
      let store = try PersistentStore.open(at: url, model: model)
      #expect(store.layout.entity(named: omitted) != nil)
      let problems = try reference.problems(in: store)
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
      store.close()
      let new = try FormatFailures(url).lines.subtracting(known)
      #expect(new.isEmpty, "seed \(seed): \(new)")
    }
  }
}
