import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("What live results cost when there are many observers, sections or changes")
struct LiveGrowthTests {
  @Test("Observers that are released leave no listeners behind")
  func releasedObservers() throws {
    let world = try World()
    let book = Book("B")
    world.context.insert(book)
    let stream = world.context.core.changeStream
    let before = stream.listenerCount
    for _ in 0..<200 { _ = try ResultsObserver<Book, Never>(modelContext: world.context) }
    #expect(stream.listenerCount <= before + 32)
    book.title = "C"
    #expect(stream.listenerCount == before)
    let observer = try ResultsObserver<Book, Never>(modelContext: world.context)
    book.title = "D"
    #expect(stream.listenerCount == before + 1 && observer.results.count == 1)
  }

  @Test("An upsert makes no later change fetch the results again")
  func upserts() throws {
    let world = try World()
    for number in 0..<20 { world.context.insert(Author("\(number)", born: number)) }
    try world.context.save()
    let observer = try ResultsObserver<Author, Never>(
      filterBy: #Predicate { $0.born ?? 0 < 100 }, sortBy: [SortDescriptor(\.born)], modelContext: world.context)
    let first = observer.results[0]
    let (twin, other) = (Author("7", born: 50), Author("new", born: 51))
    world.context.insert(twin)
    world.context.insert(other)
    #expect(observer.results.count == 22)
    try world.context.save()
    #expect(observer.results.map(\.name).suffix(3) == ["19", "7", "new"])
    #expect(!observer.results.contains { $0 === twin })

    let fetches = Mutex(0)
    world.context.container.activityHandler = { activity, amount in
      if activity == .fetches { fetches.withLock { $0 += amount } }
    }
    for number in 0..<10 {
      first.born = 60 + number
      #expect(observer.results.last === first)
    }
    // A change of the alias reaches its original, and never the results.
    twin.born = 90
    #expect(observer.results.count == 21 && observer.results.last?.name == "7" && observer.results.last !== twin)
    twin.born = 100
    #expect(observer.results.count == 20)
    #expect(fetches.withLock { $0 } == 0)
    world.context.container.activityHandler = nil
    #expect(observer.results.map(\.name) == (try observer.fetched()))
  }

  @Test("Many changes of sections at once give the sections that the titles have")
  func sections() {
    var random = SplitMix(seed: 7)
    for _ in 0..<300 {
      let most = Int.random(in: 1...9, using: &random)
      func titles(_ count: Int) -> [Int] { (0..<count).map { _ in Int.random(in: 0...most, using: &random) }.sorted() }
      var list = titles(Int.random(in: 0...30, using: &random))
      var runs = SectionRuns(list)
      let leaving = list.indices.filter { _ in Int.random(in: 0...2, using: &random) == 0 }
      for place in leaving.reversed() { list.remove(at: place) }
      runs.remove(at: leaving)
      #expect(runs.runs.map(\.title) == SectionRuns(list).runs.map(\.title))
      var arriving: [(title: Int, position: Int)] = []
      for title in titles(Int.random(in: 0...20, using: &random)) {
        let position = list.firstIndex { $0 > title } ?? list.count
        list.insert(title, at: position)
        arriving.append((title, position))
      }
      runs.insert(arriving)
      #expect(runs.runs.map(\.title) == SectionRuns(list).runs.map(\.title))
      #expect(runs.runs.map(\.count) == SectionRuns(list).runs.map(\.count))
    }
  }
}

extension ResultsObserver where Element == ContextLibrary.Author {
  /// The names that a fetch gives.
  fileprivate func fetched() throws -> [String] { try modelContext.fetch(fetchDescriptor).map(\.name) }
}
