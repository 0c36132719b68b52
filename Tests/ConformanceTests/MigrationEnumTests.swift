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
}
