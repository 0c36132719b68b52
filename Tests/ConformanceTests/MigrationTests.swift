import Foundation
import SwiftData
import TestSupport
import Testing

/// Three versions of a trip planner: a slug is added, then a name is divided and duplicates are merged.
enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Place.self] }

  @Model final class Trip {
    var name: String
    var start: Date
    var rating: Int?
    @Relationship(deleteRule: .cascade, inverse: \Place.trip) var places: [Place] = []

    init(name: String, start: Date, rating: Int? = nil) {
      self.name = name
      self.start = start
      self.rating = rating
    }
  }

  @Model final class Place {
    var title: String
    var trip: Trip?

    init(title: String, trip: Trip? = nil) {
      self.title = title
      self.trip = trip
    }
  }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Place.self, Note.self] }

  @Model final class Trip {
    var name: String
    @Attribute(originalName: "start") var begins: Date
    var rating: Int = 3
    var slug: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Place.trip) var places: [Place] = []
    @Relationship(inverse: \Note.trips) var notes: [Note] = []

    init(name: String, begins: Date) {
      self.name = name
      self.begins = begins
    }
  }

  @Model final class Place {
    var title: String
    var trip: Trip?

    init(title: String) { self.title = title }
  }

  @Model final class Note {
    var text: String
    var trips: [Trip] = []

    init(text: String) { self.text = text }
  }
}

enum TripsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Place.self, Note.self] }

  @Model final class Trip {
    var name: String
    @Attribute(originalName: "start") var begins: Date
    var rating: Double = 3
    @Attribute(.unique) var slug: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Place.trip) var places: [Place] = []
    @Relationship(inverse: \Note.trips) var notes: [Note] = []

    init(name: String, begins: Date, slug: String) {
      self.name = name
      self.begins = begins
      self.slug = slug
    }
  }

  @Model final class Place {
    var title: String
    var trip: Trip?

    init(title: String) { self.title = title }
  }

  @Model final class Note {
    var text: String
    var trips: [Trip] = []

    init(text: String) { self.text = text }
  }
}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] { [toV2, toV3] }

  static let toV2 = MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)
  static let toV3 = MigrationStage.custom(
    fromVersion: TripsV2.self, toVersion: TripsV3.self,
    willMigrate: { context in
      var slugs: Set<String> = []
      for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.begins)])) {
        trip.slug = trip.name.lowercased()
        if !slugs.insert(trip.slug).inserted { context.delete(trip) }
      }
      try context.save()
    },
    didMigrate: { context in
      for trip in try context.fetch(FetchDescriptor<TripsV3.Trip>()) { trip.rating += 0.5 }
      context.insert(TripsV3.Note(text: "migrated"))
    })
}

@Suite("Migration", ChapterPlace.condition) struct MigrationTests {
  private func writeFirstVersion(in store: TemporaryStore, duplicates: Bool = true) throws {
    let configuration = ModelConfiguration(url: store.url)
    let container = try ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [configuration])
    let context = ModelContext(container)
    for index in 0..<20 {
      let name = duplicates && index == 19 ? "Trip 3" : "Trip \(index)"
      let trip = TripsV1.Trip(
        name: name, start: Date(timeIntervalSinceReferenceDate: Double(index)), rating: index % 4 == 0 ? nil : index)
      context.insert(trip)
      trip.places = (0..<3).map { TripsV1.Place(title: "\(index).\($0)") }
    }
    try context.save()
  }

  /// Expects that the migration's copy of a file is gone.
  private func expectNoCopy(beside store: TemporaryStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
    #expect(names.allSatisfy { !$0.contains("migrating") }, "\(names)", sourceLocation: sourceLocation)
  }

  @Test("Without a plan the changes are inferred: renamed, added, filled with defaults")
  func inferred() throws {
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    let container = try ModelContainer(for: Schema(versionedSchema: TripsV2.self), configurations: [configuration])
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>(sortBy: [SortDescriptor(\.begins)]))
    #expect(trips.map(\.begins.timeIntervalSinceReferenceDate) == (0..<20).map(Double.init))
    #expect(trips.map(\.rating) == (0..<20).map { $0 % 4 == 0 ? 3 : $0 })
    #expect(trips.allSatisfy { $0.slug.isEmpty && $0.notes.isEmpty })
    #expect(
      trips.map { Set($0.places.map(\.title)) } == (0..<20).map { index in Set((0..<3).map { "\(index).\($0)" }) })
    trips[0].notes = [TripsV2.Note(text: "new")]
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<TripsV2.Note>()).first?.trips.count == 1)
  }

  @Test("A plan takes a store through its stages, with the old objects before and the new ones after")
  func staged() throws {
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self, configurations: [configuration])
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.begins)]))
    #expect(trips.count == 19)
    #expect(trips.map(\.slug) == (0..<19).map { "trip \($0)" })
    #expect(trips[1].rating == 1.5 && trips[0].rating == 3.5)
    #expect(try context.fetchCount(FetchDescriptor<TripsV3.Place>()) == 57)
    #expect(try context.fetch(FetchDescriptor<TripsV3.Note>()).map(\.text) == ["migrated"])
    try expectNoCopy(beside: store)
  }

  @Test("A store of the second version begins with the second stage; a store of the last one with none")
  func startsAnywhere() throws {
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsV2.self), migrationPlan: nil, configurations: [configuration])
    for _ in 0..<2 {
      let container = try ModelContainer(
        for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self, configurations: [configuration])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV3.Note>()) == 1)
    }
  }

  @Test("Rows in the way are named, and the store stays as it was")
  func refused() throws {
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    // Without the plan's code all slugs are equal.
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(for: Schema(versionedSchema: TripsV3.self), configurations: [configuration])
    }
    let text = error?.explanation ?? ""
    #expect(text.contains("slug") && text.contains("19 rows") && text.contains("such as “”"), "\(text)")
    let container = try ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [configuration])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 20)
  }

  @Test("An error of a custom stage leaves the store as it was, and reaches the caller")
  func failingStage() throws {
    struct Stop: Error {}
    enum Failing: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: TripsV1.self, toVersion: TripsV2.self,
            willMigrate: { try $0.delete(model: TripsV1.Trip.self) }, didMigrate: { _ in throw Stop() })
        ]
      }
    }
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self), migrationPlan: Failing.self, configurations: [configuration])
    }
    #expect(error?.underlyingError is Stop)
    let text = error?.explanation ?? ""
    #expect(text.contains("didMigrate of the stage from TripsV1 to TripsV2 threw Stop()"), "\(text)")
    #expect(try text.contains(ChapterPlace.name(of: store.url)), "\(text)")
    let container = try ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [configuration])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 20)
    try expectNoCopy(beside: store)
  }

  @Test("A newer store is left alone by an older program, unless the plan has a stage back")
  func backward() throws {
    enum Old: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] { [TripsPlan.toV2] }
    }
    enum Back: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
      static var stages: [MigrationStage] {
        [TripsPlan.toV2, .lightweight(fromVersion: TripsV2.self, toVersion: TripsV1.self)]
      }
    }
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let configuration = ModelConfiguration(url: store.url)
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsV2.self), migrationPlan: Old.self, configurations: [configuration])
    let schema = Schema(versionedSchema: TripsV1.self)
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(for: schema, migrationPlan: Old.self, configurations: [configuration])
    }
    let container = try ModelContainer(for: schema, migrationPlan: Back.self, configurations: [configuration])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV1.Trip>()) == 20)
  }

  @Test("Without a plan, a store with a greater version number keeps the properties that the classes lack")
  func greaterVersionNumber() throws {
    enum Numbered: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 1)
      static var models: [any PersistentModel.Type] { TripsV1.models }
    }
    enum Late: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self] }
      static var stages: [MigrationStage] { [] }
    }
    let store = try TemporaryStore(name: "Trips.store")
    var options = MigrationOptions()
    options.infersUnlistedVersions = true
    let configuration = ModelConfiguration(url: store.url, migration: options)
    let context = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: TripsV2.self), configurations: [configuration]))
    let trip = TripsV2.Trip(name: "Alps", begins: Date(timeIntervalSince1970: 0))
    trip.slug = "alps"
    context.insert(trip)
    try context.save()
    for (schema, plan) in [
      (Schema(versionedSchema: TripsV1.self), nil), (Schema(TripsV1.models), nil),
      (Schema(versionedSchema: TripsV1.self), Late.self as (any SchemaMigrationPlan.Type)?),
    ] {
      let error = #expect(throws: SwiftDataError.backwardMigration) {
        try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
      }
      let text = error?.explanation ?? ""
      #expect(text.contains("2.0.0") && text.contains("1.0.0") && text.contains("slug"), "\(text)")
    }
    #expect(try context.fetch(FetchDescriptor<TripsV2.Trip>()).map(\.slug) == ["alps"])
    // With a number of its own, the program says that it comes later.
    let later = try ModelContainer(for: Schema(versionedSchema: Numbered.self), configurations: [configuration])
    #expect(try ModelContext(later).fetch(FetchDescriptor<TripsV1.Trip>()).map(\.name) == ["Alps"])
  }

  enum TourTexts: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tour.self] }

    @Model final class Tour {
      var name: String
      var days: String = ""
      init(name: String) { self.name = name }
    }
  }

  enum TourNumbers: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tour.self] }

    @Model final class Tour {
      var name: String
      var days: Int = 0
      init(name: String) { self.name = name }
    }
  }

  @Test("Without a plan, a store with a greater version number that cannot be brought back is told as newer")
  func greaterVersionNumberRefused() throws {
    enum LaterNumbers: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 1, 0)
      static var models: [any PersistentModel.Type] { TourNumbers.models }
    }
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration]))
    }
    let new = try context(TourTexts.self)
    new.insert(TourTexts.Tour(name: "Alps"))
    try new.save()
    let error = #expect(throws: SwiftDataError.backwardMigration) { try context(TourNumbers.self) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("2.0.0") && text.contains("1.0.0") && text.contains("“days”"), "\(text)")
    #expect(text.contains("newer program") && !text.contains("add a new property"), "\(text)")
    #expect(error?.recoverySuggestion == nil)
    // The newer classes get the advice for the change.
    let refused = #expect(throws: SwiftDataError.loadIssueModelContainer) { try context(LaterNumbers.self) }
    #expect(refused.map { "\($0)" }?.contains("add a new property") == true)
    #expect(try context(TourTexts.self).fetchCount(FetchDescriptor<TourTexts.Tour>()) == 1)
  }

  @Test("A plan of one version infers the changes of a store that has another version, as no plan does")
  func onlyVersion() throws {
    enum Only: SchemaMigrationPlan {
      static let schemas: [any VersionedSchema.Type] = [TripsV2.self]
      static let stages: [MigrationStage] = []
    }
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV2.self), migrationPlan: Only.self,
      configurations: [ModelConfiguration(url: store.url)])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV2.Trip>()) == 20)
  }

  @Test("A store whose version no plan lists is refused, with the nearest version and the differences")
  func unknownVersion() throws {
    enum Late: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
      static var stages: [MigrationStage] { [TripsPlan.toV3] }
    }
    let store = try TemporaryStore(name: "Trips.store")
    try writeFirstVersion(in: store)
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV3.self), migrationPlan: Late.self,
        configurations: [ModelConfiguration(url: store.url)])
    }
    let text = error?.explanation ?? ""
    #expect(text.contains("TripsV2") && text.contains("slug"), "\(text)")
  }
}
