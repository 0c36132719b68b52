import Foundation
import ManagedModel
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Random stores and random mapping models: a migration gives the rows, values and links that the mapping model's expressions give in memory,
/// or is refused where these have no place, and changes nothing.
@Suite("Random mapping models") struct MappingRandomTests {
  private static let firstSeed = UInt64(FullTests.setting("MAPPING_SEED") ?? 20_261_123)
  private static let count = FullTests.setting("MAPPING_COUNT") ?? (FullTests.areWanted ? 10_000 : 10)

  @Test("Rows, values and links are those of the expressions, worked out in memory")
  func randomMappings() throws {
    var migrated = 0
    for number in 0..<Self.count {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let url = try #require(world.store.url)
      let model = world.store.layout.model
      let random = RandomMapping(of: model, &numbers)
      let before = try StoredRows(world.store)
      world.store.close()
      let resolution = try MappingResolution(random.mapping, from: model, to: random.destination)
      let reference: MappedReference?
      do {
        reference = try MappedReference(
          resolution, of: before, to: StoreLayout(model: random.destination), filters: random.filters)
      } catch is MappedReference.Refused {
        reference = nil
      }
      do {
        try PersistentStore.migrate(at: url, by: random.mapping, from: model, to: random.destination)
        migrated += 1
        #expect(reference != nil, "seed \(seed): rows without a place")
      } catch let error as MigrationError {
        #expect(reference == nil, "seed \(seed): \(error.problem)")
      }
      let store = try PersistentStore.open(at: url)
      let after = try StoredRows(store)
      let isMigrated = try store.metadata.hashes == VersionHashes(random.destination)
      store.close()
      if isMigrated, let reference {
        let problems = reference.problems(in: after)
        #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
        // Keys that lead nowhere stay behind.
        let failures = try FormatFailures(url).lines
        #expect(failures.isEmpty, "seed \(seed): \(failures)")
      } else {
        #expect(after.rows == before.rows, "seed \(seed)")
      }
    }
    #expect(migrated * 2 > Self.count, "\(migrated) of \(Self.count)")
  }
}

/// The facts of the format that a store breaks.
struct FormatFailures {
  let lines: Set<String>

  init(_ url: URL) throws {
    let report = try Oracle.checkStore(url)
    lines = Set(
      report.output.split(separator: "\n").filter { $0.contains("  FAIL  ") }.map { line in
        line.split(separator: " ").prefix(6).joined(separator: " ")
      })
  }
}
