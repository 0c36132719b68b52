import Foundation
import SwiftData
import TestSupport
import Testing

/// Migrations while other containers use the store: each stage's changes arrive once, and nobody writes with old classes.
@Suite("Migration beside other containers", .serialized) struct MigrationMeanwhileTests {
  /// A plan whose stage lets another container write to the store before its own result is published.
  enum Interrupted: SchemaMigrationPlan {
    nonisolated(unsafe) static var store: URL?
    nonisolated(unsafe) static var runs = 0

    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TripsV1.self, toVersion: TripsV2.self,
          willMigrate: { _ in
            runs += 1
            guard let url = store else { return }
            store = nil
            let context = ModelContext(
              try ModelContainer(
                for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: url)]))
            context.insert(TripsV1.Trip(name: "Late", start: Date(timeIntervalSince1970: 0)))
            try context.save()
          },
          didMigrate: { context in context.insert(TripsV2.Note(text: "migrated")) })
      ]
    }
  }

  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Meanwhile-\(UUID().uuidString)")
    var store: URL { url.appendingPathComponent("Trips.store") }
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { LeftStores.remove(url) }
  }

  private func container(_ version: any VersionedSchema.Type, in folder: Folder) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: folder.store)])
  }

  private func writeTrips(in folder: Folder) throws -> ModelContainer {
    let container = try container(TripsV1.self, in: folder)
    let context = ModelContext(container)
    for index in 0..<5 { context.insert(TripsV1.Trip(name: "Trip \(index)", start: Date(timeIntervalSince1970: 0))) }
    try context.save()
    return container
  }

  @Test(
    "If another container writes to the store during a custom stage, the stages run again, and their changes arrive once"
  )
  func stagesRunOnce() throws {
    let folder = try Folder()
    _ = try writeTrips(in: folder)
    Interrupted.store = folder.store
    Interrupted.runs = 0
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV2.self), migrationPlan: Interrupted.self,
      configurations: [ModelConfiguration(url: folder.store)])
    #expect(Interrupted.runs == 2)
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<TripsV2.Note>()).map(\.text) == ["migrated"])
    #expect(try context.fetchCount(FetchDescriptor<TripsV2.Trip>()) == 6)
  }

  @Test("A container that is open while the store is migrated neither reads nor writes with its old classes")
  func openContainerNotices() throws {
    let folder = try Folder()
    let old = try writeTrips(in: folder)
    let context = ModelContext(old)
    let trip = try #require(context.fetch(FetchDescriptor<TripsV1.Trip>()).first)
    trip.name = "changed"
    let new = try container(TripsV2.self, in: folder)

    for attempt in [{ try context.save() }, { _ = try ModelContext(old).fetch(FetchDescriptor<TripsV1.Place>()) }] {
      let error = #expect(throws: SwiftDataError.self) { try attempt() }
      #expect(error?.explanation?.contains("was migrated") == true, "\(String(describing: error))")
    }
    let names = try ModelContext(new).fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name)
    #expect(!names.contains("changed") && names.count == 5)
  }

  @Test("A reader that has fetched before notices a migration at its next fetch of the same kind")
  func openReaderNotices() throws {
    let folder = try Folder()
    let old = try writeTrips(in: folder)
    let context = ModelContext(old)
    #expect(try context.fetch(FetchDescriptor<TripsV1.Trip>()).count == 5)
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 5)
    _ = try container(TripsV2.self, in: folder)
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<TripsV1.Trip>()) }
    #expect(throws: SwiftDataError.self) { try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) }
  }
}
