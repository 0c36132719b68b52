import Foundation
import SwiftData
import Testing

/// The examples of the article on migrations.
@Suite("Migrating stores", .temporaryFolder, ChapterPlace.condition) struct MigratingStoresTests {
  enum TripsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      init(name: String) { self.name = name }
    }
  }

  enum TripsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Note.self] }

    @Model final class Trip {
      var name: String
      var slug: String = ""
      init(name: String) { self.name = name }
    }

    @Model final class Note {
      var text: String
      init(text: String) { self.text = text }
    }
  }

  enum TripsV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self, Note.self] }

    @Model final class Trip {
      var name: String
      @Attribute(.unique) var slug: String = ""
      init(name: String) { self.name = name }
    }

    @Model final class Note {
      var text: String
      init(text: String) { self.text = text }
    }
  }

  typealias Trip = TripsV3.Trip

  enum TripsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
        .custom(
          fromVersion: TripsV2.self, toVersion: TripsV3.self,
          willMigrate: { context in
            for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) { trip.slug = trip.name.lowercased() }
            try context.save()
          }, didMigrate: nil),
      ]
    }
  }

  enum OtherPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
    static var stages: [MigrationStage] { [toV2, toV3] }

    static let toV2 = MigrationStage.sideBySide(fromVersion: TripsV1.self, toVersion: TripsV2.self) { old, new in
      for trip in try old.fetch(FetchDescriptor<TripsV1.Trip>()) { new.insert(TripsV2.Note(text: "was \(trip.name)")) }
    }

    static let toV3 = MigrationStage.sql(
      fromVersion: TripsV2.self, toVersion: TripsV3.self, willMigrate: ["UPDATE ZTRIP SET ZSLUG = lower(ZNAME)"])
  }

  /// The file of a store of the first version.
  private func store(_ names: String...) throws -> URL {
    let url = TemporaryFolder.url.appendingPathComponent("Trips.store")
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: url)]))
    for name in names { context.insert(TripsV1.Trip(name: name)) }
    try context.save()
    return url
  }

  private func slugs(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Trip>()).map { "\($0.name) \($0.slug)" }.sorted()
  }

  @Test func `Without a plan, the changes are inferred`() throws {
    let url = try store("Alps")
    let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    #expect(try slugs(container) == ["Alps "])
  }

  @Test func `A plan of a light and a custom stage fills a property before it becomes unique`() throws {
    let url = try store("Alps", "Rila")
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self,
      configurations: [ModelConfiguration(url: url)])
    #expect(try slugs(container) == ["Alps alps", "Rila rila"])
  }

  @Test(.enabled(if: ChapterPlace.hasFiles, "the stage's SQL is about the tables of a file"))
  func `A stage with both sides adds objects, and a stage in SQL fills a property`() throws {
    let url = try store("Alps", "Rila")
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self), migrationPlan: OtherPlan.self,
      configurations: [ModelConfiguration(url: url)])
    #expect(try slugs(container) == ["Alps alps", "Rila rila"])
    let notes = try ModelContext(container).fetch(FetchDescriptor<TripsV3.Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(notes.map(\.text) == ["was Alps", "was Rila"])
  }
}
