import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("The stream of a context's changes", .everyEngine)
struct ChangeStreamTests {
  let world: World

  init() throws { world = try World() }

  /// The changes made by a closure as words: the kind, the class, and the property's name.
  ///
  /// - Parameter hearsBatches: whether the listener leaves changes by a predicate to the save.
  private func changes(hearsBatches: Bool = false, _ body: () throws -> Void) rethrows -> [String] {
    let core = world.context.core
    var words: [String] = []
    let listener = core.changeStream.addListener(hearBatch: hearsBatches ? { words.append("batch") } : nil) { change in
      switch change {
      case .inserted(let object): words.append("inserted \(type(of: object))")
      case .deleted(let object): words.append("deleted \(type(of: object))")
      case .linked, .replaced, .willRefresh, .willSave: break
      case .willChange(let object, let property):
        let name = ModelClass.of(type(of: object)).property(at: property)?.name ?? "?"
        words.append("changes \(type(of: object)).\(name)")
      case .rolledBack: words.append("rolled back")
      case .saved(let saved):
        words.append("saved \(saved.inserted.count) \(saved.updated.count) \(saved.deleted.count)")
      case .merged: words.append("merged")
      }
    }
    defer { core.changeStream.removeListener(listener) }
    try body()
    return words
  }

  @Test("The stream sends insertions, assignments and both sides of relationships in order")
  func graph() throws {
    let author = Author("A")
    let book = Book("B")
    #expect(changes { world.context.insert(author) } == ["inserted Author"])
    #expect(changes { book.title = "in no context" } == [])
    #expect(changes { book.author = author } == ["inserted Book", "changes Author.books"])
    #expect(changes { book.title = "new" } == ["changes Book.title"])
    #expect(changes { book.title = "newer" } == ["changes Book.title"], "each assignment, not the first one only")
    #expect(changes { author.books = [] } == ["changes Author.books", "changes Book.author"])
    let tag = Tag("t")
    #expect(changes { book.tags.append(tag) } == ["changes Book.tags", "inserted Tag", "changes Tag.books"])
    #expect(try changes { try world.context.save() } == ["saved 3 0 0"])
  }

  @Test("The stream sends deletions, their cascades, and restored objects")
  func deletions() throws {
    let book = Book("B", author: Author("A"))
    book.chapters = [Chapter("c")]
    world.context.insert(book)
    try world.context.save()
    let told = changes {
      world.context.delete(book)
      world.context.processPendingChanges()
    }
    #expect(Set(told) == ["deleted Book", "deleted Chapter", "changes Author.books"] && told.first == "deleted Book")
    #expect(changes { world.context.insert(book) }.first == "inserted Book")
    #expect(changes { world.context.rollback() } == ["rolled back"])
    #expect(book.chapters.count == 1 && !world.context.hasChanges)
  }

  @Test("The stream sends a merge of other contexts' saves")
  func merged() throws {
    let book = Book("B")
    world.context.insert(book)
    try world.context.save()
    let other = world.fresh
    try #require(try other.all(Book.self).first).title = "theirs"
    try other.save()
    #expect(try changes { _ = try world.context.fetchCount(FetchDescriptor<Tag>()) } == ["merged"])
    #expect(book.title == "theirs")
  }

  @Test("A change by a predicate is sent as one batch, or object by object if a listener must hear of each object")
  func batches() throws {
    let context = world.context
    for number in 1...4 { context.insert(Tag("\(number)")) }
    try context.save()
    let told = try changes(hearsBatches: true) {
      try context.update(model: Tag.self) { $0.set(\.word, to: "new") }
      try context.delete(model: Tag.self)
    }
    // The engine of dictionaries has no batch changes.
    if TestEngine.current != .dictionaries { #expect(told == ["batch", "batch"]) }
    context.rollback()

    let each = try changes { try context.delete(model: Tag.self, where: #Predicate { $0.word != "1" }) }
    #expect(each == Array(repeating: "deleted Tag", count: 3))
    // One listener that must hear of each object is enough.
    let listener = context.core.changeStream.addListener { _ in }
    defer { context.core.changeStream.removeListener(listener) }
    context.rollback()
    let mixed = try changes(hearsBatches: true) { try context.update(model: Tag.self) { $0.set(\.word, to: "new") } }
    #expect(mixed == Array(repeating: "changes Tag.word", count: 4))
    try context.save()
    #expect(try world.fresh.all(Tag.self).map(\.word) == Array(repeating: "new", count: 4))
    try world.check()
  }

  @Test("Places of members are sought only for a listener that hears them", arguments: [false, true])
  func places(hearsPlaces: Bool) throws {
    let stream = world.context.core.changeStream
    var kinds: [String] = []
    let listener = stream.addListener(hearsPlaces: hearsPlaces) { change in
      switch change {
      case .linked: kinds.append("linked")
      case .replaced(_, _, let replacement):
        kinds.append("replaced \(replacement.start) \(replacement.former.count) \(replacement.current.count)")
      case .inserted, .deleted, .willChange, .willRefresh, .rolledBack, .willSave, .saved, .merged: break
      }
    }
    #expect(stream.needsPlaces == hearsPlaces)
    let author = Author("A")
    world.context.insert(author)
    let books = ["B", "C"].map { Book($0) }
    author.books = books
    author.books.swapAt(0, 1)
    books[1].author = nil
    let places = kinds.filter { $0 != "linked" }
    #expect(places == (hearsPlaces ? ["replaced 0 0 2", "replaced 0 2 2", "replaced 0 1 0"] : []))
    #expect(kinds.contains("linked") && author.books == [books[0]])
    stream.removeListener(listener)
    #expect(!stream.needsPlaces)
  }

  @Test("Without listeners the stream makes and sends nothing")
  func silence() {
    let stream = ChangeStream()
    stream.send({ fatalError("the change is made in vain") }())
    let listener = stream.addListener { _ in }
    #expect(stream.hasListeners)
    stream.removeListener(listener)
    #expect(!stream.hasListeners)
  }
}
