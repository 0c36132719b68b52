import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("Migrations of columns of JSON", TestServer.condition)
struct JSONMigrationTests {
  struct Page: Codable, Equatable {
    var title: String
    var lines: [Int]
  }

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var name: String
      var tags: [String?] = []
      var old: [Int?] = []
      @Attribute(.codable) var page: Page?
      @Attribute(.codable) var raw: Page?
      var bytes: Data?
      init(_ name: String) { self.name = name }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var name: String
      @Attribute(originalName: "tags") var labels: [String?] = []
      var new: [String: Int]?
      @Attribute(.codable) var page: Page?
      var raw: Data?
      @Attribute(.codable) var bytes: Page?
      init(_ name: String) { self.name = name }
    }
  }

  let store: TemporaryStore
  private let page = Page(title: "T", lines: [1, 2])

  init() throws { store = try TemporaryStore() }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema(versionedSchema: version), store)
  }

  private func types() throws -> [String: String] {
    let rows = try #require(TestServer.shared).connect().run(
      "SELECT column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'book'",
      [.text(store.databaseSchema)])
    return Dictionary(
      (0..<rows.rowCount).map { (rows.text($0, 0) ?? "", rows.text($0, 1) ?? "") }, uniquingKeysWith: { $1 })
  }

  @Test("Columns of JSON are added, removed, renamed, and become bytes; bytes stay bytes")
  func changes() throws {
    let context = ModelContext(try open(First.self))
    let book = First.Book("A")
    book.tags = ["x", "y"]
    book.old = [1]
    book.page = page
    book.raw = page
    book.bytes = try JSONEncoder().encode(page)
    context.insert(book)
    context.insert(First.Book("B"))
    try context.save()
    #expect(try types()["raw"] == "jsonb" && types()["bytes"] == "bytea")

    let container = try open(Second.self)
    let books = try ModelContext(container).fetch(
      FetchDescriptor<Second.Book>(sortBy: [SortDescriptor(\.name)]))
    try #require(books.count == 2)
    #expect(books[0].labels == ["x", "y"] && books[1].labels.isEmpty && books[0].new == nil)
    #expect(books[0].page == page && books[1].page == nil && books[0].bytes == page && books[1].raw == nil)
    #expect(try JSONDecoder().decode(Page.self, from: try #require(books[0].raw)) == page)
    let types = try types()
    #expect(types["labels"] == "jsonb" && types["new"] == "jsonb" && types["page"] == "jsonb")
    #expect(types["raw"] == "bytea" && types["bytes"] == "bytea" && types["tags"] == nil && types["old"] == nil)

    let other = ModelContext(container)
    let saved = try #require(
      try other.fetch(FetchDescriptor<Second.Book>(predicate: #Predicate { $0.name == "A" })).first)
    saved.new = ["k": 1]
    saved.raw = Data([0, 1])
    saved.bytes = Page(title: "U", lines: [])
    try other.save()
    let again = try ModelContext(try open(Second.self)).fetch(
      FetchDescriptor<Second.Book>(sortBy: [SortDescriptor(\.name)]))
    #expect(again[0].new == ["k": 1] && again[0].raw == Data([0, 1]) && again[0].bytes?.title == "U")
  }

  @Model final class Card {
    @Attribute(.unique) var tags: [String?]
    var sizes: [Double?]
    var note: String
    init(_ tags: [String?], _ sizes: [Double?], note: String) {
      self.tags = tags
      self.sizes = sizes
      self.note = note
    }
  }

  @Test("A unique collection is found by its value")
  func unique() throws {
    let container = try TestEngine.postgreSQL.container(Schema([Card.self]), store)
    for note in ["1", "2"] {
      let context = ModelContext(container)
      context.insert(Card(["a", "b"], [1, 1e-7], note: note))
      context.insert(Card(["a"], [1], note: note))
      try context.save()
    }
    let cards = try ModelContext(container).fetch(FetchDescriptor<Card>())
    #expect(cards.count == 2 && cards.allSatisfy { $0.note == "2" })
  }
}
