import Foundation
import SwiftData
import Testing

/// A custom store carries out the container's migration plan; ``JSONFileStore`` renames fields.
@Suite("Migration of custom stores", .temporaryFolder)
struct CustomStoreMigrationTests {
  enum First: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Note {
      var title: String
      var rank: Int
      init(title: String, rank: Int) { (self.title, self.rank) = (title, rank) }
    }
  }

  enum Second: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Note {
      @Attribute(originalName: "title") var heading: String
      var rank: Int
      init(heading: String, rank: Int) { (self.heading, self.rank) = (heading, rank) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
  }

  private let url = TemporaryFolder.url.appendingPathComponent("Notes.json")

  @Test func `A store migrates its objects by the stages of the plan that the container hands to it`() throws {
    try makeFirstVersion()
    // The second opening finds a file that is migrated.
    for opening in 1...2 {
      let container = try ModelContainer(
        for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self,
        configurations: [JSONFileConfiguration(url: url)])
      let context = ModelContext(container)
      let notes = try context.fetch(FetchDescriptor<Second.Note>(sortBy: [SortDescriptor(\.rank)]))
      #expect(notes.map(\.heading) == ["boots", "rope"] && notes.map(\.rank) == [1, 2], "opening \(opening)")
    }
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.contains("heading") && !text.contains("title"))
  }

  @Test func `Without a plan, the file keeps its fields`() throws {
    try makeFirstVersion()
    let container = try ModelContainer(
      for: Schema(versionedSchema: Second.self), configurations: [JSONFileConfiguration(url: url)])
    let notes = try ModelContext(container).fetch(FetchDescriptor<Second.Note>(sortBy: [SortDescriptor(\.rank)]))
    #expect(notes.map(\.rank) == [1, 2] && notes.allSatisfy { $0.heading.isEmpty })
    #expect(try String(contentsOf: url, encoding: .utf8).contains("title"))
  }

  /// Saves notes of the first version.
  private func makeFirstVersion() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: First.self), configurations: [JSONFileConfiguration(url: url)]))
    context.insert(First.Note(title: "boots", rank: 1))
    context.insert(First.Note(title: "rope", rank: 2))
    try context.save()
  }
}
