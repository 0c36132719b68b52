import Foundation
import SwiftData
import TestSupport
import Testing

private enum Garden {
  @Model class Plant {
    @Attribute(.unique) var code: String
    var height: Int = 0
    var notes: String?
    var bed: Bed?

    init(code: String) { self.code = code }
  }

  @Model final class Tree: Plant {
    var rings: Int?
  }

  @Model final class Bed {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Plant.bed) var plants: [Plant] = []

    init(name: String) { self.name = name }
  }
}

@Suite("Schemas that describe entities without classes, and their stores")
struct DescribedSchemaTests {
  private let store: TemporaryStore
  private var configuration: ModelConfiguration { ModelConfiguration(url: store.url) }

  init() throws { store = try TemporaryStore() }

  /// The entities of ``Garden``, from names and types alone.
  private func described(heightModifier: String? = nil) -> Schema {
    let bed = Schema.Relationship()
    bed.name = "bed"
    bed.valueType = Any?.self
    bed.destination = "Bed"
    bed.inverseName = "plants"
    let plants = Schema.Relationship(deleteRule: .cascade)
    plants.name = "plants"
    plants.valueType = [Any].self
    plants.destination = "Plant"
    plants.inverseName = "bed"
    let tree = Schema.Entity("Tree", properties: Schema.Attribute(name: "rings", valueType: Int?.self))
    let plant = Schema.Entity(
      "Plant", subentities: tree,
      properties: Schema.Attribute(name: "code", options: [.unique], valueType: String.self),
      Schema.Attribute(name: "height", valueType: Int.self, defaultValue: 0, hashModifier: heightModifier),
      Schema.Attribute(name: "notes", valueType: String?.self), bed)
    let name = Schema.Attribute(name: "name", valueType: String.self)
    return Schema(plant, tree, Schema.Entity("Bed", properties: name, plants))
  }

  /// - Parameter isMigrated: whether its tables may differ from those of a new store, as after a migration.
  private func check(isMigrated: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try Oracle.expectSound(store.url, fresh: !isMigrated, sourceLocation: sourceLocation)
  }

  @Test func `A store of described entities is the store of the classes, which save and read in it`() throws {
    do {
      let container = try ModelContainer(for: described(), configurations: configuration)
      #expect(container.schema.entities.map(\.name).sorted() == ["Bed", "Plant", "Tree"])
    }
    try check()
    let made = try Data(contentsOf: store.url)
    let container = try ModelContainer(for: Garden.Tree.self, configurations: configuration)
    // The version hashes are equal, so that opening migrates nothing.
    #expect(try Data(contentsOf: store.url) == made)

    let context = ModelContext(container)
    let bed = Garden.Bed(name: "south")
    let tree = Garden.Tree(code: "oak")
    (tree.rings, tree.bed) = (90, bed)
    let moss = Garden.Plant(code: "moss")
    moss.bed = bed
    for plant in [tree, moss] { context.insert(plant) }
    try context.save()
    let fresh = ModelContext(container)
    let found = try fresh.fetch(FetchDescriptor<Garden.Plant>(sortBy: [SortDescriptor(\.code)]))
    #expect(found.map(\.code) == ["moss", "oak"] && found.map(\.height) == [0, 0])
    #expect((found.last as? Garden.Tree)?.rings == 90 && found.first?.bed?.plants.count == 2)

    // The described rules are those of the store: the unique code, and the cascade.
    let other = Garden.Plant(code: "moss")
    other.notes = "again"
    fresh.insert(other)
    try fresh.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden.Plant>()) == 2)
    try check()
    fresh.delete(try #require(try fresh.fetch(FetchDescriptor<Garden.Bed>()).first))
    try fresh.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden.Tree>()) == 0)
    try check()
  }

  @Test func `A container of described entities opens the store of the classes, and keeps its rows`() throws {
    do {
      let context = ModelContext(try ModelContainer(for: Garden.Tree.self, configurations: configuration))
      context.insert(Garden.Tree(code: "oak"))
      try context.save()
      let container = try ModelContainer(for: described(), configurations: configuration)
      #expect(container.schema.entitiesByName["Plant"]?.subentities.map(\.name) == ["Tree"])
      #expect(!ModelContext(container).hasChanges)
    }
    let container = try ModelContainer(for: Garden.Tree.self, configurations: configuration)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Garden.Plant>()).map(\.code) == ["oak"])
    try check()
  }

  @Test func `Described entities that differ from the classes are another version, which is migrated`() throws {
    do { _ = try ModelContainer(for: described(heightModifier: "2"), configurations: configuration) }
    let made = try Data(contentsOf: store.url)
    let container = try ModelContainer(for: Garden.Tree.self, configurations: configuration)
    #expect(try Data(contentsOf: store.url) != made)
    let context = ModelContext(container)
    context.insert(Garden.Plant(code: "moss"))
    try context.save()
    try check(isMigrated: true)
  }
}
