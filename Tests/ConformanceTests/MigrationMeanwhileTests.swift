import Foundation
import SwiftData
import Testing

/// Migrations while other containers use the store: nobody writes with old classes, or reads rows that have changed.
@Suite("Migration beside other containers", ChapterPlace.condition) struct MigrationMeanwhileTests {
  @Test("A container that is open while the store is migrated neither reads nor writes with its old classes")
  func openContainerNotices() throws {
    let folder = try TripsFolder()
    let old = try folder.open(TripsV1.self)
    let context = ModelContext(old)
    let trip = try #require(context.fetch(FetchDescriptor<TripsV1.Trip>()).first)
    trip.name = "changed"
    let new = try folder.open(TripsV2.self)

    for attempt in [{ try context.save() }, { _ = try ModelContext(old).fetch(FetchDescriptor<TripsV1.Trip>()) }] {
      let error = #expect(throws: SwiftDataError.self) { try attempt() }
      #expect(error?.explanation?.contains("was migrated") == true, "\(String(describing: error))")
    }
    let names = try ModelContext(new).fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name)
    #expect(!names.contains("changed") && names.count == 5)
  }

  @Test("A reader that has fetched before notices a migration at its next fetch of the same kind")
  func openReaderNotices() throws {
    let folder = try TripsFolder()
    let context = ModelContext(try folder.open(TripsV1.self))
    #expect(try context.fetch(FetchDescriptor<TripsV1.Trip>()).count == 5)
    _ = try folder.open(TripsV2.self)
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<TripsV1.Trip>()) }
  }
}
