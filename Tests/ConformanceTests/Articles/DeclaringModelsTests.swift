import Foundation
import SwiftData
import Testing

/// The example of the article on model classes.
@Suite("Declaring models", .temporaryFolder, ChapterPlace.condition) struct DeclaringModelsTests {
  nonisolated struct Place: Codable { var city: String }

  @MainActor @Model final class Visit {
    var place: Place
    init(place: Place) { self.place = place }
  }

  @MainActor @Test func `A model of the main actor keeps a value whose type belongs to no actor`() throws {
    let url = TemporaryFolder.url.appendingPathComponent("Visits.store")
    func context() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Visit.self, configurations: ModelConfiguration(url: url)))
    }
    let first = try context()
    first.insert(Visit(place: Place(city: "Sofia")))
    try first.save()
    #expect(try context().fetch(FetchDescriptor<Visit>()).map(\.place.city) == ["Sofia"])
  }
}
