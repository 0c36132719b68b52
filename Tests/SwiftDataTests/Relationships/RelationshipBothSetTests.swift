import SwiftData
import Testing

/// Programs often set both sides of a relationship; the to-many side must contain each member once.
@Suite("Relationships set from both sides")
struct RelationshipBothSetTests {
  typealias Author = ContextLibrary.Author
  typealias Book = ContextLibrary.Book
  typealias Tag = ContextLibrary.Tag

  @Test("Appending an object whose to-one side is set already adds it once") func appended() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    author.books.append(Book("first", author: author))
    author.books.append(Book("second", author: author))
    #expect(author.books.map(\.title) == ["first", "second"])
    try world.context.save()
    #expect(author.books.map(\.title) == ["first", "second"])
    #expect(try world.fresh.all(Author.self).first?.books.count == 2)
    try world.check()
  }

  @Test("Both sides may be set before either is inserted") func beforeInsertion() throws {
    let world = try World()
    let author = Author("A")
    let book = Book("B", author: author)
    author.books = [book]
    let tag = Tag("T")
    book.tags = [tag]
    tag.books = [book]
    world.context.insert(author)
    #expect(author.books.map(\.title) == ["B"])
    #expect(book.tags.map(\.word) == ["T"] && tag.books.map(\.title) == ["B"])
    try world.context.save()
    #expect(author.books.map(\.title) == ["B"] && tag.books.map(\.title) == ["B"])
    let again = world.fresh
    #expect(try again.all(Book.self).map { $0.tags.map(\.word) } == [["T"]])
    try world.check()
  }

  @Test("Inserting an object whose owner is in the context adds it once") func insertedAfter() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    let book = Book("B", author: author)
    author.books.append(book)
    world.context.insert(book)
    book.author = author
    #expect(author.books.map(\.title) == ["B"])
    let tag = Tag("T")
    tag.books = [book]
    book.tags.append(tag)
    #expect(book.tags.map(\.word) == ["T"] && tag.books.map(\.title) == ["B"])
    try world.context.save()
    #expect(author.books.map(\.title) == ["B"] && book.tags.map(\.word) == ["T"])
    try world.check()
  }

  @Test("A member that an array contains twice is saved once")
  func namedTwice() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    let book = Book("B")
    author.books = [book, book]
    try world.context.save()
    #expect(try world.fresh.all(Author.self).first?.books.map(\.title) == ["B"])
    try world.check()
  }
}
