import Foundation
import SwiftData
import TestSupport
import Testing

/// Runs the stages that the generator makes of mapping models.
@Suite("Stages of mapping models, generated")
struct GeneratedMappingTests {
  /// The first step of the generated plan.
  private enum FirstStep: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DepotSchemaV1.self, DepotSchemaV2.self] }
    static var stages: [MigrationStage] { [DepotMigrationPlan.migrateV1toV2] }
  }

  private func open(
    _ version: any VersionedSchema.Type, _ url: URL, through plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: url)]))
  }

  private func fill(_ url: URL) throws {
    let context = try open(DepotSchemaV1.self, url)
    let shelf = DepotSchemaV1.Shelf(label: "North")
    let items = [("Rope", 4.25), ("Gift", 0), ("Hook", 1)].map {
      DepotSchemaV1.Item(price: $0.1, title: $0.0, shelf: nil)
    }
    context.insert(shelf)
    items.forEach(context.insert)
    items[0].shelf = shelf
    let boss = DepotSchemaV1.Clerk(name: "Ada", shift: 3, boss: nil)
    let clerk = DepotSchemaV1.Clerk(name: "Bo", shift: nil, boss: boss)
    let nameless = DepotSchemaV1.Clerk(name: "", shift: nil, boss: boss)
    [boss, clerk, nameless].forEach(context.insert)
    try context.save()
  }

  @Test("Filters, key paths, arithmetic, constants, conversions and relationships arrive as the mapping model says")
  func values() throws {
    let store = try TemporaryStore()
    try fill(store.url)
    let context = try open(DepotSchemaV2.self, store.url, through: FirstStep.self)
    let wares = try context.fetch(FetchDescriptor<DepotSchemaV2.Ware>(sortBy: [SortDescriptor(\.name)]))
    #expect(wares.map(\.name) == ["Hook", "Rope"])
    #expect(wares.map(\.cents) == [100, 425])
    #expect(wares.allSatisfy { $0.isOld && $0.source == "1" })
    #expect(wares.map(\.shelfLabel) == [nil, "North"])
    #expect(wares.map { $0.rack?.code } == [nil, "North"])
    let racks = try context.fetch(FetchDescriptor<DepotSchemaV2.Rack>())
    #expect(racks.map { $0.wares?.map(\.name) } == [["Rope"]])
    let clerks = try context.fetch(FetchDescriptor<DepotSchemaV2.Clerk>(sortBy: [SortDescriptor(\.name)]))
    #expect(clerks.map(\.name) == ["ADA", "BO"])
    #expect(clerks.map(\.shift) == [3, nil])
    #expect(clerks.map(\.teamSize) == [2, 0])
    #expect(clerks.map { $0.boss?.name } == [nil, "ADA"])
  }

  @Test("A policy class that nobody has written in Swift stops the migration and leaves the store as it was")
  func unwritten() throws {
    let store = try TemporaryStore()
    try fill(store.url)
    let error = #expect(throws: (any Error).self) {
      try open(DepotSchemaV3.self, store.url, through: DepotMigrationPlan.self)
    }
    #expect(error.map { "\($0)" }?.contains("Not written yet") == true)
    let context = try open(DepotSchemaV1.self, store.url)
    #expect(try context.fetchCount(FetchDescriptor<DepotSchemaV1.Item>()) == 3)
  }
}
