import Foundation
import SwiftData
import TestSupport
import Testing

/// What migrations here offer beyond Apple's: stages with both sides or in SQL, inference for unlisted versions, backups, progress.
@Suite("Migration, beyond Apple's") struct MigrationBeyondTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Beyond-\(UUID().uuidString)")
    var store: URL { url.appendingPathComponent("Trips.store") }
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { LeftStores.remove(url) }
  }

  private enum BothSides: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] {
      [
        .sideBySide(fromVersion: TripsV1.self, toVersion: TripsV2.self) { old, new in
          let trips = try new.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
          for former in try old.fetch(FetchDescriptor<TripsV1.Trip>()) {
            let trip = trips.first { $0.name == former.name }
            trip?.slug = "\(former.places.count) places"
            new.insert(TripsV2.Note(text: "was \(former.name)"))
          }
        }
      ]
    }
  }

  private enum Statements: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] {
      [
        .sql(
          fromVersion: TripsV1.self, toVersion: TripsV2.self,
          willMigrate: ["UPDATE ZTRIP SET ZNAME = upper(ZNAME)"],
          didMigrate: ["UPDATE ZTRIP SET ZSLUG = lower(ZNAME)"])
      ]
    }
  }

  private enum Wrong: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] {
      [.sql(fromVersion: TripsV1.self, toVersion: TripsV2.self, didMigrate: ["UPDATE ZTRIP SET ZNOTHING = 1"])]
    }
  }

  private enum Late: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] { [TripsPlan.toV3] }
  }

  private func writeTrips(in folder: Folder) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: folder.store)])
    let context = ModelContext(container)
    for index in 0..<4 {
      let trip = TripsV1.Trip(name: "Trip \(index)", start: Date(timeIntervalSince1970: 0))
      context.insert(trip)
      trip.places = (0..<index).map { TripsV1.Place(title: "\($0)") }
    }
    try context.save()
  }

  private func migrated(
    _ plan: (any SchemaMigrationPlan.Type)?, _ options: MigrationOptions = MigrationOptions(), in folder: Folder
  ) throws -> ModelContext {
    var configuration = ModelConfiguration(url: folder.store)
    configuration.migration = options
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: plan, configurations: [configuration]))
  }

  @Test("A stage reads the old objects while it writes the new ones")
  func bothSides() throws {
    let folder = try Folder()
    try writeTrips(in: folder)
    let context = try migrated(BothSides.self, in: folder)
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.slug) == (0..<4).map { "\($0) places" })
    let notes = try context.fetch(FetchDescriptor<TripsV2.Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(notes.map(\.text) == (0..<4).map { "was Trip \($0)" })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.allSatisfy { !$0.contains("migrating") })
  }

  @Test("A stage in SQL runs in the migration's transaction")
  func statements() throws {
    let folder = try Folder()
    try writeTrips(in: folder)
    #expect(throws: SwiftDataError.self) { try migrated(Wrong.self, in: folder) }
    let context = try migrated(Statements.self, in: folder)
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == (0..<4).map { "TRIP \($0)" } && trips.map(\.slug) == (0..<4).map { "trip \($0)" })
  }

  @Test("A store whose version the plan does not list falls back to inference if the configuration says so")
  func infersUnlisted() throws {
    let folder = try Folder()
    try writeTrips(in: folder)
    enum Unlisted: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV2.self] }
      static var stages: [MigrationStage] { [] }
    }
    #expect(throws: SwiftDataError.self) { try migrated(Unlisted.self, in: folder) }
    var options = MigrationOptions()
    options.infersUnlistedVersions = true
    let context = try migrated(Unlisted.self, options, in: folder)
    #expect(try context.fetchCount(FetchDescriptor<TripsV2.Trip>()) == 4)
  }

  @Test("Progress names each stage, and a backup holds the store as it was", arguments: [true, false])
  func progressAndBackup(hasPlan: Bool) throws {
    let folder = try Folder()
    try writeTrips(in: folder)
    let seen = Seen()
    var options = MigrationOptions()
    options.backup = folder.url.appendingPathComponent("Before.store")
    options.progress = { seen.add($0) }
    _ = try migrated(hasPlan ? BothSides.self : nil, options, in: folder)
    #expect(seen.all.map(\.fractionCompleted) == [0, 1])
    #expect(seen.all.map(\.stage) == [hasPlan ? "TripsV1 to TripsV2" : "the changes", nil])
    let before = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: [ModelConfiguration(url: try #require(options.backup))])
    #expect(try ModelContext(before).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 4)
    // Nothing is to be done now, so nothing is copied or reported.
    try FileManager.default.removeItem(at: try #require(options.backup))
    _ = try migrated(hasPlan ? BothSides.self : nil, options, in: folder)
    #expect(seen.all.count == 2 && !FileManager.default.fileExists(atPath: options.backup?.path ?? ""))
  }

  private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [MigrationProgress] = []
    func add(_ value: MigrationProgress) { lock.withLock { values.append(value) } }
    var all: [MigrationProgress] { lock.withLock { values } }
  }
}
