import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A relationship that leads to another class in a new version, although its objects stay what they are.
@Suite("A relationship with another destination in a migration", TestServer.condition)
struct OtherDestinationTests {
  enum Books: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Author.self, Book.self, Article.self] }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Book.author) var items: [Book] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var title: String
      var author: Author?
      init(_ title: String) { self.title = title }
    }

    @Model final class Article {
      var title: String
      init(_ title: String) { self.title = title }
    }
  }

  /// Authors write articles, and books are there still.
  enum Articles: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Author.self, Book.self, Article.self] }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Article.author) var items: [Article] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var title: String
      init(_ title: String) { self.title = title }
    }

    @Model final class Article {
      var title: String
      var author: Author?
      init(_ title: String) { self.title = title }
    }
  }

  /// There are no books any more.
  enum NoBooks: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Author.self, Article.self] }

    @Model final class Author {
      var name: String
      @Relationship(inverse: \Article.author) var items: [Article] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Article {
      var title: String
      var author: Author?
      init(_ title: String) { self.title = title }
    }
  }

  enum ToArticles: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Books.self, Articles.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Books.self, toVersion: Articles.self)] }
  }

  enum WithoutBooks: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Books.self, NoBooks.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Books.self, toVersion: NoBooks.self)] }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil, inFile: Bool
  ) throws -> ModelContext {
    ModelContext(try inFile ? store.openFile(version, plan: plan) : store.open(version, plan: plan))
  }

  /// A book and an article with the same key; the author has the book.
  private func fill(inFile: Bool) throws {
    let context = try open(Books.self, inFile: inFile)
    let author = Books.Author("A")
    context.insert(author)
    author.items = [Books.Book("book")]
    context.insert(Books.Article("article"))
    try context.save()
  }

  @Test("It is refused with both names, and nothing changes", arguments: [false, true])
  func refused(inFile: Bool) throws {
    try fill(inFile: inFile)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try open(Articles.self, ToArticles.self, inFile: inFile)
    }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("items") && message.contains("Book") && message.contains("Article"), "\(message)")
    let author = try #require(try open(Books.self, inFile: inFile).fetch(FetchDescriptor<Books.Author>()).first)
    #expect(author.items.map(\.title) == ["book"])
  }

  @Test(
    "Without the old class it begins empty, and no object of the new one gets in by its key", arguments: [false, true])
  func empty(inFile: Bool) throws {
    try fill(inFile: inFile)
    let context = try open(NoBooks.self, WithoutBooks.self, inFile: inFile)
    let author = try #require(try context.fetch(FetchDescriptor<NoBooks.Author>()).first)
    #expect(author.items.isEmpty)
    let article = try #require(try context.fetch(FetchDescriptor<NoBooks.Article>()).first)
    #expect(article.title == "article" && article.author == nil)
  }
}
