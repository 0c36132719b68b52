import Foundation
import SwiftData
import Testing

/// The examples and statements of the article on actors.
@Suite("Using contexts on actors", ChapterPlace.condition, .temporaryFolder) struct UsingActorsTests {
  @Model final class Book {
    var title: String
    init(title: String) { self.title = title }
  }

  @ModelActor actor Importer {
    func add(_ titles: [String]) throws -> [PersistentIdentifier] {
      let books = titles.map { Book(title: $0) }
      for book in books { modelContext.insert(book) }
      try modelContext.save()
      return books.map(\.persistentModelID)
    }

    func title(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Book.self]?.title }
  }

  private func library() throws -> ModelContainer {
    let configuration = ModelConfiguration(url: TemporaryFolder.url.appendingPathComponent("Library.store"))
    return try ModelContainer(for: Book.self, configurations: configuration)
  }

  @MainActor @Test func `The article's examples`() async throws {
    let container = try library()
    container.mainContext.autosaveEnabled = false
    var printed: [String] = []
    func print(_ value: Any) { printed.append("\(value)") }

    let importer = Importer(modelContainer: container)
    let identifiers = try await importer.add(["Pod igoto", "Nova zemya"])
    for identifier in identifiers {
      guard let book = container.mainContext.model(for: identifier) as? Book else { continue }
      print(book.title)
    }
    #expect(printed == ["Pod igoto", "Nova zemya"])
    #expect(await importer.title(of: identifiers[1]) == "Nova zemya")

    let count = try await Task.detached {
      let context = ModelContext(container)
      context.insert(Book(title: "Bay Ganyo"))
      try context.save()
      return try context.fetchCount(FetchDescriptor<Book>())
    }.value
    #expect(count == 3)
  }

  @MainActor @Test func `The main context saves by itself, a context outside of actors does not`() async throws {
    let container = try library()
    #expect(container.mainContext.autosaveEnabled)
    #expect(await Task.detached { !ModelContext(container).autosaveEnabled }.value)
  }

  @MainActor @Test func `A failed automatic save is posted, and the changes stay`() async throws {
    let configuration = ModelConfiguration(
      url: TemporaryFolder.url.appendingPathComponent("Library.store"), allowsSave: false)
    _ = try library()
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let (stream, posted) = AsyncStream.makeStream(of: String.self)
    @Sendable func print(_ value: Any) { posted.yield("\(value)") }
    let failures = NotificationCenter.default.addObserver(
      forName: ModelContext.autosaveDidFail, object: container.mainContext, queue: nil
    ) { print($0.userInfo?[ModelContext.autosaveErrorKey] ?? "") }
    container.mainContext.insert(Book(title: "Bay Ganyo"))
    for await text in stream {
      #expect(text.contains("SwiftDataError"))
      break
    }
    #expect(container.mainContext.hasChanges)
    NotificationCenter.default.removeObserver(failures)
  }

  @Test func `An identifier without a row gives an object without a context, and an actor gives nothing`() async throws
  {
    let container = try library()
    let importer = Importer(modelContainer: container)
    let identifier = try await importer.add(["Pod igoto"])[0]
    let context = ModelContext(container)
    try context.delete(model: Book.self)
    try context.save()
    #expect(await importer.title(of: identifier) == nil)
    let stranger = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Book", primaryKey: 1)
    #expect(context.model(for: stranger).modelContext == nil)
  }
}
