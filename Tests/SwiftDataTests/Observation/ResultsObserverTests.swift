import Foundation
import Observation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Observers of results", .everyEngine)
struct ResultsObserverTests {
  let world: World

  init() throws {
    world = try World()
    for number in 0..<10 { world.context.insert(Book("\(number)", pages: number)) }
    try world.context.save()
  }

  private func observer() throws -> ResultsObserver<Book, Never> {
    try ResultsObserver(
      filterBy: #Predicate { $0.pages < 20 }, sortBy: [SortDescriptor(\.pages)], modelContext: world.context)
  }

  private func pages(_ books: some Sequence<Book>) -> [Int] { books.map(\.pages) }

  @Test("Results follow changes, insertions, deletions and rollbacks of the context")
  func changes() throws {
    let observer = try observer()
    let book = try #require(observer.results.first)
    book.pages = 5
    #expect(pages(observer.results) == [1, 2, 3, 4, 5, 5, 6, 7, 8, 9])
    book.pages = 30
    #expect(pages(observer.results) == Array(1...9))
    world.context.insert(Book("new", pages: -1))
    #expect(observer.results.first?.title == "new")
    world.context.delete(observer.results[1])
    #expect(pages(observer.results) == [-1] + Array(2...9))
    world.context.rollback()
    #expect(pages(observer.results) == Array(0...9))
    #expect(observer.sections == nil && observer.sectionBy == nil && observer.fetchError == nil)
  }

  @Test("Filter and order may change")
  func mutable() throws {
    let observer = try observer()
    observer.sortBy = [SortDescriptor(\.pages, order: .reverse)]
    #expect(pages(observer.results) == (0...9).reversed())
    observer.filterBy = #Predicate { $0.pages > 7 }
    #expect(pages(observer.results) == [9, 8])
    #expect(observer.fetchDescriptor.sortBy == observer.sortBy)
    #expect(pages(observer.results) == [9, 8])
  }

  @Test("A state of the results that a client keeps does not change")
  func snapshots() throws {
    let observer = try observer()
    let before = observer.results
    for book in observer.results { book.pages += 3 }
    world.context.delete(before[0])
    #expect(before.count == 10 && before[0].isDeleted && observer.results.count == 9)
  }

  @Test("Sections have their titles, elements and index paths")
  func sections() throws {
    let author = Author("A")
    for book in try world.context.all(Book.self) where book.pages % 3 == 0 { book.author = author }
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.pages)], sectionBy: \Book.author?.name, modelContext: world.context)
    var sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "A"] && sections[0].id == "")
    #expect(pages(try #require(sections[sectionTitle: "A"])) == [0, 3, 6, 9])
    #expect(sections[sectionTitle: "B"] == nil)
    let book = try #require(observer.element(at: [1, 1]))
    #expect(book.pages == 3 && observer.indexPath(for: book) == [1, 1])
    #expect(observer.element(at: [1, 4]) == nil && observer.element(at: [2, 0]) == nil)
    author.name = "Z"
    book.author = nil
    sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "Z"] && observer.indexPath(for: book) == [0, 2])
    let reversed = try ResultsObserver(
      sortBy: [SortDescriptor(\.title, order: .reverse)], sectionBy: \Book.title, modelContext: world.context)
    #expect(reversed.sections?.sectionTitles == (0...9).reversed().map(String.init))
  }

  @Test("A section of several values, as of no value and an empty one, has the given order")
  func sectionsOfSeveralValues() throws {
    let books = try world.context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    let (empty, named) = (Author(""), Author("A"))
    for book in books { book.author = book.pages < 3 ? named : book.pages % 2 == 0 ? empty : nil }
    for book in books { book.title = book.pages % 2 == 0 ? "\u{E4}" : "a\u{308}" }
    try world.context.save()
    for order in [SortOrder.forward, .reverse] {
      let byAuthor = try ResultsObserver(
        sortBy: [SortDescriptor(\.pages, order: order)], sectionBy: \Book.author?.name, modelContext: world.context)
      let byTitle = try ResultsObserver(
        sortBy: [SortDescriptor(\.pages, order: order)], sectionBy: \Book.title, modelContext: world.context)
      func sections(_ observer: ResultsObserver<Book, String>) -> [[Int]] {
        observer.sections?.map { order == .forward ? pages($0) : pages($0).reversed() } ?? []
      }
      #expect(sections(byAuthor) == [Array(3..<10), [0, 1, 2]] && sections(byTitle) == [Array(0..<10)])
      // Live updates keep the order.
      books[4].author = nil
      books[1].author = empty
      books[5].title = books[4].title
      books[2].pages = 11
      books[6].pages = 12
      #expect(sections(byAuthor) == [[1, 3, 4, 5, 7, 8, 9, 12], [0, 11]])
      #expect(sections(byTitle) == [[0, 1, 3, 4, 5, 7, 8, 9, 11, 12]])
      world.context.rollback()
      #expect(sections(byAuthor) == [Array(3..<10), [0, 1, 2]] && sections(byTitle) == [Array(0..<10)])
    }
  }

  @Test("Sections that are read while observers hear of a change are not those of the next read")
  func sectionsDuringChange() throws {
    let author = Author("A")
    for book in try world.context.all(Book.self) { book.author = author }
    nonisolated(unsafe) let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.pages)], sectionBy: \Book.author?.name, modelContext: world.context)
    let told = Told()
    withObservationTracking {
      #expect(observer.sections?.sectionTitles == ["A"])
    } onChange: {
      _ = observer.sections
      told.count += 1
    }
    author.name = "Z"
    #expect(told.count == 1 && observer.sections?.sectionTitles == ["Z"])
  }

  @Test("Differences name insertions, moves, deletions and updates")
  func differences() throws {
    let observer = try observer()
    let stream = observer.makeStream()
    let books = Array(observer.results)
    func words() -> [String] {
      _ = observer.results
      var words: [String] = []
      while let difference = stream.next() {
        for change in difference.changes {
          switch change {
          case .insert(let book, let position): words.append("insert \(book.title) at \(position)")
          case .delete(let book, let position): words.append("delete \(book.title) at \(position)")
          case .move(let book, let origin, let position):
            words.append("move \(book.title) from \(origin) to \(position)")
          case .update(let book, let position): words.append("update \(book.title) at \(position)")
          }
        }
      }
      return words
    }
    books[3].title = "three"
    #expect(words() == ["update three at 3"])
    books[3].pages = 8
    #expect(words() == ["move three from 3 to 7", "update three at 7"])
    world.context.delete(books[0])
    world.context.insert(Book("new", pages: 6))
    #expect(words() == ["delete 0 at 0", "insert new at 5"])
    (books[1].pages, books[2].pages) = (2, 1)
    #expect(words() == ["move 2 from 1 to 0", "update 2 at 0", "update 1 at 1"])
  }

  @Test("A difference adds its new objects also to an array that is not the results before it")
  func differenceOfOthers() throws {
    let observer = try observer()
    let stream = observer.makeStream()
    let books = Array(observer.results)
    world.context.delete(books[2])
    world.context.insert(Book("new", pages: 8))
    world.context.insert(Book("last", pages: 15))
    _ = observer.results
    let difference = try #require(stream.next())
    var (all, none) = (books, [Book]())
    difference.apply(to: &all)
    difference.apply(to: &none)
    #expect(pages(all) == pages(difference.results))
    #expect(none.map(\.title) == ["new", "last"])
  }

  @Test("Many changes between two reads are one difference")
  func manyChanges() throws {
    for number in 10..<3000 { world.context.insert(Book("\(number)", pages: number)) }
    let observer = try ResultsObserver(sortBy: [SortDescriptor(\Book.pages)], modelContext: world.context)
    for book in observer.results { book.pages = (book.pages * 7919) % 3000 }
    #expect(pages(observer.results) == Array(0..<3000))
    for book in observer.results.shuffled(seed: 1).prefix(300) { world.context.delete(book) }
    for number in 0..<700 { world.context.insert(Book("n", pages: number)) }
    #expect(pages(observer.results) == pages(observer.results).sorted() && observer.results.count == 3400)
  }

  @Test("A change costs no query, however many results there are")
  func noQuery() throws {
    guard TestEngine.current == .file else { return }
    let observer = try observer()
    let book = observer.results[4]
    let queries = try ContainerStatements(world.container).queries {
      book.pages = 12
      world.context.insert(Book("new", pages: 3))
      #expect(observer.results.count == 11 && observer.results[10] === book)
    }
    // Others' saves are looked for meanwhile.
    #expect(queries.filter { $0.contains("ZBOOK") } == [])
  }

  // MARK: Other contexts

  @Test("Insertions, changes and deletions that other contexts save arrive")
  func others() throws {
    let observer = try observer()
    let other = world.fresh
    other.insert(Book("new", pages: 15))
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    books[0].pages = 16
    other.delete(books[5])
    #expect(pages(observer.results) == Array(0...9))
    try other.save()
    #expect(pages(observer.results) == [1, 2, 3, 4, 6, 7, 8, 9, 15, 16])
  }

  @Test("What another container or process saves arrives without a fetch")
  @MainActor func foreign() async throws {
    guard TestEngine.current == .file else { return }
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 20 }, sortBy: [SortDescriptor(\.pages)],
      modelContext: world.container.mainContext)
    var differences = observer.differences.makeAsyncIterator()
    let store = world.store
    let saver = Task.detached {
      let context = ModelContext(try ContextLibrary.container(store))
      context.insert(Book("theirs", pages: 4))
      try context.save()
    }
    #expect(await differences.next(isolation: #isolation)?.changes.count == 1)
    #expect(observer.results[5].title == "theirs")
    try await saver.value
  }

  @Test("Observation tells of changes on the next turn, and only of changes of the results")
  @MainActor func observation() async throws {
    let context = world.container.mainContext
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 20 }, sortBy: [SortDescriptor(\.pages)], modelContext: context)
    let told = Told()
    func track() {
      withObservationTracking {
        _ = observer.results.count
      } onChange: {
        told.count += 1
      }
    }
    track()
    observer.results[3].title = "x"
    try await turns()
    #expect(told.count == 0)
    observer.results[3].pages = 30
    try await turns()
    #expect(told.count == 1)
    track()
    let container = world.container
    try await Task.detached {
      let other = ModelContext(container)
      other.insert(Book("new", pages: 2))
      try other.save()
    }.value
    for _ in 0..<1000 where told.count == 1 { try await turns() }
    #expect(told.count == 2 && observer.results.count == 10)
  }

  @Test("Observation goes on if the context moves to another place while an update is due")
  @MainActor func movedContext() async throws {
    let context = world.container.mainContext
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 20 }, sortBy: [SortDescriptor(\.pages)], modelContext: context)
    let told = Told()
    func track() {
      withObservationTracking {
        _ = observer.results.count
      } onChange: {
        told.count += 1
      }
    }
    track()
    observer.results[3].pages = 30
    // The update of the former place never runs.
    context.belong(to: MainActor.shared)
    track()
    #expect(told.count == 1)
    observer.results[3].pages = 30
    try await turns()
    #expect(told.count == 2)
  }

  @MainActor private func turns() async throws {
    for _ in 0..<3 { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("Sequences give results and differences as they come")
  @MainActor func sequences() async throws {
    let context = world.container.mainContext
    // A save gives new objects other identifiers, which is one more difference.
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 20 }, sortBy: [SortDescriptor(\.pages)], modelContext: context)
    var values = observer.values.makeAsyncIterator()
    var differences = observer.differences.makeAsyncIterator()
    #expect(await values.next(isolation: #isolation)?.count == 10)
    context.insert(Book("new", pages: 3))
    #expect(await values.next(isolation: #isolation)?.count == 11)
    #expect(await differences.next(isolation: #isolation)?.changes.count == 1)
    let container = world.container
    let saver = Task.detached {
      let other = ModelContext(container)
      for book in try other.all(Book.self) where book.pages > 5 { other.delete(book) }
      try other.save()
    }
    #expect(await differences.next(isolation: #isolation)?.changes.count == 4)
    #expect(await values.next(isolation: #isolation)?.map(\.pages) == [0, 1, 2, 3, 3, 4, 5])
    try await saver.value
    let told = Told()
    let waiting = Task { @MainActor in
      told.hasBegun = true
      for await _ in observer.differences { told.count += 1 }
      return told.count
    }
    for _ in 0..<1000 where !told.hasBegun { try await turns() }
    context.insert(Book("last", pages: 1))
    for _ in 0..<1000 where told.count == 0 { try await turns() }
    waiting.cancel()
    #expect(await waiting.value == 1)
  }

  @Test("A loop over results that change all the time leaves its actor to others, and gets each state once")
  @MainActor func busyResults() async throws {
    let context = world.container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Book, Never>(sortBy: [SortDescriptor(\.pages)], modelContext: context)
    let told = Told()
    let other = Task { @MainActor in
      while !Task.isCancelled {
        told.count += 1
        await Task.yield()
      }
    }
    var values = observer.values.makeAsyncIterator()
    #expect(await values.next(isolation: #isolation)?.count == 10)
    context.insert(Book("first", pages: 50))
    #expect(await values.next(isolation: #isolation)?.count == 11)
    for number in 1...20 {
      let before = told.count
      context.insert(Book("\(number)", pages: 50 + number))
      #expect(await values.next(isolation: #isolation)?.count == 11 + number)
      #expect(told.count > before)
    }
    other.cancel()
    await other.value
  }

  private final class Told: @unchecked Sendable {
    var count = 0
    var hasBegun = false
  }
}

@Suite("Cost of live results")
struct ResultsObserverCostTests {
  @Test("One changed row of 100,000", .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"))
  func oneRow() throws {
    let world = try World()
    let count = 100_000
    for number in 0..<count { world.context.insert(Tag(String(number + count))) }
    try world.context.save()
    let clock = ContinuousClock()
    let fetching = try clock.measure {
      _ = try world.context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.word)]))
    }
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor(\Tag.word, comparator: .lexical)], modelContext: world.context)
    let tags = Array(observer.results)
    // The first change makes the index of positions.
    tags[0].word = "x"
    let first = clock.measure { _ = observer.results.count }
    let queries = try ContainerStatements(world.container).queries {
      let changing = clock.measure {
        for number in 1...1000 {
          tags[number * 99].word = String(number * 37 + count)
          _ = observer.results.count
        }
      }
      print("100,000 results: one change \(changing / 1000), the first \(first), a fetch \(fetching)")
    }
    #expect(queries.filter { $0.contains("ZTAG") } == [])
    #expect(zip(observer.results, observer.results.dropFirst()).allSatisfy { $0.word <= $1.word })
  }
}

extension Collection {
  fileprivate func shuffled(seed: UInt64) -> [Element] {
    var random = SplitMix(seed: seed)
    return shuffled(using: &random)
  }
}
