import Foundation
import SwiftData
import Testing

/// `@Query` makes a property the live results of a fetch, in any type.
@Suite("Queries")
@MainActor
struct QueriesTests {
  @Model final class Sighting {
    var bird: String
    var seenAt: Date
    var isCertain: Bool = false
    var count: Int
    init(bird: String, seenAt: Date, count: Int = 1) {
      self.bird = bird
      self.seenAt = seenAt
      self.count = count
    }
  }

  // Some samples write the key path without its root, “\.seenAt”: Apple's compiler cannot infer the root, nor can ours.
  struct Diary {
    @Query var all: [Sighting]
    @Query(sort: \Sighting.seenAt, order: .reverse) private var latest: [Sighting]
    @Query(sort: [SortDescriptor(\Sighting.isCertain), SortDescriptor(\Sighting.seenAt, order: .reverse)])
    var doubtfulFirst: [Sighting]
    @Query(filter: #Predicate<Sighting> { sighting in sighting.isCertain == false }) var doubtful: [Sighting]
    @Query(filter: #Predicate<Sighting> { $0.bird.contains("owl") }) var owls: [Sighting]
    @Query(filter: #Predicate<Sighting> { !$0.isCertain && $0.count > 5 }, sort: \Sighting.seenAt)
    var doubtfulFlocks: [Sighting]

    var latestBird: String? { latest.first?.bird }
  }

  struct Search {
    @Query private var sightings: [Sighting]

    init(_ text: String, onlyCertain: Bool = false) {
      let predicate = #Predicate<Sighting> { sighting in
        (text.isEmpty || sighting.bird.localizedStandardContains(text)) && (!onlyCertain || sighting.isCertain)
      }
      _sightings = Query(filter: predicate, sort: \.seenAt)
    }

    var birds: [String] { sightings.map(\.bird) }
    var error: (any Error)? { _sightings.fetchError }
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Sighting.self)
    let context = store.container.mainContext
    context.insert(Sighting(bird: "Tawny owl", seenAt: .january(2)))
    context.insert(Sighting(bird: "Swift", seenAt: .january(3), count: 9))
    context.insert(Sighting(bird: "Barn owl", seenAt: .january(1)))
    try context.save()
    return store
  }

  @Test(arguments: ChapterPlace.allCases)
  func `queries filter and sort`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let diary = withModelContainer(store.container) { Diary() }
    #expect(diary.all.count == 3)
    #expect(diary.latestBird == "Swift")
    #expect(Set(diary.owls.map(\.bird)) == ["Tawny owl", "Barn owl"])
    #expect(diary.doubtfulFlocks.map(\.bird) == ["Swift"])
    diary.owls[0].isCertain = true
    #expect(diary.doubtful.count == 2)
    #expect(diary.doubtfulFirst.last?.isCertain == true)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an initialiser makes the query`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let search = withModelContainer(store.container) { Search("OWL") }
    #expect(search.birds == ["Barn owl", "Tawny owl"])
    store.container.mainContext.insert(Sighting(bird: "Little owl", seenAt: .january(9)))
    #expect(search.birds == ["Barn owl", "Tawny owl", "Little owl"])
    #expect(withModelContainer(store.container) { Search("", onlyCertain: true).birds }.isEmpty)
  }

  @Test func `a query without a container tells so`() {
    let search = Search("owl")
    #expect(search.birds.isEmpty)
    #expect(search.error != nil)
  }
}
