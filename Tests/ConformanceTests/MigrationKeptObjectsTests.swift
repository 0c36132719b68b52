import Foundation
import SwiftData
import Testing

private enum KeptV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, List.self] }

  @Model final class Item {
    var number: Int
    var list: List?
    init(_ number: Int, of list: List) { (self.number, self.list) = (number, list) }
  }

  @Model final class List {
    var name: String
    @Relationship(inverse: \Item.list) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }
}

private enum KeptV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model final class Item {
    var number: Int
    var listName = "?"
    init(_ number: Int) { self.number = number }
  }
}

/// A plan whose first closure keeps objects for the second one.
private enum KeepingPlan: SchemaMigrationPlan {
  /// The objects that a migration keeps.
  final class Kept: @unchecked Sendable {
    let keepsNames: Bool
    var items: [KeptV1.Item] = []
    var names: [String?] = []
    init(keepsNames: Bool) { self.keepsNames = keepsNames }
  }

  @TaskLocal static var kept = Kept(keepsNames: true)

  static var schemas: [any VersionedSchema.Type] { [KeptV1.self, KeptV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: KeptV1.self, toVersion: KeptV2.self,
        willMigrate: { context in
          kept.items = try context.fetch(FetchDescriptor<KeptV1.Item>())
          if kept.keepsNames { kept.names = kept.items.map { $0.list?.name } }
        },
        didMigrate: { context in
          let listNames = kept.keepsNames ? kept.names : kept.items.map { $0.list?.name }
          let names = Dictionary(uniqueKeysWithValues: zip(kept.items.map(\.number), listNames))
          for item in try context.fetch(FetchDescriptor<KeptV2.Item>()) {
            item.listName = (names[item.number] ?? nil) ?? "none"
          }
        })
    ]
  }
}

/// Objects that `willMigrate` keeps and `didMigrate` reads.
@Suite("Migration, kept objects", ChapterPlace.condition, .temporaryFolder) struct MigrationKeptObjectsTests {
  private func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let url = TemporaryFolder.url.appendingPathComponent("Lists.store")
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: url)]))
  }

  private func fill() throws {
    let context = try open(KeptV1.self)
    let list = KeptV1.List("Shopping")
    for number in 0..<2 { context.insert(KeptV1.Item(number, of: list)) }
    try context.save()
  }

  @Test(
    "An object whose values were not read before its stage ended fails the migration, and the store stays as it was")
  func unread() throws {
    try fill()
    let error = try KeepingPlan.$kept.withValue(KeepingPlan.Kept(keepsNames: false)) {
      try #require(
        #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open(KeptV2.self, plan: KeepingPlan.self) })
    }
    #expect("\(error)".contains("V1.List was read after its stage; read it in willMigrate"), "\(error)")
    let items = try open(KeptV1.self).fetch(FetchDescriptor<KeptV1.Item>())
    #expect(items.map { $0.list?.name } == ["Shopping", "Shopping"])
  }

  @Test("An object that was fetched keeps its values")
  func read() throws {
    try fill()
    let context = try KeepingPlan.$kept.withValue(KeepingPlan.Kept(keepsNames: true)) {
      try open(KeptV2.self, plan: KeepingPlan.self)
    }
    #expect(try context.fetch(FetchDescriptor<KeptV2.Item>()).map(\.listName) == ["Shopping", "Shopping"])
  }
}
