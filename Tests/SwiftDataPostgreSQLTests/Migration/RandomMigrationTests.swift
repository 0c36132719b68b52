import Foundation
import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import PostgreSQLStore

/// Random models, rows and changes of models: a PostgreSQL store has the same rows after a migration as a Core Data store, or refuses as
/// that does, and is as it was.
@Suite("Random migrations in two engines", TestServer.condition)
struct RandomMigrationTests {
  private static let firstSeed = UInt64(FullTests.setting("MIGRATION_SEED") ?? 20_261_123)
  private static let count = FullTests.setting("MIGRATION_COUNT") ?? (FullTests.areWanted ? 1_000 : 3)

  @Test(
    "Rows, values, relationships and orders are the same after a migration of both stores", arguments: [false, true])
  func randomPairs(structure: Bool) throws {
    let server = try #require(TestServer.shared)
    var migrated = 0
    var possible = 0
    for number in 0..<Self.count {
      let seed = Self.firstSeed &+ UInt64(number)
      do { try compare(seed, structure, server, &migrated, &possible) } catch { Issue.record("seed \(seed): \(error)") }
    }
    #expect(migrated * 4 > possible && possible * 3 > Self.count, "\(migrated) of \(possible)")
  }

  /// Seeds in which a relationship to a subclass leads to a row that is merged into a row of the superclass.
  @Test(
    "A link to a merged row is cleared if it cannot lead to the kept row",
    arguments: [20_270_602, 20_270_669] as [UInt64])
  func keptRowOfSuperclass(seed: UInt64) throws {
    let server = try #require(TestServer.shared)
    var (migrated, possible) = (0, 0)
    for structure in [false, true] { try compare(seed, structure, server, &migrated, &possible) }
    #expect(possible > 0)
  }

  /// Members of several classes join the members of a kept row.
  @Test("The members of merged rows keep their order behind those of the kept row")
  func orderOfMergedMembers() throws {
    let server = try #require(TestServer.shared)
    var (migrated, possible) = (0, 0)
    for structure in [false, true] { try compare(20_262_017, structure, server, &migrated, &possible) }
    #expect(possible > 0)
  }

  private func compare(
    _ seed: UInt64, _ structure: Bool, _ server: TestServer, _ migrated: inout Int, _ possible: inout Int
  ) throws {
    let world = try TwinStores(seed: seed, server)
    defer { world.close() }
    if seed % 2 == 1 { try world.makeOlder() }
    var numbers = SplitMix(seed: seed &* 31)
    // The later migration begins with the definitions that the earlier one has made.
    for _ in 0..<2 { try compare(seed, structure, world, &numbers, &migrated, &possible) }
  }

  private func compare(
    _ seed: UInt64, _ structure: Bool, _ world: TwinStores, _ numbers: inout SplitMix, _ migrated: inout Int,
    _ possible: inout Int
  ) throws {
    let model =
      structure
      ? RandomModelChanges.restructured(world.model, &numbers) : RandomModelChanges.changed(world.model, &numbers)
    // A Core Data store is not migrated between models with equal hashes.
    guard let hashes = try? VersionHashes(model), try hashes != VersionHashes(world.model),
      model.validate().allSatisfy({ $0.severity != .error })
    else { return }
    possible += 1
    // Of several reasons each engine may find another one first.
    let (file, database) = try (world.migrateFile(to: model), world.migrateDatabase(to: model))
    let reasons = [file, database].map { $0.map { "\($0)" } ?? "migrated" }
    #expect((file == nil) == (database == nil), "seed \(seed): \(reasons)")
    guard (file == nil) == (database == nil) else { return }
    if file == nil { migrated += 1 }
    let differences = try world.differences(file == nil ? model : world.model)
    #expect(differences.isEmpty, "seed \(seed): \(differences.prefix(6))")
    #expect(try world.pendingDefinitions() == [], "seed \(seed)")
    if file == nil { world.settle(model) }
  }
}
