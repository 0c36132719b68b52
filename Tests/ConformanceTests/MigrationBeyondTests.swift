import Foundation
import SwiftData
import Testing

/// What migrations here offer beyond Apple's: stages with both sides, inference for unlisted versions, progress.
@Suite("Migration, beyond Apple's", ChapterPlace.condition) struct MigrationBeyondTests {
  enum BothSides: SchemaMigrationPlan {
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

  @Test("A stage reads the old objects while it writes the new ones")
  func bothSides() throws {
    let folder = try TripsFolder()
    let context = ModelContext(try folder.open(TripsV2.self, plan: BothSides.self))
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.slug) == (0..<5).map { "\($0) places" })
    let notes = try context.fetch(FetchDescriptor<TripsV2.Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(notes.map(\.text) == (0..<5).map { "was Trip \($0)" })
  }

  @Test("A store whose version the plan does not list falls back to inference if the configuration says so")
  func infersUnlisted() throws {
    let folder = try TripsFolder()
    enum Unlisted: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
      static var stages: [MigrationStage] { [TripsPlan.toV3] }
    }
    #expect(throws: SwiftDataError.self) { try folder.open(TripsV2.self, plan: Unlisted.self) }
    var options = MigrationOptions()
    options.infersUnlistedVersions = true
    let context = ModelContext(try folder.open(TripsV2.self, plan: Unlisted.self, options: options))
    #expect(try context.fetchCount(FetchDescriptor<TripsV2.Trip>()) == 5)
  }

  @Test("Progress names each stage, and is silent if nothing is to be done", arguments: [true, false])
  func progress(hasPlan: Bool) throws {
    let folder = try TripsFolder()
    let seen = SeenProgress()
    var options = MigrationOptions()
    options.progress = { seen.add($0) }
    for _ in 0..<2 {
      _ = try folder.open(TripsV2.self, plan: hasPlan ? BothSides.self : nil, options: options)
      #expect(seen.all.map(\.fractionCompleted) == [0, 1])
      #expect(seen.all.map(\.stage) == [hasPlan ? "TripsV1 to TripsV2" : "the changes", nil])
    }
  }

  @Test("Progress of several stages grows in equal parts")
  func stages() throws {
    let folder = try TripsFolder()
    let seen = SeenProgress()
    var options = MigrationOptions()
    options.progress = { seen.add($0) }
    _ = try folder.open(TripsV3.self, plan: TripsPlan.self, options: options)
    #expect(seen.all.map(\.fractionCompleted) == [0, 0.5, 1])
    #expect(seen.all.map(\.stage) == ["TripsV1 to TripsV2", "TripsV2 to TripsV3", nil])
  }
}
