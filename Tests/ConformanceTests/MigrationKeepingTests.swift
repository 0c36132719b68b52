import Foundation
import SwiftData
import TestSupport
import Testing

private enum GardenV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self, Tool.self, Tree.self] }

  @Model class Plant {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Tree: Plant {
    var height: Double = 0
    init(name: String, height: Double) {
      self.height = height
      super.init(name: name)
    }
  }

  @Model final class Tool {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum GardenV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self] }

  @Model class Plant {
    var name: String
    var age: Int = 1
    init(name: String) { self.name = name }
  }
}

private enum GardenV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self, Tool.self, Tree.self] }

  @Model class Plant {
    var name: String
    var age: Int = 1
    init(name: String) { self.name = name }
  }

  @Model final class Tree: Plant {
    var height: Double = 0
    init(name: String, height: Double) {
      self.height = height
      super.init(name: name)
    }
  }

  @Model final class Tool {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// Two versions with equal shapes, and code between them.
private enum PlantsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self] }

  @Model final class Plant {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum PlantsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self] }

  @Model final class Plant {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum PlantsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PlantsV1.self, PlantsV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PlantsV1.self, toVersion: PlantsV2.self, willMigrate: nil,
        didMigrate: { for plant in try $0.fetch(FetchDescriptor<PlantsV2.Plant>()) { plant.name += "!" } })
    ]
  }
}

@Suite("Migration of other programs' entities, and of equal versions", ChapterPlace.condition)
struct MigrationKeepingTests {
  private func context(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil, in store: TemporaryStore
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  @Test("Without a plan, rows of classes that the schema does not mention stay, subclasses too")
  func keepsOtherRows() throws {
    let store = try TemporaryStore(name: "Garden.store")
    let old = try context(GardenV1.self, in: store)
    old.insert(GardenV1.Plant(name: "fern"))
    old.insert(GardenV1.Tree(name: "oak", height: 20))
    old.insert(GardenV1.Tool(name: "spade"))
    try old.save()

    let narrow = try context(GardenV2.self, in: store)
    let plants = try narrow.fetch(FetchDescriptor<GardenV2.Plant>(sortBy: [SortDescriptor(\.name)]))
    #expect(plants.map(\.name) == ["fern", "oak"] && plants.map(\.age) == [1, 1])
    plants[1].age = 100
    try narrow.save()

    let whole = try context(GardenV3.self, in: store)
    #expect(try whole.fetch(FetchDescriptor<GardenV3.Tool>()).map(\.name) == ["spade"])
    let tree = try #require(whole.fetch(FetchDescriptor<GardenV3.Tree>()).first)
    #expect(tree.height == 20 && tree.age == 100)
  }

  @Test("A stage between versions with equal hashes runs once, and not for a new store")
  func equalVersions() throws {
    let store = try TemporaryStore(name: "Garden.store")
    let old = try context(PlantsV1.self, in: store)
    old.insert(PlantsV1.Plant(name: "fern"))
    try old.save()
    for _ in 0..<2 {
      let new = try context(PlantsV2.self, plan: PlantsPlan.self, in: store)
      #expect(try new.fetch(FetchDescriptor<PlantsV2.Plant>()).map(\.name) == ["fern!"])
    }

    let fresh = try TemporaryStore(name: "Garden.store")
    for _ in 0..<2 {
      let container = try ModelContainer(
        for: PlantsV2.Plant.self, migrationPlan: PlantsPlan.self, configurations: ModelConfiguration(url: fresh.url))
      let context = ModelContext(container)
      if try context.fetchCount(FetchDescriptor<PlantsV2.Plant>()) == 0 {
        context.insert(PlantsV2.Plant(name: "moss"))
        try context.save()
      }
      #expect(try context.fetch(FetchDescriptor<PlantsV2.Plant>()).map(\.name) == ["moss"])
    }
  }
}
