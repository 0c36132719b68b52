import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Upserts: an inserted object whose unique value is taken")
struct ContextUpsertTests {
  @Test("CD-6 Onto a registered object: one row, one identity, both objects read alike")
  func registered() throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    let identifier = old.persistentModelID
    let new = Author("Verne", born: 1828)
    world.context.insert(new)
    let seen = Mutex(0)
    withObservationTracking {
      _ = old.born
    } onChange: {
      seen.withLock { $0 += 1 }
    }
    try world.context.save()
    #expect(old.born == 1828 && new.born == 1828 && seen.withLock { $0 } == 1)
    #expect(new.persistentModelID == identifier && !world.context.hasChanges)
    #expect(try world.context.all(Author.self).map(ObjectIdentifier.init) == [ObjectIdentifier(old)])
    #expect(world.context.model(for: identifier) === old)
    try world.check()
  }

  @Test func `Rows that got all values of the new objects are not read again, and later changes of them are saved`()
    throws
  {
    typealias Mark = UpsertTwinTests.Mark
    typealias Place = UpsertTwinTests.Place
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Mark.self, Author.self, configurations: ModelConfiguration(url: store.url))
    let filling = ModelContext(container)
    let (rome, oslo) = (Place("Rome"), Place("Oslo"))
    for number in 0..<5 {
      let mark = Mark(number, "old")
      filling.insert(mark)
      mark.place = number < 2 ? rome : nil
      filling.insert(Author("\(number)"))
    }
    filling.insert(oslo)
    try filling.save()

    let context = ModelContext(container)
    let place = try #require(try context.first(Place.self, where: #Predicate { $0.name == "Oslo" }))
    let marks = (1..<7).map { Mark($0, "new") }
    marks.forEach { context.insert($0) }
    marks[0].place = place
    let statements = try ContainerStatements(container)
    #expect(try statements.queries { try context.save() }.filter { $0.contains("ZNOTE") } == [])
    for mark in marks { mark.note += "er" }
    marks[5].place = place
    try context.save()
    let found = try filling.fetch(FetchDescriptor<Mark>(sortBy: [SortDescriptor(\.code)]))
    #expect(found.map(\.note) == ["old"] + [String](repeating: "newer", count: 6))
    #expect(found.map { $0.place?.name } == ["Rome", "Oslo", nil, nil, nil, nil, "Oslo"])
    #expect(rome.marks.map(\.code) == [0] && Set(oslo.marks.map(\.code)) == [1, 6])
    // The row of an author may have members that the new object does not know.
    context.insert(Author("1", born: 2))
    #expect(try statements.queries { try context.save() }.contains { $0.contains("ZBORN") })
    try Oracle.expectSound(store.url)
  }

  @Test("didSave names merged rows in the order of their keys")
  func announcedInOrder() throws {
    let world = try World()
    let names = (0..<12).map { "Author \($0)" }
    for name in names { world.context.insert(Author(name)) }
    try world.context.save()
    let announced = Mutex<[PersistentIdentifier]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: world.context, queue: nil
    ) { note in
      let updated = note.userInfo?[ModelContext.NotificationKey.updatedIdentifiers.rawValue] as? [PersistentIdentifier]
      announced.withLock { $0 = updated ?? [] }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    for name in names.reversed() { world.context.insert(Author(name, born: 1)) }
    try world.context.save()
    #expect(announced.withLock { $0.map(\.primaryKey) } == (1...12).map { "p\($0)" })
    try world.check()
  }

  @Test("Later changes through either object are saved and seen through both")
  func laterChanges() throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    let new = Author("Verne", born: 2)
    world.context.insert(new)
    try world.context.save()

    new.born = 3
    #expect(world.context.hasChanges)
    try world.context.save()
    #expect(old.born == 3 && new.born == 3)
    old.born = 4
    try world.context.save()
    #expect(old.born == 4 && new.born == 4)
    #expect(try world.fresh.all(Author.self).map(\.born) == [4])
    // Changes different properties through both objects.
    old.born = 5
    new.name = "Jules Verne"
    world.context.processPendingChanges()
    #expect(old.name == "Jules Verne" && new.born == 5)
    world.context.rollback()
    #expect(old.name == "Verne" && new.name == "Verne" && old.born == 4 && new.born == 4)
    #expect(!world.context.hasChanges)
    new.born = 6
    #expect(try world.context.first(Author.self, where: #Predicate { $0.born == 6 }) === old)
    try world.context.save()
    world.context.delete(new)
    #expect(new.isDeleted && old.isDeleted)
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(new.modelContext == nil && old.modelContext == nil && new.born == 6)
    try world.check()
  }

  @Test("An upsert keeps the row's members and adds the inserted object's", arguments: [true, false])
  func relationships(isLoaded: Bool) throws {
    let world = try World()
    let old = Author("Verne")
    world.context.insert(Book("1", author: old))
    try world.context.save()
    if isLoaded { #expect(old.books.count == 1) }
    let new = Author("Verne")
    let second = Book("2", author: new)
    world.context.insert(second)
    try world.context.save()
    #expect(second.author === old)
    #expect(old.books.map(\.title).sorted() == ["1", "2"] && new.books.map(\.title).sorted() == ["1", "2"])
    // The alias as a destination and as an owner.
    let third = Book("3")
    world.context.insert(third)
    third.author = new
    #expect(third.author === old && old.books.contains(third))
    new.books.removeAll { $0 === second }
    #expect(second.author == nil && !old.books.contains(second))
    try world.context.save()
    #expect(try world.fresh.all(Author.self).first?.books.map(\.title).sorted() == ["1", "3"])
    #expect(new.books.map(\.title).sorted() == ["1", "3"])
    try world.check()
  }

  @Test("Two new objects with one unique value become one row with the values of the later object")
  func twoInserts() throws {
    let world = try World()
    let first = Author("Verne", born: 1)
    let second = Author("Verne", born: 2)
    let books = [Book("1", author: first), Book("2", author: second)]
    books.forEach { world.context.insert($0) }
    nonisolated(unsafe) var announced: [[PersistentIdentifier]?] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: world.context, queue: nil
    ) { note in
      announced = ["inserted", "updated"].map { note.userInfo?[$0] as? [PersistentIdentifier] }
    }
    try world.context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(announced.first??.count { $0 == first.persistentModelID } == 1)
    #expect(announced.last??.contains(first.persistentModelID) != true)
    #expect(first.persistentModelID == second.persistentModelID)
    #expect(first.born == 2 && second.born == 2)
    #expect(books[0].author === books[1].author && books[0].author?.books.count == 2)
    #expect(try world.context.all(Author.self).count == 1)
    second.born = 3
    try world.context.save()
    #expect(first.born == 3)
    #expect(try world.fresh.all(Author.self).map(\.born) == [3])
    try world.check()
  }

  @Test("Onto an object with unsaved changes, and onto an object that the same save deletes")
  func changedAndDeleted() throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    old.born = 7
    let new = Author("Verne", born: 8)
    world.context.insert(new)
    try world.context.save()
    #expect(old.born == 8 && new.born == 8 && !world.context.hasChanges)
    #expect(try world.fresh.all(Author.self).map(\.born) == [8])
    world.context.delete(old)
    let another = Author("Verne", born: 9)
    world.context.insert(another)
    try world.context.save()
    #expect(old.modelContext == nil && new.modelContext == nil && another.born == 9)
    #expect(try world.context.all(Author.self).first === another)
    try world.check()
  }

  @Test("Another context's object takes the values of an upsert")
  func acrossContexts() throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    let other = world.fresh
    let new = Author("Verne", born: 2)
    other.insert(new)
    try other.save()
    _ = try world.context.fetchCount(FetchDescriptor<Tag>())
    #expect(old.born == 2 && old.persistentModelID == new.persistentModelID)
    try world.check()
  }

  @Test("A released alias leaves nothing behind")
  func released() throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    weak var twin: Author?
    do {
      let new = Author("Verne", born: 2)
      world.context.insert(new)
      try world.context.save()
      twin = new
    }
    #expect(twin == nil)
    old.born = 3
    try world.context.save()
    #expect(world.context.core.aliases.isEmpty)
    try world.check()
  }

  @Test("CD-6 A new object whose unique value an existing object takes in the same save merges with it")
  func renamedOnto() throws {
    let world = try World()
    let old = Author("1", born: 1)
    world.context.insert(old)
    try world.context.save()
    old.name = "2"
    let new = Author("2", born: 2)
    // The saved object's former name is free.
    let another = Author("1", born: 3)
    [new, another].forEach { world.context.insert($0) }
    nonisolated(unsafe) var updated: [PersistentIdentifier] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: world.context, queue: nil
    ) { note in
      updated = note.userInfo?["updated"] as? [PersistentIdentifier] ?? []
    }
    try world.context.save()
    NotificationCenter.default.removeObserver(token)
    #expect(updated == [old.persistentModelID])
    #expect(old.persistentModelID == new.persistentModelID && old.born == 2 && new.name == "2")
    #expect(another.persistentModelID != old.persistentModelID && !world.context.hasChanges)
    #expect(try world.fresh.all(Author.self).map { "\($0.name) \($0.born ?? 0)" }.sorted() == ["1 3", "2 2"])
    try world.check()
  }

  @Test("Saved objects exchange unique values in any order; a value that stays in use is refused")
  func exchangedValues() throws {
    let world = try World()
    let authors = ["1", "2", "3"].map { Author($0) }
    authors.forEach { world.context.insert($0) }
    try world.context.save()
    for names in [["2", "1", "3"], ["3", "2", "1"], ["2", "3", "4"], ["1", "2", "3"], ["3", "1", "2"]] {
      for (author, name) in zip(authors, names) { author.name = name }
      try world.context.save()
      #expect(try world.fresh.all(Author.self).map(\.name).sorted() == names.sorted())
      let fresh = world.fresh
      #expect(authors.map { (fresh.model(for: $0.persistentModelID) as? Author)?.name } == names)
    }
    authors[0].name = "1"
    authors[2].name = "9"
    let error = #expect(throws: SwiftDataError.self) { try world.context.save() }
    #expect(error?.description.contains("has the value of another object") == true)
    #expect(try world.fresh.all(Author.self).map(\.name).sorted() == ["1", "2", "3"])
    try world.check()
  }
}
