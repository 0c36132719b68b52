import Foundation
import Testing

@testable import SwiftData

@Suite("Objects whose context is released")
struct ReleasedContextTests {
  private func books(_ world: World, prepared: Bool) throws -> [Book] {
    let author = Author("Karl May")
    for number in 0..<3 { world.context.insert(Book("\(number)", author: author)) }
    try world.context.save()
    var context: ModelContext? = world.fresh
    let books = try #require(try context?.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])))
    if prepared { #expect(books[0].author?.books.count == 3) }
    context = nil
    return books
  }

  @Test("They lead to one another: one object for each row, on both sides of a relationship", arguments: [true, false])
  func identity(prepared: Bool) throws {
    let world = try World()
    let books = try books(world, prepared: prepared)
    let author = try #require(books[0].author)
    #expect(books[1].author === author && books[2].author === author && books[0].author === author)
    #expect(author.books.count == 3)
    for book in books { #expect(author.books.contains { $0 === book }, "\(book.title)") }
    #expect(author.books.allSatisfy { $0.author === author })
  }

  @Test("Nobody keeps them alive: an object that was released is read again, with its saved values")
  func release() throws {
    let world = try World()
    var books = try books(world, prepared: true)
    weak let author = books[0].author
    #expect(author == nil)
    weak let last = books.last
    books.removeLast()
    #expect(last == nil)
    let members = try #require(books[0].author).books
    #expect(members.map(\.title).sorted() == ["0", "1", "2"] && members.filter { books.contains($0) }.count == 2)
  }

  @Test("Values that are assigned after the release stay in their objects; a deleted object is found no more")
  func assignments() throws {
    let world = try World()
    let author = Author("Karl May")
    for number in 0..<2 { world.context.insert(Book("\(number)", author: author)) }
    try world.context.save()
    var context: ModelContext? = world.fresh
    let books = try #require(try context?.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])))
    context?.delete(books[1])
    context = nil
    books[0].title = "changed"
    let members = try #require(books[0].author).books
    #expect(members.map(\.title).sorted() == ["1", "changed"] && !members.contains { $0 === books[1] })
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["0", "1"])
  }
}
