import Foundation
import SwiftData
import Testing

/// Versions of a schema are kept side by side; a plan names them in order.
@Suite("Schema versions", ChapterPlace.condition)
struct SchemaVersionsTests {
  // Samples declare a stored “static var versionIdentifier”, which the Swift 6 mode of any compiler rejects: it is shared mutable
  // state. Swift 5 mode takes it.
  enum NotesV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model
    final class Note {
      var title: String
      var createdAt: Date
      init(title: String) {
        self.title = title
        self.createdAt = .now
      }
    }
  }

  enum NotesV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model
    final class Note {
      var title: String
      var createdAt: Date
      var dueDate: Date?
      var slug: String
      init(title: String) {
        self.title = title
        self.createdAt = .now
        self.slug = title.lowercased().replacingOccurrences(of: " ", with: "-")
      }
    }
  }

  enum NotesPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
    static var stages: [MigrationStage] { [migrateV1toV2] }

    static let migrateV1toV2 = MigrationStage.custom(
      fromVersion: NotesV1.self, toVersion: NotesV2.self, willMigrate: nil,
      didMigrate: { context in
        for note in try context.fetch(FetchDescriptor<NotesV2.Note>()) {
          note.slug = note.title.lowercased().replacingOccurrences(of: " ", with: "-")
        }
        try context.save()
      })
  }

  enum LightPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
    static var stages: [MigrationStage] {
      [MigrationStage.lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self)]
    }
  }

  @Test func `versions are ordered`() {
    #expect(NotesV1.versionIdentifier < NotesV2.versionIdentifier)
    #expect(Schema(versionedSchema: NotesV2.self).version == Schema.Version(2, 0, 0))
    #expect(Schema.Version(1, 10, 0) > Schema.Version(1, 9, 9))
  }

  @Test func `classes of two versions have one entity's name`() {
    #expect(Schema.entityName(for: NotesV1.Note.self) == "Note")
    #expect(Schema.entityName(for: NotesV2.Note.self) == "Note")
  }

  @Test(arguments: [true, false])
  func `a plan whose last version is the schema opens a new store`(_ isCustom: Bool) throws {
    let plan: any SchemaMigrationPlan.Type = isCustom ? NotesPlan.self : LightPlan.self
    let container = try ModelContainer(
      for: NotesV2.Note.self, migrationPlan: plan, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(container.migrationPlan == plan)
    let context = ModelContext(container)
    context.insert(NotesV2.Note(title: "First note"))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<NotesV2.Note>()).map(\.slug) == ["first-note"])
  }

  @Test func `a schema is kept in a file`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Schema-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let schema = Schema([NotesV2.Note.self], version: Schema.Version(2, 1, 0))
    try schema.save(to: url)
    let loaded = try Schema.load(from: url)
    #expect(loaded.version == Schema.Version(2, 1, 0))
    #expect(loaded.entitiesByName["Note"]?.attributesByName.keys.sorted() == ["createdAt", "dueDate", "slug", "title"])
  }
}
