import Foundation
import ManagedModel
import StoreRequests
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// Migrations that are shown before they are run.
@Suite("Plans of migrations") struct MigrationPlanTests {
  private func model(_ change: (inout EntityDescription) -> Void) -> ModelDescription {
    var model = FetchTestWorld.model
    for index in model.entities.indices { change(&model.entities[index]) }
    return model
  }

  /// A closed store, and the number of its rows by table.
  private func store() throws -> (world: FetchTestWorld, url: URL) {
    let world = try FetchTestWorld()
    let url = try #require(world.store.url)
    world.store.close()
    return (world, url)
  }

  @Test("A plan has the changes in words and the SQL, and writes nothing") func plan() throws {
    let (world, url) = try store()
    let before = try Data(contentsOf: url)
    let later = model { entity in
      if entity.name == "Person" {
        entity.properties.append(.attribute(AttributeDescription(name: "note", type: .string, isOptional: true)))
      }
    }
    let plan = try PersistentStore.migrationPlan(at: url, to: later)
    #expect(plan.changes.map(\.description) == ["entity “Person”, property “note” is added (attribute)"])
    let statements = plan.steps.compactMap { if case .run(let sql) = $0 { sql } else { nil } }
    #expect(statements.contains { $0.contains("ADD COLUMN ZNOTE") })
    #expect(!plan.isUpToDate && plan.refusal == nil)
    #expect(try Data(contentsOf: url) == before)
    let own = try PersistentStore.migrationPlan(at: url, to: FetchTestWorld.model)
    #expect(own.isUpToDate && own.steps.isEmpty && own.changes.isEmpty)
    withExtendedLifetime(world) {}
  }

  @Test("A change that no row can follow is the refusal of the plan") func refusal() throws {
    let (world, url) = try store()
    let later = model { entity in
      for case (let index, .attribute(var attribute)) in entity.properties.enumerated() where attribute.name == "score"
      {
        attribute.type = .uuid
        entity.properties[index] = .attribute(attribute)
      }
    }
    let plan = try PersistentStore.migrationPlan(at: url, to: later)
    #expect(plan.refusal?.obstacle.property == "score" && !plan.changes.isEmpty && plan.steps.isEmpty)
    withExtendedLifetime(world) {}
  }

  @Test("All reasons are found with their numbers of rows, and nothing stays of the attempt") func obstacles() throws {
    let (world, url) = try store()
    let later = model { entity in
      guard ["Person", "House"].contains(entity.name) else { return }
      entity.properties.append(.attribute(AttributeDescription(name: "code", type: .string)))
    }
    let before = try PlainSQL.rows(url, "SELECT sql FROM sqlite_master ORDER BY name")
    let obstacles = try PersistentStore.migrationObstacles(at: url, to: later)
    #expect(obstacles.allSatisfy { $0.obstacle.reason == .missingValue(of: .newProperty) })
    let counts = Dictionary(grouping: obstacles, by: \.obstacle.entity).mapValues { $0.compactMap(\.rowCount) }
    #expect(Set(counts.keys) == ["Employee", "House", "Person"])
    #expect(counts["House"] == [Int64(world.all("House").count)])
    let people = (counts["Person"] ?? []) + (counts["Employee"] ?? [])
    #expect(people.count == 2 && people.reduce(0, +) == Int64(world.all("Person").count))
    #expect(try PlainSQL.rows(url, "SELECT sql FROM sqlite_master ORDER BY name") == before)
    #expect(throws: MigrationError.self) { try PersistentStore.migrate(at: url, through: [later]) }
    #expect(try PersistentStore.migrationObstacles(at: url, to: FetchTestWorld.model) == [])
  }

  @Test("Progress goes up to the end, and its error leaves the store as it was") func progress() throws {
    struct Stop: Error {}
    let (world, url) = try store()
    let later = model { entity in
      if entity.name == "House" {
        entity.properties.append(.attribute(AttributeDescription(name: "x", type: .string, isOptional: true)))
      }
    }
    #expect(throws: Stop.self) {
      try StatementProgress { if $0 > 0.5 { throw Stop() } }.whileRunning {
        try PersistentStore.migrate(at: url, through: [later])
      }
    }
    try PersistentStore.open(at: url, model: FetchTestWorld.model).close()
    let shares = Mutex<[Double]>([])
    try StatementProgress { share in shares.withLock { $0.append(share) } }.whileRunning {
      try PersistentStore.migrate(at: url, through: [later])
    }
    let seen = shares.withLock { $0 }
    #expect(seen == seen.sorted() && seen.first == 0 && (seen.last ?? 0) > 0.5)
    withExtendedLifetime(world) {}
  }
}
