import Foundation
import SwiftData
import TestSupport
import Testing

/// Migrations of a file: stages in SQL on its tables, backups, and the working copy, beside which others go on writing.
@Suite("Migration of a file", .serialized) struct MigrationFileTests {
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

  private enum TwoVersions: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] { [TripsPlan.toV2] }
  }

  /// A plan whose stage lets another container write to the store before its own result is published.
  enum Interrupted: SchemaMigrationPlan {
    nonisolated(unsafe) static var store: URL?
    nonisolated(unsafe) static var runs = 0
    nonisolated(unsafe) static var writesEachTime = false

    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TripsV1.self, toVersion: TripsV2.self,
          willMigrate: { _ in
            runs += 1
            guard let url = store else { return }
            if !writesEachTime { store = nil }
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

  @Test("A context that is kept after its stage says that the store is closed")
  func keptContext() throws {
    enum Keeping: SchemaMigrationPlan {
      nonisolated(unsafe) static var kept: [ModelContext] = []
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: TripsV1.self, toVersion: TripsV2.self, willMigrate: { kept.append($0) },
            didMigrate: { kept.append($0) })
        ]
      }
    }
    defer { Keeping.kept = [] }
    _ = try TripsFolder().open(TripsV2.self, plan: Keeping.self)
    let reads: [() throws -> Int] = [
      { try Keeping.kept[0].fetchCount(FetchDescriptor<TripsV1.Trip>()) },
      { try Keeping.kept[1].fetch(FetchDescriptor<TripsV2.Trip>()).count },
    ]
    for read in reads {
      let error = #expect(throws: SwiftDataError.storeFailure) { try read() }
      #expect(error?.explanation?.contains("is closed") == true, "\(error?.explanation ?? "")")
    }
  }

  @Test("A stage in SQL runs in the migration's transaction")
  func statements() throws {
    let folder = try TripsFolder()
    #expect(throws: SwiftDataError.self) { try folder.open(TripsV2.self, plan: Wrong.self) }
    let context = ModelContext(try folder.open(TripsV2.self, plan: Statements.self))
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == (0..<5).map { "TRIP \($0)" } && trips.map(\.slug) == (0..<5).map { "trip \($0)" })
  }

  @Test("A backup holds the store as it was, and none is made if nothing is to be done", arguments: [true, false])
  func backup(hasPlan: Bool) throws {
    let folder = try TripsFolder()
    let place = folder.url.appendingPathComponent("Before.store")
    var options = MigrationOptions()
    options.backup = place
    _ = try folder.open(TripsV2.self, plan: hasPlan ? TwoVersions.self : nil, options: options)
    let before = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: place)])
    #expect(try ModelContext(before).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 5)
    try FileManager.default.removeItem(at: place)
    _ = try folder.open(TripsV2.self, plan: hasPlan ? TwoVersions.self : nil, options: options)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test(
    "If another container writes to the store during a custom stage, the stages run again, and their changes arrive once"
  )
  func stagesRunOnce() throws {
    let folder = try TripsFolder()
    (Interrupted.store, Interrupted.runs, Interrupted.writesEachTime) = (folder.store, 0, false)
    let context = ModelContext(try folder.open(TripsV2.self, plan: Interrupted.self))
    #expect(Interrupted.runs == 2)
    #expect(try context.fetch(FetchDescriptor<TripsV2.Note>()).map(\.text) == ["migrated"])
    #expect(try context.fetchCount(FetchDescriptor<TripsV2.Trip>()) == 6)
  }

  @Test("If another container writes to the store each time, the third attempt is the last, and its rows stay")
  func writtenEachTime() throws {
    let folder = try TripsFolder()
    (Interrupted.store, Interrupted.runs, Interrupted.writesEachTime) = (folder.store, 0, true)
    defer { Interrupted.store = nil }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try folder.open(TripsV2.self, plan: Interrupted.self)
    }
    #expect(error?.explanation?.contains("other programs wrote to it each time") == true, "\(error as Any)")
    #expect(Interrupted.runs == 3)
    #expect(try ModelContext(folder.open(TripsV1.self)).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 8)
  }

  @Test("A store of an older version that is opened for reading only is refused with the reason, and stays as it was")
  func readOnly() throws {
    let folder = try TripsFolder()
    let before = try Data(contentsOf: folder.store)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: TwoVersions.self,
        configurations: [ModelConfiguration(url: folder.store, allowsSave: false)])
    }
    #expect(error?.explanation?.contains("does not allow saving (allowsSave: false)") == true, "\(error as Any)")
    #expect(error?.explanation?.contains("slug") == true, "\(error as Any)")
    #expect(try Data(contentsOf: folder.store) == before)
  }

  @Test("Nothing stays of the copy that a stage with both sides reads")
  func copy() throws {
    let folder = try TripsFolder()
    _ = try folder.open(TripsV2.self, plan: MigrationBeyondTests.BothSides.self)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.contains("Trips.store") && names.allSatisfy { !$0.contains("migrating") }, "\(names)")
  }

  @Test("A container that is open notices a migration also where the rows that it reads have not changed")
  func unchangedRows() throws {
    let folder = try TripsFolder()
    let context = ModelContext(try folder.open(TripsV1.self))
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 5)
    _ = try folder.open(TripsV2.self)
    for _ in 0..<2 {
      for attempt in [
        { _ = try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) },
        { _ = try context.fetch(FetchDescriptor<TripsV1.Place>()) },
      ] {
        let error = #expect(throws: SwiftDataError.self) { try attempt() }
        #expect(error?.explanation?.contains("was migrated") == true, "\(String(describing: error))")
      }
    }
  }
}
