import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Deleting: rules in chains and cycles, and rollbacks", .everyEngine)
struct ContextDeletionTests {
  typealias Ring = ShapeModels.Ring
  typealias Lock = ShapeModels.Lock
  typealias Mark = ShapeModels.Mark

  private func ring(_ world: ShapeWorld) throws -> [Ring] {
    let rings = ["a", "b", "c"].map(Ring.init)
    rings.forEach { world.context.insert($0) }
    for index in rings.indices { rings[index].next = rings[(index + 1) % 3] }
    try world.context.save()
    return rings
  }

  @Test("A cascade follows a cycle once, and can be rolled back")
  func cycle() throws {
    let world = try ShapeWorld()
    let rings = try ring(world)
    world.context.delete(rings[1])
    world.context.processPendingChanges()
    #expect(rings.allSatisfy { $0.isDeleted })
    world.context.rollback()
    #expect(rings[0].next === rings[1] && rings[1].previous === rings[0] && !world.context.hasChanges)
    let context = world.fresh
    let one = try #require(try context.all(Ring.self).first)
    context.delete(one)
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Ring>()) == 0)
    try world.check()
  }

  @Test("A deletion that an unsaved link denies is denied by each save")
  func deniedAgain() throws {
    let world = try ShapeWorld()
    let (ring, lock) = (Ring("r"), Lock("l"))
    world.context.insert(ring)
    world.context.insert(lock)
    try world.context.save()
    lock.ring = ring
    world.context.delete(ring)
    for _ in 0..<2 { #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() } }
    #expect(lock.ring === ring && ring.isDeleted && ring.hasChanges)
    lock.ring = nil
    try world.context.save()
    #expect(try world.fresh.all(Ring.self).isEmpty && world.fresh.all(Lock.self).count == 1)
    try world.check()
  }

  @Test("A deny rule stops a cascade, unless its destinations are deleted too")
  func deny() throws {
    let world = try ShapeWorld()
    let rings = try ring(world)
    let lock = Lock("l")
    lock.ring = rings[2]
    world.context.insert(lock)
    try world.context.save()
    world.context.delete(rings[0])
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(error?.explanation?.contains("Ring.locks") == true)
    #expect(
      error?.validationProblems.map(\.problem) == [
        "denies the deletion: the delete rule is deny, and it leads to 1 object of entity “Lock” — delete it first, or take it out of the relationship"
      ])
    #expect(error?.validationProblems.map(\.rule) == [.deletion])
    #expect(try world.fresh.fetchCount(FetchDescriptor<Ring>()) == 3)
    world.context.delete(lock)
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Ring>()) == 0)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Lock>()) == 0)
    try world.check()
  }

  @Test("CD-3.1 noAction keeps the foreign key of the inverse, which then reads as nil")
  func noAction() throws {
    let world = try ShapeWorld()
    let ring = Ring("r")
    let mark = Mark("m")
    mark.ring = ring
    world.context.insert(mark)
    try world.context.save()
    world.context.delete(ring)
    try world.context.save()
    #expect(mark.ring == nil)
    let context = world.fresh
    let read = try #require(try context.all(Mark.self).first)
    #expect(read.ring == nil && read.name == "m")
    read.name = "n"
    try context.save()
    #expect(try world.fresh.all(Mark.self).first?.name == "n")
  }

  @Test("A deleted object that is inserted again before the save stays")
  func revived() throws {
    let world = try World()
    let author = Author("A")
    let book = Book("B", author: author)
    world.context.insert(book)
    try world.context.save()
    world.context.delete(book)
    world.context.insert(book)
    #expect(!book.isDeleted && !world.context.hasChanges)
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 1)
    #expect(book.author === author && author.books == [book])
    world.context.delete(book)
    try world.context.save()
    try world.check()
  }

  @Test("An object whose deletion was saved gets a new row with its last values and what is left of its relationships")
  func renewed() throws {
    let world = try World()
    let author = Author("A")
    let book = Book("B", author: author)
    book.chapters = [Chapter("c")]
    world.context.insert(book)
    try world.context.save()
    let first = book.persistentModelID
    let context = world.fresh
    let read = try #require(try context.all(Book.self).first)
    #expect(read.chapters.count == 1)
    context.delete(read)
    try context.save()
    #expect(read.isDeleted)
    context.insert(read)
    #expect(!read.isDeleted && read.modelContext === context && read.author?.name == "A" && read.chapters.isEmpty)
    #expect(read.author?.books == [read])
    try context.save()
    #expect(read.persistentModelID != first)
    let saved = try #require(try world.fresh.all(Book.self).first)
    #expect(saved.title == "B" && saved.author?.name == "A" && saved.chapters.isEmpty)
    try world.check()
  }

  @Test("An object that another context has deleted gets a new row, unless its values were never read")
  func renewedForeign() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    world.context.insert(Book("B", author: author))
    try world.context.save()
    let context = world.fresh
    let read = try #require(try context.all(Book.self).first)
    let identifier = read.persistentModelID
    let unread = world.fresh
    let fault = unread.model(for: identifier)
    context.delete(read)
    try context.save()
    _ = try unread.fetchCount(FetchDescriptor<Author>())
    #expect(fault.modelContext == nil)
    unread.insert(try #require(fault as? Book))
    #expect(throws: SwiftDataError.modelValidationFailure) { try unread.save() }
    unread.rollback()
    let other = world.fresh
    other.insert(read)
    try other.save()
    #expect(read.modelContext === other && read.persistentModelID != identifier)
    #expect(try world.fresh.all(Author.self).first?.books.map(\.title) == ["B"])
    try world.check()
  }

  @Test("The deletion of another context's object makes the next save throw, and deletes nothing")
  func foreign() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    try world.context.save()
    let context = world.fresh
    context.delete(author)
    context.delete(author)
    #expect(context.hasChanges)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.explanation?.contains("belongs to another context") == true)
    #expect(error?.explanation?.contains("was deleted in a context") == true)
    context.rollback()
    try context.save()
    #expect(!author.isDeleted && author.modelContext === world.context)
    context.insert(author)
    context.delete(author)
    #expect(!context.hasChanges)
    context.delete(Author("nowhere"))
    #expect(!context.hasChanges)
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test("A deleted unsaved object leaves no trace, and may be inserted again")
  func unsaved() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    try world.context.save()
    let book = Book("B", author: author)
    book.chapters = [Chapter("c")]
    world.context.insert(book)
    #expect(author.books == [book])
    world.context.delete(book)
    #expect(author.books.isEmpty && world.context.insertedModelsArray.isEmpty)
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 0)
    let again = Book("again")
    world.context.insert(again)
    world.context.delete(again)
    world.context.insert(again)
    again.author = author
    try world.context.save()
    #expect(try world.fresh.all(Author.self).first?.books.map(\.title) == ["again"])
    try world.check()
  }

  @Test("A rollback restores members, owners and orders", arguments: [true, false])
  func rollback(isLoaded: Bool) throws {
    let world = try World()
    let author = Author("A")
    for title in ["1", "2"] {
      let book = Book(title, author: author)
      book.tags = [Tag("t\(title)")]
      book.cover = Cover(title)
      world.context.insert(book)
    }
    try world.context.save()
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let read = try #require(books[0].author)
    if isLoaded { #expect(read.books.count == 2 && books.allSatisfy { $0.tags.count == 1 && $0.cover != nil }) }
    context.delete(read)
    context.insert(Book("3", author: nil))
    books[0].tags.append(Tag("new"))
    books[1].tags = []
    context.processPendingChanges()
    #expect(books[0].author == nil)
    context.rollback()
    #expect(books.allSatisfy { $0.author === read } && read.books.count == 2)
    #expect(books.map { $0.tags.map(\.word) } == [["t1"], ["t2"]] && books.map { $0.cover?.colour } == ["1", "2"])
    try context.save()
    #expect(!context.hasChanges)
    try world.check()
  }
}
