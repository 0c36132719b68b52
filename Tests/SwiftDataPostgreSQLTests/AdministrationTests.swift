import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// The SQL of the article on servers, as it stands there.
@Suite("SQL of the article on servers", TestServer.condition)
struct AdministrationTests {
  @Model final class Book {
    @Attribute(.unique) var title: String
    @Attribute(.derived("chapters.@count")) var chapterCount: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Chapter {
    var text: String
    var book: Book?
    init(_ text: String) { self.text = text }
  }

  @Model final class Tag {
    var name: String
    var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private static var types: [any PersistentModel.Type] { [Book.self, Chapter.self, Tag.self] }

  /// The blocks of SQL in a section of the article.
  private func blocks(_ section: String) throws -> [String] {
    let page = Fixtures.packageRoot.appendingPathComponent("Sources/SwiftData/SwiftData.docc/StoringOnAServer.md")
    let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n### ")
    let text = try #require(sections.first { $0.hasPrefix(section + "\n") })
    return text.components(separatedBy: "```sql\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  // MARK: Rights

  /// A server whose roles and database are the article's own.
  private struct Library {
    let server: TestServer

    func open(
      _ user: String, _ types: [any PersistentModel.Type] = AdministrationTests.types, allowsSave: Bool = true
    ) throws -> ModelContainer {
      let configuration = PostgreSQLConfiguration(
        server.address(ofDatabase: "library", user: user), allowsSave: allowsSave, databaseSchema: "library",
        connectionLimit: 4)
      return try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    func connect(_ user: String) throws -> Connection {
      try Connection(ServerAddress(server.address(ofDatabase: "library", user: user)))
    }
  }

  private func library() throws -> Library {
    let library = Library(server: try #require(try TestServer.another()))
    let blocks = try blocks("Rights")
    try #require(blocks.count == 2)
    let administrator = try library.server.connect()
    // One by one: no transaction makes a database.
    for statement in blocks[0].components(separatedBy: ";\n") where !statement.isEmpty {
      try administrator.execute(statement)
    }
    _ = try library.open("library_owner")
    try library.connect("library_owner").execute(blocks[1])
    return library
  }

  @Test("A role with the article's rights fetches, saves, reads history and hears of others; a reader reads")
  func rights() async throws {
    let library = try library()
    let container = try library.open("library_app")
    let observer = try HistoryObserver(modelContainer: container)
    let context = ModelContext(container)
    let book = Book("A")
    context.insert(book)
    book.chapters = [Chapter("1"), Chapter("2")]
    book.tags = [Tag("x")]
    try context.save()
    // Saves that follow one another quickly may arrive as one event.
    try await eventually { observer.eventCounter >= 1 }
    let other = ModelContext(try library.open("library_app"))
    let found = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    #expect(found.title == "A" && found.chapterCount == 2 && found.tags.map(\.name) == ["x"])
    found.title = "B"
    found.chapters.removeLast()
    try other.save()
    try await eventually { observer.eventCounter >= 2 }
    #expect(observer.eventCounter == 2)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)

    let reader = ModelContext(try library.open("library_reader", allowsSave: false))
    #expect(try reader.fetch(FetchDescriptor<Book>()).map(\.title) == ["B"])
    #expect(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)

    try other.delete(model: Book.self)
    try other.save()
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try reader.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
  }

  @Test("The role changes neither tables nor the store's record, and uses what the owner has migrated")
  func migration() throws {
    let library = try library()
    let connection = try library.connect("library_app")
    for statement in [
      "UPDATE library._store SET version = 9", "DELETE FROM library._store_versions", "DROP TABLE library.book",
      "INSERT INTO library._store_entities VALUES ('X', '')", "CREATE TABLE library.other ()",
    ] {
      let error = #expect(throws: PostgreSQLError.self) { try connection.execute(statement) }
      #expect(error?.state == .insufficientPrivilege, "\(statement)")
    }
    let types = Self.types + [Note.self]
    #expect(throws: SwiftDataError.self) { try library.open("library_app", types) }
    #expect(throws: Never.self) { try library.open("library_app") }
    _ = try library.open("library_owner", types)
    let context = ModelContext(try library.open("library_app", types))
    context.insert(Note("new"))
    try context.save()
    let reader = ModelContext(try library.open("library_reader", types, allowsSave: false))
    #expect(try reader.fetch(FetchDescriptor<Note>()).map(\.text) == ["new"])
  }

  // MARK: Changes

  @Test("The article's statement changes rows as a save does; plain SQL is overwritten unseen, and nobody hears of it")
  func changes() async throws {
    let server = try TestServer.required()
    let schema = try TemporaryStore().databaseSchema
    let statement = try #require(try blocks("Changes in SQL").first).replacing("library", with: schema)
    func open() throws -> ModelContainer {
      let configuration = PostgreSQLConfiguration(server.address, databaseSchema: schema, connectionLimit: 4)
      return try ModelContainer(for: Schema(Self.types), configurations: [configuration])
    }
    let container = try open()
    let writing = ModelContext(container)
    for title in ["abc", "xyz"] { writing.insert(Book(title)) }
    try writing.save()
    let observer = try HistoryObserver(modelContainer: container)
    let stale = ModelContext(try open())
    stale.conflictPolicy = .fail
    stale.autosaveEnabled = false
    let books = try stale.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    try #require(books.count == 2)
    let history = HistoryDescriptor<DefaultHistoryTransaction>()

    let administrator = try server.connect()
    books[1].title = "mine"
    try administrator.execute("UPDATE \(schema).book SET title = 'theirs' WHERE title = 'xyz'")
    #expect(try writing.fetchHistory(history).count == 1)
    try stale.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title).sorted() == ["abc", "mine"])
    try await eventually { observer.eventCounter >= 1 }
    #expect(observer.eventCounter == 1, "the save alone")

    books[0].title = "also mine"
    try administrator.execute(statement)
    #expect(throws: SwiftDataError.saveConflict) { try stale.save() }
    try await eventually { observer.eventCounter >= 2 }
    #expect(observer.eventCounter == 2)
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Book>()).map(\.title).sorted() == ["ABC", "mine"])
    let last = try #require(try fresh.fetchHistory(history).last)
    #expect(last.author == "administrator" && last.changes.count == 1)
    guard case .update(let update)? = last.changes.first, let own = update as? DefaultHistoryUpdate<Book> else {
      Issue.record("other changes: \(last.changes)")
      return
    }
    #expect(own.updatedAttributes.contains(\Book.title))
    // Without a row that it changes, it records nothing.
    try administrator.execute(statement)
    #expect(try fresh.fetchHistory(history).count == 3)
    // Saves go on with the next number.
    fresh.insert(Book("new"))
    try fresh.save()
    #expect(try fresh.fetchHistory(history).map(\.transactionIdentifier) == [1, 2, 3, 4])
  }
}
