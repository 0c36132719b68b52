import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// Derived attributes of live objects: after a save they show the store's values.
@Suite("Derived attributes of models") struct DerivedModelTests {
  @Model final class Shelf {
    var name: String
    @Attribute(.derived("books.@count")) var bookCount: Int = 0
    @Attribute(.derived("max:(books.pages)")) var thickest: Int = 0
    @Attribute(.derived("now()")) var saved: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var pages: Int
    var shelf: Shelf?
    @Attribute(.derived("canonical:(title)")) var plainTitle: String?
    @Attribute(.derived("uppercase:(shelf.name)")) var shelfName: String?
    @Attribute(.derived("tags.@count")) var tagCount: Int = 0
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    init(_ title: String, pages: Int, shelf: Shelf? = nil) {
      self.title = title
      self.pages = pages
      self.shelf = shelf
    }
  }

  @Model final class Tag {
    var word: String
    var books: [Book] = []
    init(_ word: String) { self.word = word }
  }

  private func container(_ folder: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(for: Shelf.self, Book.self, Tag.self, configurations: ModelConfiguration(url: folder.url))
  }

  @Test("CD-8: after a save objects have the derived values, written by the save or by triggers")
  func afterSaving() throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try container(folder))
    let shelf = Shelf("one")
    context.insert(shelf)
    let first = Book("Élan", pages: 10, shelf: shelf)
    context.insert(first)
    let tag = Tag("t")
    first.tags = [tag]
    try context.save()
    #expect(shelf.bookCount == 1 && shelf.thickest == 10 && shelf.saved != nil && !context.hasChanges)
    #expect(first.plainTitle == "elan" && first.shelfName == "ONE" && first.tagCount == 1)
    let moment = try #require(shelf.saved)

    let second = Book("Zwei", pages: 30)
    context.insert(second)
    second.shelf = shelf
    try context.save()
    #expect(shelf.bookCount == 2 && shelf.thickest == 30 && second.shelfName == "ONE")
    #expect(shelf.books.map(\.title).sorted() == ["Zwei", "Élan"])

    shelf.name = "two"
    first.tags = []
    try context.save()
    #expect(first.shelfName == "TWO" && second.shelfName == "TWO" && first.tagCount == 0)
    #expect(try #require(shelf.saved) >= moment)

    second.pages = 5
    try context.save()
    #expect(shelf.thickest == 10)
    context.delete(first)
    try context.save()
    #expect(shelf.bookCount == 1 && shelf.thickest == 5)
    second.shelf = nil
    try context.save()
    #expect(shelf.bookCount == 0 && shelf.thickest == 0 && second.shelfName == nil)
    // Assigning a derived attribute changes nothing that is stored.
    shelf.bookCount = 77
    shelf.name = "three"
    try context.save()
    #expect(shelf.bookCount == 0 && shelf.name == "three")
    try Oracle.expectSound(folder.url)
  }

  @Test("CD-8: other contexts see trigger changes in objects that were not saved")
  func otherContexts() throws {
    let folder = try TemporaryStore()
    let container = try container(folder)
    let one = ModelContext(container)
    let two = ModelContext(container)
    one.insert(Shelf("one"))
    try one.save()
    let mine = try #require(try one.fetch(FetchDescriptor<Shelf>()).first)
    let theirs = try #require(try two.fetch(FetchDescriptor<Shelf>()).first)
    #expect(theirs.bookCount == 0)
    one.insert(Book("B", pages: 3, shelf: mine))
    try one.save()
    _ = try two.fetch(FetchDescriptor<Book>())
    #expect(theirs.bookCount == 1 && mine.bookCount == 1)
  }

  @Test("CD-8: another context's save reaches an object whose derived values are not reloaded yet")
  func changedElsewhere() throws {
    let folder = try TemporaryStore()
    let container = try container(folder)
    let context = ModelContext(container)
    let shelf = Shelf("one")
    let book = Book("a", pages: 1, shelf: shelf)
    context.insert(book)
    try context.save()
    // A trigger changes the book's row; the book keeps its other loaded values.
    shelf.name = "two"
    try context.save()
    let other = ModelContext(container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    theirs.title = "b"
    theirs.pages = 2
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Book>())
    #expect(book.title == "b" && book.pages == 2 && book.shelfName == "TWO")
    book.pages = 3
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.pages) == [3])
  }

  @Test("CD-8: a partly loaded object shows values that triggers derived since")
  func ofPart() throws {
    let folder = try TemporaryStore()
    let container = try container(folder)
    let filling = ModelContext(container)
    let shelf = Shelf("one")
    filling.insert(shelf)
    for title in ["a", "b"] { filling.insert(Book(title, pages: 1, shelf: shelf)) }
    try filling.save()

    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title, \.shelfName]
    let books = try context.fetch(descriptor)
    let fetched = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
    #expect(books.map(\.shelfName) == ["ONE", "ONE"])
    fetched.name = "two"
    try context.save()
    #expect(books.map(\.shelfName) == ["TWO", "TWO"] && books.map(\.pages) == [1, 1])
  }

  @Test("Observers of a derived attribute hear the save that changes it, which keeps pending changes")
  func observation() throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try container(folder))
    let shelf = Shelf("one")
    context.insert(shelf)
    try context.save()
    let heard = Heard()
    withObservationTracking {
      _ = shelf.bookCount
    } onChange: {
      heard.count += 1
    }
    let book = Book("B", pages: 3)
    context.insert(book)
    book.shelf = shelf
    try context.save()
    #expect(heard.count == 1)
    // The shelf is a fault now: filling it must not lose a change made before.
    let other = Book("C", pages: 4)
    context.insert(other)
    other.shelf = shelf
    shelf.name = "renamed"
    #expect(shelf.bookCount == 1 && shelf.name == "renamed" && Set(shelf.books.map(\.title)) == ["B", "C"])
    try context.save()
    #expect(shelf.bookCount == 2 && shelf.name == "renamed" && other.shelfName == "RENAMED")
    shelf.name = "lost"
    context.rollback()
    #expect(shelf.bookCount == 2 && shelf.name == "renamed")
    // Deleted while it is a fault: it has its row's values.
    other.pages = 5
    try context.save()
    context.delete(shelf)
    #expect(shelf.bookCount == 2)
    try context.save()
    #expect(shelf.bookCount == 2 && shelf.name == "renamed")
  }

  private final class Heard: @unchecked Sendable { var count = 0 }
}
