import Foundation
import SwiftData
import TestSupport
import Testing

/// The deprecated name of `erase()`, which reports no error.
@Suite struct DeleteAllDataTests {
  /// A schema without the subclasses of `Thing`.
  enum Narrow {
    @Model class Thing {
      var weight: Double
      init(weight: Double) { self.weight = weight }
    }
  }

  @Test(arguments: [TestEngine.file, .memory])
  func `All objects of all classes go, also for a context that has loaded them`(engine: TestEngine) throws {
    let store = try TemporaryStore()
    let container = try engine.container(Schema(ContextLibrary.types), store)
    let context = ModelContext(container)
    let book = Book("a", author: Author("A"))
    context.insert(book)
    book.chapters.append(Chapter("1"))
    // Denies its deletion by a context.
    context.insert(Box("b", in: Room(1)))
    context.insert(Lamp(weight: 1, watts: 40))
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 1)

    delete(container)
    for context in [other, ModelContext(container), context] {
      #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Author>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Chapter>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Room>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Thing>()) == 0)
    }
    #expect(book.modelContext == nil && book.title == "a")

    // The store stays open and takes new objects.
    context.insert(Book("new"))
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Book>()).map(\.title) == ["new"])
    guard engine == .file else { return }
    let reopened = ModelContext(try engine.container(Schema(ContextLibrary.types), store))
    #expect(try reopened.fetch(FetchDescriptor<Book>()).map(\.title) == ["new"])
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test func `A store that is open for reading only keeps its objects, and nothing is thrown`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try TestEngine.file.container(Schema(ContextLibrary.types), store))
    context.insert(Book("a"))
    try context.save()
    let reading = try ModelContainer(
      for: Schema(ContextLibrary.types), configurations: ModelConfiguration(url: store.url, allowsSave: false))
    delete(reading)
    #expect(try ModelContext(reading).fetch(FetchDescriptor<Book>()).map(\.title) == ["a"])
  }

  @Test func `No query reads the objects, nor their keys`() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.file.container(Schema(ContextLibrary.types), store)
    let context = ModelContext(container)
    for number in 0..<3 { context.insert(Chapter("\(number)")) }
    try context.save()
    let queries = try ContainerStatements(container).queries { try container.erase() }
    #expect(queries.filter { $0.contains("FROM ZCHAPTER") } == [])
    #expect(try context.fetchCount(FetchDescriptor<Chapter>()) == 0)
  }

  @Test func `An object of a subclass that the schema does not mention goes, too`() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try TestEngine.file.container(Schema(ContextLibrary.types), store))
      context.insert(Lamp(weight: 1, watts: 40))
      context.insert(Book("a"))
      try context.save()
    }
    let narrow = try TestEngine.file.container(Schema([Narrow.Thing.self]), store)
    #expect(try ModelContext(narrow).fetchCount(FetchDescriptor<Narrow.Thing>()) == 1)
    try narrow.erase()
    #expect(try ModelContext(narrow).fetchCount(FetchDescriptor<Narrow.Thing>()) == 0)
    let whole = ModelContext(try TestEngine.file.container(Schema(ContextLibrary.types), store))
    #expect(try whole.fetch(FetchDescriptor<Book>()).map(\.title) == ["a"])
  }

  /// By way of a protocol, since a call of the deprecated function would be a warning.
  private func delete(_ container: some DataDeleting) { container.deleteAllData() }
}

private protocol DataDeleting {
  func deleteAllData()
}

extension ModelContainer: DataDeleting {}
