import CoreDataStore
import Foundation
import SQLite
import Testing

@testable import SwiftData

@Suite("Both sides of relationships", .everyEngine)
struct RelationshipUpkeepTests {
  /// A world with saved objects, and a context that has loaded none of them.
  private func saved(_ make: (ModelContext) -> Void) throws -> (World, ModelContext) {
    let world = try World()
    make(world.context)
    try world.context.save()
    return (world, world.fresh)
  }

  @Test("CD-3.2 One to many: assigning the to-one side moves the object to another owner", arguments: [true, false])
  func oneToMany(isLoaded: Bool) throws {
    let (world, context) = try saved { context in
      let first = Author("First")
      context.insert(first)
      context.insert(Author("Second"))
      context.insert(Book("B", author: first))
    }
    let book = try #require(try context.all(Book.self).first)
    let first = try #require(try context.first(Author.self, where: #Predicate { $0.name == "First" }))
    let second = try #require(try context.first(Author.self, where: #Predicate { $0.name == "Second" }))
    if isLoaded { #expect(first.books.count == 1 && second.books.isEmpty) }
    book.author = second
    #expect(first.books.isEmpty && second.books == [book])
    try context.save()
    #expect(first.books.isEmpty && second.books == [book])
    // The rows of the book and of both authors have a new version (CD-6).
    #expect([book._$state.version, first._$state.version, second._$state.version] == [2, 2, 2])
    let again = world.fresh
    #expect(try again.all(Book.self).first?.author?.name == "Second")
    try world.check()
  }

  @Test("CD-3.2 Assigning the to-many side sets and clears the to-one sides")
  func manySide() throws {
    let (world, context) = try saved { context in
      let author = Author("A")
      context.insert(author)
      for title in ["1", "2", "3"] { context.insert(Book(title, author: title == "3" ? nil : author)) }
    }
    let author = try #require(try context.all(Author.self).first)
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    author.books = [books[1], books[2]]
    #expect(books[0].author == nil && books[2].author === author)
    author.books.append(Book("4"))
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    let names = try world.fresh.all(Author.self).first?.books.map(\.title).sorted()
    #expect(names == ["2", "3", "4"])
    try world.check()
  }

  @Test("CD-3.1 One to one: a new partner clears both previous partners")
  func oneToOne() throws {
    let (world, context) = try saved { context in
      for (title, colour) in [("1", "red"), ("2", "blue")] {
        let book = Book(title)
        book.cover = Cover(colour)
        context.insert(book)
      }
    }
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let red = try #require(books[0].cover)
    let blue = try #require(books[1].cover)
    books[0].cover = blue
    #expect(blue.book === books[0] && red.book == nil && books[1].cover == nil)
    try context.save()
    let again = try world.fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(again.map { $0.cover?.colour } == ["blue", nil])
    try world.check()
  }

  @Test("CD-3.3 Many to many: rows of pairs follow either side", arguments: [true, false])
  func manyToMany(isLoaded: Bool) throws {
    let (world, context) = try saved { context in
      let tags = ["x", "y", "z"].map(Tag.init)
      for title in ["1", "2"] {
        let book = Book(title)
        context.insert(book)
        book.tags = Array(tags.prefix(2))
      }
      context.insert(tags[2])
    }
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.word)]))
    if isLoaded { #expect(tags[0].books.count == 2 && tags[2].books.isEmpty && books[0].tags.count == 2) }
    tags[2].books = [books[0]]
    books[1].tags.removeAll { $0 === tags[0] }
    #expect(books[0].tags.count == 3 && tags[0].books == [books[0]])
    try context.save()
    let again = try world.fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(again.map { $0.tags.map(\.word).sorted().joined() } == ["xyz", "y"])
    context.delete(tags[1])
    try context.save()
    #expect(books[0].tags.map(\.word).sorted() == ["x", "z"] && books[1].tags.isEmpty)
    try world.check()
  }

  @Test("CD-3.2 A to-many relationship without inverse keeps its members")
  func withoutInverse() throws {
    let (world, context) = try saved { context in
      let box = Box("b", in: Room(1))
      box.content = [Lamp(weight: 1, watts: 5), Vase(weight: 2, material: "glass")]
      context.insert(box)
    }
    let box = try #require(try context.all(Box.self).first)
    #expect(box.content.map(\.weight).sorted() == [1, 2])
    box.content.removeAll { $0 is Vase }
    box.content.append(Thing(weight: 9))
    try context.save()
    #expect(try world.fresh.all(Box.self).first?.content.map(\.weight).sorted() == [1, 9])
    #expect(try world.fresh.fetchCount(FetchDescriptor<Thing>()) == 3)
    try world.check()
  }

  @Test("A graph with both sides set holds each member once")
  func bothSidesSet() throws {
    let world = try World()
    let author = Author("A")
    let books = (0..<3).map { Book("\($0)", author: author) }
    author.books = books
    world.context.insert(author)
    #expect(author.books == books)
    try world.context.save()
    #expect(author.books == books)
    #expect(try world.fresh.all(Author.self).first?.books.count == 3)
    try world.check()
  }

  @Test("Cascade and nullify change their destinations only")
  func deleteRules() throws {
    let (world, context) = try saved { context in
      let author = Author("A")
      for title in ["1", "2"] {
        let book = Book(title, author: author)
        book.chapters = [Chapter("\(title)a"), Chapter("\(title)b")]
        context.insert(book)
      }
    }
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let chapters = books[0].chapters
    let author = try #require(books[0].author)
    context.delete(books[0])
    try context.save()
    #expect(chapters.allSatisfy { $0.isDeleted && $0.modelContext == nil })
    #expect(author.books == [books[1]])
    context.delete(author)
    try context.save()
    #expect(books[1].author == nil && !books[1].isDeleted)
    #expect(try world.fresh.all(Chapter.self).map(\.heading).sorted() == ["2a", "2b"])
    try world.check()
  }

  @Test("CD-3.1 A to-one relationship that leads to a missing row reads as nil")
  func dangling() throws {
    guard TestEngine.current == .file else { return }
    let (world, _) = try saved { $0.insert(Book("B", author: Author("A"))) }
    let book = try #require(try world.fresh.all(Book.self).first)
    try #require(world.container.core.stores[0].engine as? PersistentStore).write {
      try $0.execute("DELETE FROM ZAUTHOR")
    }
    #expect(book.author == nil)
    #expect(book.title == "B")
  }

  @Test("A loop over a fetch's to-one and to-many relationships loads them in batches")
  func batches() throws {
    let (world, context) = try saved { context in
      for number in 0..<300 {
        let book = Book("\(number)", author: Author("A\(number)"))
        book.chapters = [Chapter("c")]
        context.insert(book)
      }
    }
    let books = try context.all(Book.self)
    _ = books[0].author
    #expect(try context.registered(Author.self) == 256)
    _ = books[0].chapters
    #expect(try context.registered(Chapter.self) == 256)
    #expect(books.compactMap { $0.author?.name }.count == 300)
    #expect(books.reduce(0) { $0 + $1.chapters.count } == 300)
    try world.check()
  }
}

extension ModelContext {
  /// The number of loaded objects of a class.
  fileprivate func registered<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Model>())
    return identifiers.count { (registeredModel(for: $0) as Model?)?._$state.status == .clean }
  }
}
