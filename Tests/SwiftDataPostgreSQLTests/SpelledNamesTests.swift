import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Tables and columns that are named as the classes spell them", TestServer.condition)
struct SpelledNamesTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [RareBook.self, BookAuthor.self, BookTag.self] }

    @Model final class RareBook {
      #Index<RareBook>([\.shelfNumber])
      @Attribute(.unique) var bookTitle: String
      var shelfNumber: Int
      var mainAuthor: BookAuthor?
      var bookTags: [BookTag] = []

      init(_ bookTitle: String, shelfNumber: Int) {
        self.bookTitle = bookTitle
        self.shelfNumber = shelfNumber
      }
    }

    @Model final class BookAuthor {
      var fullName: String
      @Relationship(deleteRule: .cascade, inverse: \RareBook.mainAuthor) var allBooks: [RareBook] = []
      init(_ fullName: String) { self.fullName = fullName }
    }

    @Model final class BookTag {
      var tagText: String
      @Relationship(inverse: \RareBook.bookTags) var taggedBooks: [RareBook] = []
      init(_ tagText: String) { self.tagText = tagText }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [RareBook.self, BookAuthor.self, BookTag.self] }

    @Model final class RareBook {
      #Index<RareBook>([\.shelfNumber])
      @Attribute(.unique) var bookTitle: String
      var shelfNumber: Int
      var pageCount: Int = 12
      var mainAuthor: BookAuthor?
      var bookTags: [BookTag] = []

      init(_ bookTitle: String, shelfNumber: Int) {
        self.bookTitle = bookTitle
        self.shelfNumber = shelfNumber
      }
    }

    @Model final class BookAuthor {
      var fullName: String
      @Relationship(deleteRule: .cascade, inverse: \RareBook.mainAuthor) var allBooks: [RareBook] = []
      init(_ fullName: String) { self.fullName = fullName }
    }

    @Model final class BookTag {
      var tagText: String
      @Relationship(inverse: \RareBook.bookTags) var taggedBooks: [RareBook] = []
      init(_ tagText: String) { self.tagText = tagText }
    }
  }

  let store: TemporaryStore
  let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  private func open(
    _ version: any VersionedSchema.Type, naming: PostgreSQLConfiguration.Naming = .asSpelled
  ) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      server.address, databaseSchema: store.databaseSchema, naming: naming, connectionLimit: 3)
    return try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration])
  }

  /// Two authors of three books each.
  private func fill(_ context: ModelContext) throws {
    let tags = ["old", "red"].map { V1.BookTag($0) }
    for number in 0..<2 {
      let author = V1.BookAuthor("Author \(number)")
      context.insert(author)
      for index in 0..<3 {
        let book = V1.RareBook("Book \(number).\(index)", shelfNumber: number * 10 + index)
        book.mainAuthor = author
        book.bookTags = index == 0 ? tags : [tags[number]]
        context.insert(book)
      }
    }
    try context.save()
  }

  private func names(_ sql: String) throws -> Set<String> {
    Set(try server.connect().column(sql, [.text(store.databaseSchema)]))
  }

  @Test("The names in the database are those of the classes and their properties")
  func layout() throws {
    _ = try open(V1.self)
    let tables = try names("SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1")
    #expect(tables.isSuperset(of: ["RareBook", "BookAuthor", "BookTag"]), "\(tables)")
    #expect(tables.isDisjoint(with: ["rare_book", "book_author", "book_tag"]), "\(tables)")
    let columns = try names(
      "SELECT column_name::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'RareBook'")
    #expect(columns.isSuperset(of: ["bookTitle", "shelfNumber"]), "\(columns)")
    #expect(!columns.contains { $0.contains("main_author") } && columns.contains { $0.hasPrefix("mainAuthor") })
  }

  @Test("Objects are saved, fetched, related, updated, overwritten and deleted")
  func objects() throws {
    let context = ModelContext(try open(V1.self))
    context.autosaveEnabled = false
    try fill(context)
    let other = V1.RareBook("Book 0.0", shelfNumber: 99)
    context.insert(other)
    try context.save()
    let fresh = ModelContext(try open(V1.self))
    let red = try fresh.fetch(
      FetchDescriptor<V1.RareBook>(
        predicate: #Predicate { $0.mainAuthor?.fullName == "Author 1" && $0.bookTags.contains { $0.tagText == "red" } },
        sortBy: [SortDescriptor(\.bookTitle)]))
    #expect(red.map(\.bookTitle) == ["Book 1.0", "Book 1.1", "Book 1.2"])
    let author = try #require(red[0].mainAuthor)
    #expect(author.allBooks.map(\.bookTitle).sorted() == red.map(\.bookTitle))
    #expect(try fresh.fetch(FetchDescriptor<V1.RareBook>(predicate: #Predicate { $0.shelfNumber == 99 })).count == 1)
    fresh.delete(author)
    try fresh.save()
    try fresh.update(model: V1.RareBook.self) { $0.set(\.shelfNumber, to: 5) }
    try fresh.save()
    let last = ModelContext(try open(V1.self))
    let left = try last.fetch(FetchDescriptor<V1.RareBook>(sortBy: [SortDescriptor(\.bookTitle)]))
    #expect(left.map(\.bookTitle) == ["Book 0.0", "Book 0.1", "Book 0.2"] && left.allSatisfy { $0.shelfNumber == 5 })
    #expect(try last.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 4)
  }

  @Test("A property that is added is a column of its own name, and all rows have its default")
  func migration() throws {
    try fill(ModelContext(try open(V1.self)))
    let context = ModelContext(try open(V2.self))
    let books = try context.fetch(FetchDescriptor<V2.RareBook>(sortBy: [SortDescriptor(\.shelfNumber)]))
    #expect(books.map(\.shelfNumber) == [0, 1, 2, 10, 11, 12] && books.allSatisfy { $0.pageCount == 12 })
    #expect(books.map { $0.mainAuthor?.fullName } == ["Author 0", "Author 1"].flatMap { [$0, $0, $0] })
    #expect(books.map(\.bookTags.count) == [2, 1, 1, 2, 1, 1])
    let sum = try server.connect().run("SELECT sum(\"pageCount\")::bigint FROM \(store.databaseSchema).\"RareBook\"")
    #expect(sum.integer(0, 0) == 72)
  }

  @Test("The other rule is refused with the way out, for a store of either rule")
  func otherRule() throws {
    for (own, other, name) in [
      (PostgreSQLConfiguration.Naming.asSpelled, PostgreSQLConfiguration.Naming.snakeCase, "asSpelled"),
      (.snakeCase, .asSpelled, "snakeCase"),
    ] {
      _ = try open(V1.self, naming: own)
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open(V1.self, naming: other) }
      let message = "\(try #require(error) as any Error)"
      #expect(message.contains("named by the rule “\(name)”") && message.contains("give the configuration that rule"))
      #expect(message.contains("database postgres on \(server.folder)"), "\(message)")
      try server.connect().execute("DROP SCHEMA \(store.databaseSchema) CASCADE")
    }
  }
}
