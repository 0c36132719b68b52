import Foundation
import SwiftData
import TestSupport
import Testing

/// Books whose author and words are texts and an array, then objects, then texts again. The number of a place becomes a place.
private enum BooksV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model final class Book {
    var title: String
    var author: String
    var words: [String]
    var place: Int
    init(_ title: String, author: String, words: [String], place: Int) {
      (self.title, self.author, self.words, self.place) = (title, author, words, place)
    }
  }
}

private enum BooksV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self, Word.self, Place.self] }

  @Model final class Book {
    var title: String
    var author: Author?
    @Relationship(inverse: \Word.books) var words: [Word] = []
    var place: Place?
    init(_ title: String) { self.title = title }
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Word {
    var text: String
    var books: [Book] = []
    init(_ text: String) { self.text = text }
  }

  @Model final class Place {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum BooksV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model final class Book {
    var title: String
    var author: String = ""
    @Attribute(originalName: "words") var text: String?
    var place: Int = 0
    init(_ title: String) { self.title = title }
  }
}

private typealias Former = (author: String, words: [String], place: Int)

private let toObjects = MigrationStage.sideBySide(fromVersion: BooksV1.self, toVersion: BooksV2.self) { old, new in
  let former = try Dictionary(
    uniqueKeysWithValues: old.fetch(FetchDescriptor<BooksV1.Book>()).map { book -> (String, Former) in
      (book.title, (book.author, book.words, book.place))
    })
  var authors: [String: BooksV2.Author] = [:]
  var words: [String: BooksV2.Word] = [:]
  for book in try new.fetch(FetchDescriptor<BooksV2.Book>()) {
    guard let former = former[book.title], book.author == nil, book.words.isEmpty, book.place == nil else { continue }
    book.author = authors[former.author] ?? BooksV2.Author(former.author)
    authors[former.author] = book.author
    book.words = former.words.map { text in
      let word = words[text] ?? BooksV2.Word(text)
      words[text] = word
      return word
    }
    book.place = BooksV2.Place(former.place)
  }
}

private let toTexts = MigrationStage.sideBySide(fromVersion: BooksV2.self, toVersion: BooksV3.self) { old, new in
  let former = try Dictionary(
    uniqueKeysWithValues: old.fetch(FetchDescriptor<BooksV2.Book>()).map { ($0.title, $0) })
  for book in try new.fetch(FetchDescriptor<BooksV3.Book>()) {
    guard let former = former[book.title], book.author.isEmpty, book.text == nil, book.place == 0 else { continue }
    book.author = former.author?.name ?? "-"
    book.text = former.words.map(\.text).sorted().joined(separator: " ")
    book.place = former.place?.number ?? -1
  }
}

private enum BooksPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self, BooksV3.self] }
  static var stages: [MigrationStage] { [toObjects, toTexts] }
}

@Suite("Migration of attributes into relationships of the same name", ChapterPlace.condition)
struct MigrationKindTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore(name: "Books.store")
    let context = try open(BooksV1.self)
    context.insert(BooksV1.Book("Emma", author: "Austen", words: ["a", "b"], place: 7))
    context.insert(BooksV1.Book("Persuasion", author: "Austen", words: ["b"], place: 8))
    context.insert(BooksV1.Book("Faust", author: "Goethe", words: [], place: 9))
    try context.save()
  }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  @Test("A stage with both sides reads the texts, and sets the objects")
  func objects() throws {
    let context = try open(BooksV2.self, BooksPlan.self)
    let books = try context.fetch(FetchDescriptor<BooksV2.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["Emma", "Faust", "Persuasion"])
    #expect(books.map(\.author?.name) == ["Austen", "Goethe", "Austen"])
    #expect(books.map { $0.words.map(\.text).sorted() } == [["a", "b"], [], ["b"]])
    #expect(books.map(\.place?.number) == [7, 9, 8])
    #expect(try context.fetchCount(FetchDescriptor<BooksV2.Author>()) == 2)
    context.delete(books[0])
    try context.save()
    #expect(try context.fetch(FetchDescriptor<BooksV2.Author>()).map(\.books.count) == [1, 1])
  }

  @Test("The next stage reads the objects, and sets texts again")
  func texts() throws {
    let context = try open(BooksV3.self, BooksPlan.self)
    let books = try context.fetch(FetchDescriptor<BooksV3.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.author) == ["Austen", "Goethe", "Austen"])
    #expect(books.map(\.text) == ["a b", "", "b"])
    #expect(books.map(\.place) == [7, 9, 8])
  }

  @Test("didMigrate sets what willMigrate has read")
  func custom() throws {
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self] }
      static var stages: [MigrationStage] {
        let authors = Authors()
        return [
          .custom(
            fromVersion: BooksV1.self, toVersion: BooksV2.self,
            willMigrate: { context in
              for book in try context.fetch(FetchDescriptor<BooksV1.Book>()) { authors.names[book.title] = book.author }
            },
            didMigrate: { context in
              for book in try context.fetch(FetchDescriptor<BooksV2.Book>()) {
                book.author = authors.names[book.title].map(BooksV2.Author.init)
              }
            })
        ]
      }
      final class Authors { var names: [String: String] = [:] }
    }
    let context = try open(BooksV2.self, Plan.self)
    let books = try context.fetch(FetchDescriptor<BooksV2.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.author?.name) == ["Austen", "Goethe", "Austen"])
    #expect(books.allSatisfy { $0.words.isEmpty && $0.place == nil })
  }

  @Test("Without code it is refused, with and without a plan, and the store stays as it was", arguments: [false, true])
  func refused(hasPlan: Bool) throws {
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [BooksV1.self, BooksV2.self] }
      static var stages: [MigrationStage] { [.lightweight(fromVersion: BooksV1.self, toVersion: BooksV2.self)] }
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(BooksV2.self, hasPlan ? Plan.self : nil)
    }
    let text = error?.explanation ?? ""
    #expect(text.contains("author") && text.contains("between an attribute and a relationship"), "\(text)")
    #expect(try open(BooksV1.self).fetch(FetchDescriptor<BooksV1.Book>()).map(\.place).sorted() == [7, 8, 9])
  }
}
