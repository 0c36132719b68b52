import Foundation
import SwiftData

/// Versions of a travel guide: V2 renames, adds, removes and converts; V3 makes names unique.
enum TravelV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Tag.self, Person.self] }

  enum Mood: String, Codable { case calm, busy }

  struct Place: Codable, Hashable {
    var street: String
    var number: Int
  }

  @Model final class Trip {
    var name: String
    var start: Date
    var rating: Int?
    var nights: Int
    var price: Double
    var isDone: Bool
    var mood: Mood
    var old: String
    var hotel: Place?
    var leader: Person?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    var tags: [Tag] = []

    init(_ name: String, start: Date, rating: Int?, nights: Int) {
      self.name = name
      self.start = start
      self.rating = rating
      self.nights = nights
      price = Double(nights) * 1.5
      isDone = nights % 2 == 0
      mood = nights % 3 == 0 ? .calm : .busy
      old = "gone"
      if nights % 2 == 1 { hotel = Place(street: "Street \(nights)", number: nights) }
    }
  }

  @Model final class Stop {
    var title: String
    var trip: Trip?
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    var text: String
    @Relationship(inverse: \Trip.tags) var trips: [Trip] = []
    init(_ text: String) { self.text = text }
  }

  @Model final class Person {
    var name: String
    @Relationship(inverse: \Trip.leader) var trips: [Trip] = []
    init(_ name: String) { self.name = name }
  }
}

enum TravelV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Journey.self, Stop.self, Tag.self, Person.self, Guide.self, Note.self]
  }

  typealias Mood = TravelV1.Mood

  @Model(originalName: "Trip") final class Journey {
    @Attribute(originalName: "name") var title: String
    @Attribute(originalName: "start") var begins: Date
    var rating: Int = 3
    var nights: Double
    var price: Double?
    var isDone: Bool
    @Attribute(originalName: "mood") var feeling: Mood
    var slug: String = "none"
    var hotel: TravelV1.Place?
    @Relationship(originalName: "leader") var leaders: [Person] = []
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    var tags: [Tag] = []
    @Relationship(inverse: \Note.journeys) var notes: [Note] = []

    init(_ title: String, begins: Date) {
      self.title = title
      self.begins = begins
      nights = 0
      isDone = false
      feeling = .calm
    }
  }

  @Model final class Stop {
    var title: String
    var trip: Journey?
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    @Attribute(originalName: "text") var label: String
    @Relationship(inverse: \Journey.tags) var trips: [Journey] = []
    init(_ label: String) { self.label = label }
  }

  @Model class Person {
    var name: String
    @Relationship(inverse: \Journey.leaders) var trips: [Journey] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Guide: Person {
    var language: String = "en"
    init(_ name: String, language: String) {
      self.language = language
      super.init(name)
    }
  }

  @Model final class Note {
    var text: String
    var journeys: [Journey] = []
    init(_ text: String) { self.text = text }
  }
}

enum TravelV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Journey.self, Stop.self, Tag.self, Person.self, Guide.self, Note.self]
  }

  @Model final class Journey {
    #Index<Journey>([\.begins])
    @Attribute(.unique) var title: String
    var begins: Date
    var rating: Double = 3
    var nights: Double
    var price: Double?
    var isDone: Bool
    var feeling: TravelV1.Mood
    var slug: String = "none"
    var hotel: TravelV1.Place?
    var leaders: [Person] = []
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    var tags: [Tag] = []
    @Relationship(inverse: \Note.journeys) var notes: [Note] = []

    init(_ title: String, begins: Date) {
      self.title = title
      self.begins = begins
      nights = 0
      isDone = false
      feeling = .calm
    }
  }

  @Model final class Stop {
    var title: String
    var trip: Journey?
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    var label: String
    @Relationship(inverse: \Journey.tags) var trips: [Journey] = []
    init(_ label: String) { self.label = label }
  }

  @Model class Person {
    var name: String
    @Relationship(inverse: \Journey.leaders) var trips: [Journey] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Guide: Person {
    var language: String = "en"
    init(_ name: String, language: String) {
      self.language = language
      super.init(name)
    }
  }

  @Model final class Note {
    var text: String
    var journeys: [Journey] = []
    init(_ text: String) { self.text = text }
  }
}

/// A custom stage in the middle: it removes double titles, and writes with both versions.
enum TravelPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self, TravelV3.self] }
  static var stages: [MigrationStage] { [toV2, toV3] }

  static let toV2 = MigrationStage.lightweight(fromVersion: TravelV1.self, toVersion: TravelV2.self)
  static let toV3 = MigrationStage.custom(
    fromVersion: TravelV2.self, toVersion: TravelV3.self,
    willMigrate: { context in
      var titles: Set<String> = []
      for journey in try context.fetch(FetchDescriptor<TravelV2.Journey>(sortBy: [SortDescriptor(\.begins)])) {
        journey.slug = journey.title.lowercased()
        if !titles.insert(journey.title).inserted { context.delete(journey) }
      }
      try context.save()
    },
    didMigrate: { context in
      for journey in try context.fetch(FetchDescriptor<TravelV3.Journey>()) { journey.rating += 0.5 }
      context.insert(TravelV3.Note("migrated"))
    })
}
