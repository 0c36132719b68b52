import Foundation
import SwiftData
import TestSupport
import Testing

/// An enumeration is a structure with one member of the property's own name, which changes with the property.
@Suite("Migration of enumerations", ChapterPlace.condition) struct MigrationEnumTests {
  enum Mood: String, Codable { case calm, busy }

  enum Old {
    @Model final class Trip {
      var name: String
      var mood: Mood
      init(_ name: String, _ mood: Mood) {
        self.name = name
        self.mood = mood
      }
    }
  }

  enum New {
    @Model final class Trip {
      var name: String
      @Attribute(originalName: "mood") var feeling: Mood
      init(_ name: String, _ feeling: Mood) {
        self.name = name
        self.feeling = feeling
      }
    }
  }

  /// Earlier versions of an app often have a text or a number where a later version has an enumeration.
  enum Plain {
    @Model final class Trip {
      var name: String
      var mood: String
      var rank: Int?
      init(_ name: String, _ mood: String, _ rank: Int? = nil) {
        (self.name, self.mood, self.rank) = (name, mood, rank)
      }
    }
  }

  enum Typed {
    enum Rank: Int, Codable { case low = 1, high = 3 }

    @Model final class Trip {
      var name: String
      @Attribute(originalName: "mood") var feeling: Mood
      var rank: Rank?
      init(_ name: String, _ feeling: Mood, _ rank: Rank? = nil) {
        (self.name, self.feeling, self.rank) = (name, feeling, rank)
      }
    }
  }

  @Test("A text and a number become enumerations with these raw values, and are texts and numbers again")
  func typed() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    do {
      let context = ModelContext(try ModelContainer(for: Plain.Trip.self, configurations: configuration))
      context.insert(Plain.Trip("A", "busy", 3))
      context.insert(Plain.Trip("B", "calm"))
      try context.save()
    }
    do {
      let context = ModelContext(try ModelContainer(for: Typed.Trip.self, configurations: configuration))
      let trips = try context.fetch(FetchDescriptor<Typed.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.feeling) == [.busy, .calm])
      #expect(trips.map(\.rank) == [.high, nil])
      trips[1].rank = .low
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Untyped.Trip.self, configurations: configuration))
    let trips = try context.fetch(FetchDescriptor<Untyped.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.mood) == ["busy", "calm"])
    #expect(trips.map(\.rank) == [3, 1])
  }

  @Test("A text and a number that are no case read as missing ones, and the store keeps them")
  func noCase() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    do {
      let context = ModelContext(try ModelContainer(for: Plain.Trip.self, configurations: configuration))
      context.insert(Plain.Trip("A", "lazy", 2))
      context.insert(Plain.Trip("B", "busy", 3))
      try context.save()
    }
    do {
      let context = ModelContext(try ModelContainer(for: Typed.Trip.self, configurations: configuration))
      let trips = try context.fetch(FetchDescriptor<Typed.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.feeling) == [.calm, .busy])
      #expect(trips.map(\.rank) == [nil, .high])
      trips[0].name = "C"
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Untyped.Trip.self, configurations: configuration))
    let trips = try context.fetch(FetchDescriptor<Untyped.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["B", "C"])
    #expect(trips.map(\.mood) == ["busy", "lazy"])
    #expect(trips.map(\.rank) == [3, 2])
  }

  enum Untyped {
    @Model final class Trip {
      var name: String
      @Attribute(originalName: "feeling") var mood: String
      var rank: Int?
      var note: String?
      init(_ name: String, _ mood: String) { (self.name, self.mood) = (name, mood) }
    }
  }

  @Test("A renamed enumeration keeps its values")
  func renamed() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Enum-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { LeftStores.remove(folder) }
    let configuration = ModelConfiguration(url: folder.appendingPathComponent("Trips.store"))
    let context = ModelContext(try ModelContainer(for: Old.Trip.self, configurations: configuration))
    context.insert(Old.Trip("A", .busy))
    context.insert(Old.Trip("B", .calm))
    try context.save()
    let migrated = ModelContext(try ModelContainer(for: New.Trip.self, configurations: configuration))
    let trips = try migrated.fetch(FetchDescriptor<New.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.feeling) == [.busy, .calm])
  }

  enum Maybe {
    @Model final class Trip {
      var name: String
      var mood: Mood?
      var word: String?
      init(_ name: String, _ mood: Mood? = nil, _ word: String? = nil) {
        (self.name, self.mood, self.word) = (name, mood, word)
      }
    }
  }

  enum Always {
    @Model final class Trip {
      var name: String
      var mood: Mood = Mood.busy
      var word: Mood = Mood.calm
      var other: Mood = Mood.busy
      init(_ name: String) { self.name = name }
    }
  }

  enum Required {
    @Model final class Trip {
      var name: String
      var mood: Mood
      init(_ name: String, _ mood: Mood) { (self.name, self.mood) = (name, mood) }
    }
  }

  enum Nameless {
    @Model final class Trip {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Test("An enumeration that becomes required, or is new, has the default value in the rows, where predicates find it")
  func filled() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    do {
      let context = ModelContext(try ModelContainer(for: Maybe.Trip.self, configurations: configuration))
      context.insert(Maybe.Trip("A"))
      context.insert(Maybe.Trip("B", .calm, "busy"))
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Always.Trip.self, configurations: configuration))
    let trips = try context.fetch(FetchDescriptor<Always.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.mood) == [.busy, .calm] && trips.map(\.word) == [.calm, .busy])
    let (busy, calm) = (Mood.busy, Mood.calm)
    func names(_ predicate: Predicate<Always.Trip>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    #expect(try names(#Predicate { $0.mood == busy }) == ["A"])
    #expect(try names(#Predicate { $0.word == calm }) == ["A"])
    #expect(try names(#Predicate { $0.other == busy }) == ["A", "B"])
  }

  @Test("Without a default value, rows that would lack a required enumeration are in the way")
  func refused() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    let context = ModelContext(try ModelContainer(for: Maybe.Trip.self, configurations: configuration))
    let trip = Maybe.Trip("A")
    context.insert(trip)
    try context.save()
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Required.Trip.self, configurations: configuration)
    }
    trip.mood = .busy
    try context.save()
    let migrated = ModelContext(try ModelContainer(for: Required.Trip.self, configurations: configuration))
    #expect(try migrated.fetch(FetchDescriptor<Required.Trip>()).map(\.mood) == [.busy])
  }

  @Test("Without a default value, a new required enumeration is refused if there are rows")
  func refusedNew() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    let context = ModelContext(try ModelContainer(for: Nameless.Trip.self, configurations: configuration))
    context.insert(Nameless.Trip("A"))
    try context.save()
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Required.Trip.self, configurations: configuration)
    }
  }
}
