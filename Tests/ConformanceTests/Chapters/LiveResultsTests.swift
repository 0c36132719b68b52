import Foundation
import SwiftData
import Testing

/// Results that follow every change, outside of any view.
@Suite("Live results")
@MainActor
struct LiveResultsTests {
  @Model final class Boat {
    var name: String
    var length: Int
    var harbour: String
    init(name: String, length: Int, harbour: String = "North") {
      self.name = name
      self.length = length
      self.harbour = harbour
    }
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Boat.self)
    let context = store.container.mainContext
    context.insert(Boat(name: "Ada", length: 7))
    context.insert(Boat(name: "Bo", length: 12, harbour: "South"))
    context.insert(Boat(name: "Cleo", length: 9))
    try context.save()
    return store
  }

  @Test(arguments: ChapterPlace.allCases)
  func `results follow insertions, changes and deletions`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.container.mainContext
    let observer = try ResultsObserver(
      filterBy: #Predicate<Boat> { $0.length > 8 }, sortBy: [SortDescriptor(\.length)], modelContext: context)
    #expect(observer.results.map(\.name) == ["Cleo", "Bo"])
    let dora = Boat(name: "Dora", length: 10)
    context.insert(dora)
    #expect(observer.results.map(\.name) == ["Cleo", "Dora", "Bo"])
    dora.length = 20
    #expect(observer.results.map(\.name) == ["Cleo", "Bo", "Dora"])
    context.delete(dora)
    observer.results[0].length = 1
    #expect(observer.results.map(\.name) == ["Bo"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `filter and order may be replaced`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let observer = try ResultsObserver<Boat, Never>(modelContext: store.container.mainContext)
    #expect(observer.results.count == 3)
    let search = "o"
    observer.filterBy = #Predicate { $0.name.localizedStandardContains(search) }
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.results.map(\.name) == ["Cleo", "Bo"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `sections have titles`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\Boat.harbour), SortDescriptor(\Boat.name)], sectionBy: \Boat.harbour,
      modelContext: store.container.mainContext)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["North", "South"])
    #expect(sections.map { $0.map(\.name) } == [["Ada", "Cleo"], ["Bo"]])
    #expect(sections[sectionTitle: "South"]?.first?.name == "Bo")
  }

  @Test(arguments: ChapterPlace.allCases)
  func `saves of background contexts arrive as differences`(_ place: ChapterPlace) async throws {
    let store = try filled(place)
    let container = store.container
    let observer = try ResultsObserver(sortBy: [SortDescriptor(\Boat.name)], modelContext: container.mainContext)
    var differences = observer.differences.makeAsyncIterator()
    try await Task.detached {
      let context = ModelContext(container)
      context.insert(Boat(name: "Bea", length: 3))
      for boat in try context.fetch(FetchDescriptor<Boat>(predicate: #Predicate { $0.name == "Ada" })) {
        context.delete(boat)
      }
      try context.save()
    }.value
    let difference = try #require(await differences.next(isolation: #isolation))
    let changes = difference.changes.map { change in
      switch change {
      case .insert(let boat, let place): "+\(boat.name) \(place)"
      case .delete(_, let place): "- \(place)"
      case .move(let boat, _, let place): "\(boat.name) to \(place)"
      case .update(let boat, _): boat.name
      }
    }
    #expect(changes == ["- 0", "+Bea 0"])
    #expect(observer.results.map(\.name) == ["Bea", "Bo", "Cleo"])
  }

  @Test func `a reader is told by observation`() async throws {
    let store = try filled(.memory)
    let context = store.container.mainContext
    let observer = try ResultsObserver(sortBy: [SortDescriptor(\Boat.name)], modelContext: context)
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = observer.results
      } onChange: {
        continuation.resume()
      }
      context.insert(Boat(name: "Zora", length: 5))
    }
    #expect(observer.results.last?.name == "Zora")
  }
}
