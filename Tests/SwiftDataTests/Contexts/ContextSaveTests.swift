import Foundation
import Testing

@testable import SwiftData

@Suite("Saving a context", .everyEngine)
struct ContextSaveTests {
  @Test("CD-6 An inserted graph is read back by another context")
  func insertedGraph() throws {
    let world = try World()
    let author = Author("Karl May", born: 1842)
    let book = Book("Winnetou", pages: 600, author: author)
    book.chapters = [Chapter("I"), Chapter("II")]
    book.tags = [Tag("adventure")]
    book.cover = Cover("green")
    world.context.insert(book)
    #expect(world.context.hasChanges)
    #expect(world.context.insertedModelsArray.count == 6)
    #expect(book.persistentModelID.storeIdentifier == nil)
    try world.context.save()
    #expect(!world.context.hasChanges)
    #expect(book.persistentModelID.storeIdentifier != nil)

    let other = world.fresh
    let read = try #require(try other.all(Book.self).first)
    #expect(read.title == "Winnetou" && read.pages == 600)
    #expect(read.author?.name == "Karl May" && read.author?.born == 1842)
    #expect(read.chapters.map(\.heading).sorted() == ["I", "II"])
    #expect(read.tags.map(\.word) == ["adventure"])
    #expect(read.cover?.colour == "green" && read.cover?.book === read)
    #expect(read.author?.books.first === read)
    #expect(read.persistentModelID == book.persistentModelID)
    try world.check()
  }

  @Test("CD-6 Updates and deletions are written, versions grow by one")
  func updateAndDelete() throws {
    let world = try World()
    let books = (0..<5).map { Book("Book \($0)", pages: $0) }
    books.forEach { world.context.insert($0) }
    try world.context.save()
    books[1].title = "Changed"
    books[1].pages = 11
    world.context.delete(books[2])
    #expect(world.context.changedModelsArray.count == 1 && world.context.deletedModelsArray.count == 1)
    #expect(books[1].hasChanges && books[2].isDeleted)
    try world.context.save()
    #expect(books[1]._$state.version == 2)
    let titles = try world.fresh.all(Book.self).map(\.title).sorted()
    #expect(titles == ["Book 0", "Book 3", "Book 4", "Changed"])
    try world.check()
  }

  @Test("A deleted object keeps its last values and leaves its context")
  func orphan() throws {
    let world = try World()
    let book = Book("Gone", pages: 7)
    world.context.insert(book)
    try world.context.save()
    world.context.delete(book)
    #expect(book.modelContext === world.context && book.isDeleted)
    try world.context.save()
    #expect(book.title == "Gone" && book.pages == 7)
    #expect(book.isDeleted && book.modelContext == nil)
    book.pages = 8
    #expect(book.pages == 8 && !world.context.hasChanges)
    try world.check()
  }

  @Test("An object with a unique value that is taken takes the row")
  func upsert() throws {
    let world = try World()
    world.context.insert(Author("Verne", born: 1))
    try world.context.save()
    let other = world.fresh
    let again = Author("Verne", born: 1828)
    other.insert(again)
    try other.save()
    #expect(try world.fresh.all(Author.self).count == 1)
    #expect(try world.fresh.all(Author.self).first?.born == 1828)
    #expect(again.persistentModelID == (try world.fresh.all(Author.self).first?.persistentModelID))
    try world.check()
  }

  @Test("Rows that another context changed are merged by property")
  func mergeByProperty() throws {
    let world = try World()
    let book = Book("A", pages: 1)
    world.context.insert(book)
    try world.context.save()
    let other = world.fresh
    let twin = try #require(try other.all(Book.self).first)
    twin.title = "B"
    try other.save()
    book.pages = 2
    try world.context.save()
    #expect(book.title == "B" && book.pages == 2)
    let read = try #require(try world.fresh.all(Book.self).first)
    #expect(read.title == "B" && read.pages == 2)
    try world.check()
  }

  @Test("Under the policy .fail a conflict is reported, and nothing is written")
  func conflict() throws {
    let world = try World()
    let book = Book("A", pages: 1)
    world.context.insert(book)
    try world.context.save()
    let other = world.fresh
    other.conflictPolicy = .fail
    let twin = try #require(try other.all(Book.self).first)
    twin.title = "mine"
    let new = Book("new")
    other.insert(new)
    book.title = "B"
    try world.context.save()
    let error = #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    #expect(error?.explanation?.contains("\(book.persistentModelID)") == true)
    #expect(twin.title == "mine" && other.hasChanges && new._$state.key == 0)
    #expect(try world.fresh.all(Book.self).map(\.title) == ["B"])
    other.rollback()
    #expect(try other.all(Book.self).map(\.title) == ["B"])
  }

  @Test("A required relationship without object and a denied deletion are refused by name")
  func validation() throws {
    let world = try World()
    let room = Room(4)
    let box = Box("books", in: room)
    box.content = [Lamp(weight: 1, watts: 5)]
    world.context.insert(box)
    try world.context.save()
    world.context.delete(room)
    let denied = #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(denied?.explanation?.contains("Room.boxes") == true)
    world.context.rollback()
    #expect(!room.isDeleted && room.boxes.count == 1 && box.room === room)

    room.boxes = []
    let missing = #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(missing?.explanation?.contains("Box.room") == true)
    world.context.rollback()
    world.context.delete(box)
    world.context.delete(room)
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Room>()) == 0)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Thing>()) == 1)
    try world.check()
  }

  @Test("An object of another context is refused with both identifiers")
  func strangers() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    try world.context.save()
    let other = world.fresh
    let book = Book("B")
    other.insert(book)
    book.author = author
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    #expect(error?.explanation?.contains("\(author.persistentModelID)") == true)
    book.author = other.model(for: author.persistentModelID) as? Author
    try other.save()
    #expect(book.author?.name == "A")
    try world.check()
  }

  @Test("willSave names temporary identifiers, didSave permanent identifiers")
  func notifications() throws {
    let world = try World()
    let book = Book("A")
    world.context.insert(book)
    let temporary = book.persistentModelID
    nonisolated(unsafe) var seen: [String: [PersistentIdentifier]] = [:]
    let context = world.context
    var tokens: [any NSObjectProtocol] = []
    for name in [ModelContext.willSave, ModelContext.didSave] {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
          seen[note.name.rawValue] = note.userInfo?["inserted"] as? [PersistentIdentifier]
        })
    }
    try world.context.save()
    tokens.forEach { NotificationCenter.default.removeObserver($0) }
    #expect(seen[ModelContext.willSave.rawValue] == [temporary])
    #expect(seen[ModelContext.didSave.rawValue] == [book.persistentModelID])
    #expect(temporary != book.persistentModelID)
    #expect(world.context.model(for: temporary) === book)
  }

  @Test("A fetch of a base class returns objects of their own classes")
  func inheritance() throws {
    let world = try World()
    for object in [Thing(weight: 1), Lamp(weight: 2, watts: 40), Vase(weight: 3, material: "clay")] {
      world.context.insert(object)
    }
    try world.context.save()
    let things = try world.fresh.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.weight)]))
    #expect(things.map { "\(type(of: $0))" } == ["Thing", "Lamp", "Vase"])
    #expect((things[1] as? Lamp)?.watts == 40 && (things[2] as? Vase)?.material == "clay")
    #expect(try world.fresh.all(Vase.self).map(\.weight) == [3])
    try world.check()
  }
}
