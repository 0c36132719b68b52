import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Nobody observes anything here: a context learns with its fetches and saves what other containers have saved.
///
/// To a container, another one of the same process is what another process is.
@Suite("What other containers save, without an observer") struct OtherContainersTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try ContextLibrary.container(store)
    context = ModelContext(container)
    let author = Author("Woolf", born: 1882)
    context.insert(author)
    for title in ["Orlando", "Flush"] { context.insert(Book(title, pages: 100, author: author)) }
    try context.save()
  }

  private func others(_ change: (ModelContext) throws -> Void) throws {
    let other = ModelContext(try ContextLibrary.container(store))
    try change(other)
    try other.save()
  }

  private func book(_ title: String, in context: ModelContext? = nil) throws -> Book {
    try #require(try (context ?? self.context).first(Book.self, where: #Predicate { $0.title == title }))
  }

  private func delete(_ title: String) throws { try others { $0.delete(try book(title, in: $0)) } }

  @Test("An object that others have deleted leaves the context with the next fetch, of any class")
  func deletion() throws {
    let held = try book("Flush")
    let author = try #require(held.author)
    #expect(author.books.count == 2)
    try delete("Flush")
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 0)
    #expect(held.isDeleted && held.modelContext == nil && author.books.map(\.title) == ["Orlando"])
    #expect(context.registeredModel(for: held.persistentModelID) as Book? == nil)
  }

  @Test("Values and links that others have saved arrive with the next fetch of any class, and unsaved ones stay")
  func values() throws {
    let (orlando, flush) = (try book("Orlando"), try book("Flush"))
    orlando.pages = 333
    try others { other in
      for book in try other.all(Book.self) { (book.title, book.pages) = (book.title + "!", 7) }
      try other.all(Author.self).first?.books.append(Book("The Waves"))
    }
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 0)
    #expect(orlando.title == "Orlando!" && orlando.pages == 333 && flush.title == "Flush!" && flush.pages == 7)
    #expect(flush.author?.books.count == 3)
    try context.save()
    #expect(try book("Orlando!", in: ModelContext(container)).pages == 333)
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test("Every kind of fetch brings what others have saved")
  func everyFetch() throws {
    var batched = FetchDescriptor<Tag>()
    batched.includePendingChanges = false
    let fetches: [(ModelContext) throws -> Void] = [
      { _ = try $0.fetch(FetchDescriptor<Tag>()) }, { _ = try $0.fetchCount(FetchDescriptor<Tag>()) },
      { _ = try $0.fetchIdentifiers(FetchDescriptor<Tag>()) },
      { [batched] in _ = try $0.fetch(batched, batchSize: 10) },
      { try $0.enumerate(FetchDescriptor<Tag>()) { _ in } },
      { _ = try $0.sum(of: \Book.pages) },
    ]
    for (number, fetch) in fetches.enumerated() {
      let held = try book("Flush")
      try others { try book("Flush", in: $0).pages = number }
      try fetch(context)
      #expect(held.pages == number)
    }
  }

  @Test("Others' saves arrive also if their history is deleted before it is read", arguments: [nil, "guest"])
  func deletedHistory(author: String?) throws {
    let held = try book("Flush")
    let lost = try book("Orlando")
    try others { other in
      other.author = "guest"
      try book("Flush", in: other).pages = 12
      other.delete(try book("Orlando", in: other))
    }
    let other = ModelContext(try ContextLibrary.container(store))
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let author { descriptor.predicate = #Predicate { $0.author == author } }
    try other.deleteHistory(descriptor)
    other.insert(Tag("dogs"))
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    #expect(held.pages == 12 && lost.isDeleted)
  }

  @Test("Held objects keep their values if others have migrated the store, and a fetch tells why it cannot go on")
  func migrated() throws {
    let held = try book("Flush")
    _ = try ModelContainer(
      for: Schema(ContextLibrary.types + [Newcomer.self]), configurations: ModelConfiguration(url: store.url))
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.storeFailure) { try context.fetchCount(FetchDescriptor<Tag>()) }
      #expect(held.title == "Flush" && held.author?.name == "Woolf")
    }
  }

  @Test("A save that follows others' saves brings them to the contexts of its container")
  func save() throws {
    let held = try book("Flush")
    let bystander = ModelContext(container)
    let same = try book("Flush", in: bystander)
    try others { try book("Flush", in: $0).pages = 55 }
    context.insert(Tag("dogs"))
    try context.save()
    #expect(context.core.inbox.count == 1 && bystander.core.inbox.count == 1)
    bystander.insert(Tag("London"))
    try bystander.save()
    context.insert(Tag("novel"))
    try context.save()
    #expect(held.pages == 55 && same.pages == 55)
  }

  @Test("An actor's subscript finds that the row of a loaded object is gone")
  func subscripts() async throws {
    let reader = Reader(modelContainer: container)
    let identifier = try book("Flush").persistentModelID
    #expect(await reader.title(of: identifier) == "Flush")
    try delete("Flush")
    #expect(await reader.title(of: identifier) == nil)
  }

  @Test("After a fetch, observed results and the fetch agree")
  func observedResults() throws {
    let results = try ResultsObserver(filterBy: #Predicate<Book> { _ in true }, modelContext: context)
    #expect(results.results.count == 2)
    try others { $0.insert(Book("The Years")) }
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3 && results.results.count == 3)
    try delete("Flush")
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2 && results.results.count == 2)
  }

  @Test("A fetch misses no save while other threads fetch and save in the container")
  func besideThreads() async throws {
    let held = try book("Flush")
    let other = ModelContext(try ContextLibrary.container(store))
    let same = try book("Flush", in: other)
    let isDone = Atomic(false)
    let threads = [true, false].map { saves in
      Thread { [container] in
        let context = ModelContext(container)
        _ = try? context.all(Book.self)
        while !isDone.load(ordering: .relaxed) {
          if saves { context.insert(Tag("noise")) }
          _ = #expect(throws: Never.self) {
            if saves { try context.save() } else { _ = try context.fetchCount(FetchDescriptor<Tag>()) }
          }
        }
      }
    }
    for thread in threads { thread.start() }
    var misses = 0
    for number in 1...100 {
      same.pages = number
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Cover>())
      if held.pages != number { misses += 1 }
    }
    isDone.store(true, ordering: .relaxed)
    #expect(misses == 0)
    try await eventually { threads.allSatisfy(\.isFinished) }
  }

  @Test("A container whose store was locked when its first context was made follows others all the same")
  func lockedAtFirst() throws {
    let place = try TemporaryStore()
    do {
      let context = ModelContext(try ContextLibrary.container(place))
      context.insert(Book("Flush"))
      try context.save()
    }
    // A lock on this journal's store shuts readers out.
    let connection = try Connection(path: place.url.path, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode = DELETE")
    let container = try ContextLibrary.container(place)
    try connection.execute("BEGIN EXCLUSIVE")
    let context = ModelContext(container)
    try connection.execute("COMMIT")
    connection.close()
    let held = try book("Flush", in: context)
    for number in 1...3 {
      let other = ModelContext(try ContextLibrary.container(place))
      try book("Flush", in: other).pages = number
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Tag>())
      #expect(held.pages == number)
    }
  }

  @Test("The container's own saves cost its fetches no query, and nothing is kept of them")
  func ownSaves() throws {
    let statements = try ContainerStatements(container)
    let other = ModelContext(container)
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    for number in 0..<20 {
      let queries = try statements.queries {
        other.insert(Tag("\(number)"))
        try other.save()
        _ = try context.fetchCount(FetchDescriptor<Tag>())
      }
      #expect(!queries.contains { $0.contains("FROM ATRANSACTION") || $0.contains("FROM ACHANGE") }, "\(queries)")
    }
    #expect(container.core.remoteChanges.ownSavesToTell == 0)
    // Others' saves are told from the own ones between them.
    let held = try book("Flush")
    for number in 1...5 {
      try others { try book("Flush", in: $0).pages = number }
      other.insert(Tag("more \(number)"))
      try other.save()
    }
    #expect(container.core.remoteChanges.ownSavesToTell == 0)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 25 && held.pages == 5)
  }

  @Test("Saves before an observer starts are not told to it")
  func earlierSaves() async throws {
    _ = try context.all(Book.self)
    try delete("Flush")
    let observer = try HistoryObserver(modelContainer: container)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
    try others { $0.insert(Book("The Years")) }
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
    try await eventually { observer.eventCounter >= 1 }
    try await Task.sleep(for: .milliseconds(150))
    #expect(observer.eventCounter == 1)
  }
}

/// A class that only a later version of the store has.
@Model private final class Newcomer { init() {} }

@ModelActor private actor Reader {
  private var held: [Book] = []

  func title(of identifier: PersistentIdentifier) -> String? {
    let book = self[identifier, as: Book.self]
    held += [book].compactMap(\.self)
    return book?.title
  }
}
