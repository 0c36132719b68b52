import Foundation
import SwiftData
import TestSupport

/// A store of the first version of the trip planner, in a folder of the test's own, which goes when the test ends.
final class TripsFolder {
  private let place: TemporaryStore
  var url: URL { place.folder }
  var store: URL { place.url }

  /// Writes trips with no place, one place, two places …
  init(trips count: Int = 5, file: String = #fileID) throws {
    place = try TemporaryStore(name: "Trips.store", file: file)
    let context = ModelContext(try open(TripsV1.self))
    for index in 0..<count {
      let trip = TripsV1.Trip(name: "Trip \(index)", start: Date(timeIntervalSince1970: 0))
      context.insert(trip)
      trip.places = (0..<index).map { TripsV1.Place(title: "\($0)") }
    }
    try context.save()
  }

  func open(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil,
    options: MigrationOptions = MigrationOptions()
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan,
      configurations: [ModelConfiguration(url: store, migration: options)])
  }
}

/// The progress that a migration reports.
final class SeenProgress: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [MigrationProgress] = []
  func add(_ value: MigrationProgress) { lock.withLock { values.append(value) } }
  var all: [MigrationProgress] { lock.withLock { values } }
}
