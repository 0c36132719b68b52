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
