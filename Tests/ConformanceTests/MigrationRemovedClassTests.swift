import Foundation
import SwiftData
import TestSupport
import Testing

/// Books of authors; the class of the books is removed, and comes back.
private enum ShelfV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self] }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author
    init(_ title: String, by author: Author) { (self.title, self.author) = (title, author) }
  }
}

private enum ShelfV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self] }

  @Model final class Author {
    var name: String
    var age = 0
    init(_ name: String) { self.name = name }
  }
}

private enum ShelfV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self] }

  @Model final class Author {
    var name: String
    var age = 0
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author
    init(_ title: String, by author: Author) { (self.title, self.author) = (title, author) }
  }
}

private enum ShelfV4: VersionedSchema {
  static let versionIdentifier = Schema.Version(4, 0, 0)
  static var models: [any PersistentModel.Type] { [Author.self, Book.self] }

  @Model final class Author {
    var name: String
    var age = 0
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author?
    init(_ title: String) { self.title = title }
  }
}

@Suite("Rows of a removed class that led to objects of the others", ChapterPlace.condition)
struct RemovedClassTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore(name: "Shelf.store")
    let context = try open(ShelfV1.self)
    for name in ["Ann", "Ben", "Cleo"] { context.insert(ShelfV1.Book("of \(name)", by: ShelfV1.Author(name))) }
    try context.save()
  }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: store.url)]))
  }

  /// Deletes Ann as an object, and Ben by a predicate.
  private func deleteTwo() throws {
    let context = try open(ShelfV2.self)
    for author in try context.fetch(FetchDescriptor<ShelfV2.Author>()) where author.name == "Ann" {
      context.delete(author)
    }
    try context.save()
    try context.delete(model: ShelfV2.Author.self, where: #Predicate { $0.name == "Ben" })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<ShelfV2.Author>()).map(\.name) == ["Cleo"])
  }

  @Test("They do not keep these objects from being deleted, and stay without them")
  func deletion() throws {
    try deleteTwo()
    let context = try open(ShelfV4.self)
    let books = try context.fetch(FetchDescriptor<ShelfV4.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["of Ann", "of Ben", "of Cleo"])
    #expect(books.map(\.author?.name) == [nil, nil, "Cleo"])
  }

  @Test("If the class comes back and requires an object again, the rows without one are in the way")
  func comesBack() throws {
    try deleteTwo()
    let error = #expect(throws: SwiftDataError.self) { _ = try open(ShelfV3.self) }
    let message = error?.errorDescription ?? ""
    #expect(
      message.hasPrefix("relationship “author” of entity “Book” is mandatory, and 2 rows would have no object of it"),
      "\(message)")
  }

  @Test("If nothing was deleted, the class comes back with its objects")
  func untouched() throws {
    _ = try open(ShelfV2.self)
    let context = try open(ShelfV3.self)
    let books = try context.fetch(FetchDescriptor<ShelfV3.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.author.name) == ["Ann", "Ben", "Cleo"])
  }
}
