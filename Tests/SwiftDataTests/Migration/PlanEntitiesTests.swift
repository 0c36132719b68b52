import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// Versions in which a class is renamed twice, a class goes, and one stays.
private enum Chain {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Alpha.self, Note.self, Side.self] }
    @Model final class Alpha {
      var word: String
      @Relationship(deleteRule: .cascade, inverse: \Note.alpha) var notes: [Note] = []
      init(_ word: String) { self.word = word }
    }
    @Model final class Note {
      var text: String
      var alpha: Alpha?
      init(_ text: String) { self.text = text }
    }
    @Model final class Side {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Beta.self, Side.self] }
    @Model(originalName: "Alpha") final class Beta {
      var word: String
      init(_ word: String) { self.word = word }
    }
    @Model final class Side {
      var number: Int
      var level: Int = 3
      init(_ number: Int) { self.number = number }
    }
  }

  enum V3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Gamma.self, V2.Side.self] }
    @Model(originalName: "Beta") final class Gamma {
      var word: String
      var length: Int = 0
      init(_ word: String) { self.word = word }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self,
          willMigrate: { context in
            for alpha in try context.fetch(FetchDescriptor<V1.Alpha>()) {
              alpha.word += alpha.notes.map(\.text).sorted().joined()
            }
          }, didMigrate: nil),
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
      ]
    }
  }
}

/// The classes of a plan's versions are divided among a container's stores as those are that they become.
@Suite("The classes of a plan's versions in several stores")
struct PlanEntitiesTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private var second: URL { place.folder.appendingPathComponent("second.store") }

  private func fill(_ configurations: ModelConfiguration...) throws {
    let context = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: Chain.V1.self), configurations: configurations))
    let alpha = Chain.V1.Alpha("a")
    context.insert(alpha)
    alpha.notes = [Chain.V1.Note("1"), Chain.V1.Note("2")]
    context.insert(Chain.V1.Side(7))
    try context.save()
  }

  private func check(_ configurations: ModelConfiguration...) throws {
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Chain.V3.self), migrationPlan: Chain.Plan.self, configurations: configurations))
    #expect(try context.fetch(FetchDescriptor<Chain.V3.Gamma>()).map(\.word) == ["a12"])
    #expect(try context.fetch(FetchDescriptor<Chain.V2.Side>()).map { [$0.number, $0.level] } == [[7, 3]])
  }

  private func entityNames(_ url: URL) throws -> String? {
    try Connection(path: url.path, mode: .readOnly).text(
      "SELECT group_concat(Z_NAME) FROM (SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 1000 ORDER BY Z_NAME)")
  }

  @Test(
    "The only store has all classes of a version, with the schema given to its configuration or not",
    arguments: [false, true])
  func oneStore(isSchemaGiven: Bool) throws {
    func configuration(_ version: any VersionedSchema.Type) -> ModelConfiguration {
      isSchemaGiven
        ? ModelConfiguration(schema: Schema(versionedSchema: version), url: place.url)
        : ModelConfiguration(url: place.url)
    }
    try fill(configuration(Chain.V1.self))
    try check(configuration(Chain.V3.self))
    #expect(try entityNames(place.url) == "Gamma,Side")
  }

  @Test(
    "A renamed class stays in its store, and so does a class that goes, up to the stage that removes it",
    arguments: [false, true])
  func twoStores(isSchemaGiven: Bool) throws {
    func configuration(_ classes: [any PersistentModel.Type]) -> ModelConfiguration {
      isSchemaGiven
        ? ModelConfiguration("words", schema: Schema(classes), url: place.url)
        : ModelConfiguration("words", url: place.url)
    }
    func side(_ type: any PersistentModel.Type) -> ModelConfiguration {
      ModelConfiguration("sides", schema: Schema([type]), url: second)
    }
    try fill(configuration([Chain.V1.Alpha.self, Chain.V1.Note.self]), side(Chain.V1.Side.self))
    try check(configuration([Chain.V3.Gamma.self]), side(Chain.V2.Side.self))
    #expect(try entityNames(place.url) == "Gamma")
    #expect(try entityNames(second) == "Side")
  }
}
