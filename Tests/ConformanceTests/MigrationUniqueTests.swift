import Foundation
import SwiftData
import TestSupport
import Testing

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self] }

  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

/// The version that the error asks for.
private enum Between: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 1, 0)
  static var models: [any PersistentModel.Type] { [Tag.self] }

  @Model final class Tag {
    var name: String
    var code: String = ""
    init(_ name: String) { self.name = name }
  }
}

private enum Last: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self] }

  @Model final class Tag {
    var name: String
    @Attribute(.unique) var code: String = ""
    init(_ name: String) { self.name = name }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Between.self, Last.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: First.self, toVersion: Between.self, willMigrate: nil,
        didMigrate: { context in
          for tag in try context.fetch(FetchDescriptor<Between.Tag>()) { tag.code = tag.name.uppercased() }
          try context.save()
        }), .lightweight(fromVersion: Between.self, toVersion: Last.self),
    ]
  }
}

@Suite("Migration to a new unique property", ChapterPlace.condition) struct MigrationUniqueTests {
  @Test("Rows with one default value are in the way; the plan that the error asks for sets other values")
  func added() throws {
    let store = try TemporaryStore(name: "Tags.store")
    let configuration = ModelConfiguration(url: store.url)
    let context = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: First.self), configurations: [configuration]))
    for name in ["a", "b"] { context.insert(First.Tag(name)) }
    try context.save()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(versionedSchema: Last.self), configurations: [configuration])
    }
    let text = try #require(error?.explanation)
    #expect(text.contains("a version before, where this is not unique, and set it in didMigrate"), "\(text)")
    #expect(!text.contains("remove the others"), "\(text)")
    let migrated = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Last.self), migrationPlan: Plan.self, configurations: [configuration]))
    let tags = try migrated.fetch(FetchDescriptor<Last.Tag>(sortBy: [SortDescriptor(\.name)]))
    #expect(tags.map(\.code) == ["A", "B"])
  }
}
