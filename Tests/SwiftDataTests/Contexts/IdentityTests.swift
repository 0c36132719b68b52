import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("One object per row")
struct IdentityTests {
  @Test("Every way to an object returns the same instance")
  func same() throws {
    let world = try World()
    world.context.insert(Book("B", author: Author("A")))
    try world.context.save()
    let context = world.fresh
    let book = try #require(try context.all(Book.self).first)
    let author = try #require(book.author)
    #expect(author.books.first === book)
    #expect(try context.all(Author.self).first === author)
    #expect(context.model(for: book.persistentModelID) === book)
    #expect((context.registeredModel(for: author.persistentModelID) as Author?) === author)
    #expect((world.fresh.registeredModel(for: author.persistentModelID) as Author?) == nil)
    let decoded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(book.persistentModelID))
    #expect(context.model(for: decoded) === book)
  }

  @Test("A temporary identifier that was coded before the save leads to its object after it")
  func codedBeforeSave() throws {
    let world = try World()
    let book = Book("B")
    world.context.insert(book)
    let original = book.persistentModelID
    let data = try JSONEncoder().encode(original)
    let early = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(early == original && world.context.model(for: early) === book)
    try world.context.save()
    let late = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(late == original && late.hashValue == original.hashValue)
    for identifier in [early, late] {
      #expect(world.context.model(for: identifier) === book)
      let found = FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == identifier })
      #expect(try world.context.fetch(found) == [book])
      #expect((world.fresh.model(for: identifier) as? Book)?.title == "B")
    }
    let again = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(late))
    #expect(world.context.model(for: again) === book)
  }

  @Test("A temporary identifier finds the unsaved object of its own context, asked for before or after the insertion")
  func unsaved() throws {
    let world = try World()
    let (early, late, detached) = (Book("early"), Book("late"), Book("detached"))
    let first = early.persistentModelID
    func found(_ context: ModelContext, _ identifier: PersistentIdentifier) -> Book? {
      context.registeredModel(for: identifier)
    }
    #expect(found(world.context, first) == nil)
    world.context.insert(early)
    world.context.insert(late)
    let second = late.persistentModelID
    let other = world.fresh
    #expect(found(world.context, first) === early && found(world.context, second) === late)
    #expect(world.context.model(for: first) === early)
    #expect(found(other, first) == nil && found(world.context, detached.persistentModelID) == nil)

    world.context.rollback()
    #expect(found(world.context, first) == nil && found(world.context, second) == nil)
    other.insert(early)
    #expect(found(other, early.persistentModelID) === early && found(world.context, early.persistentModelID) == nil)
    other.delete(early)
    #expect(found(other, first) == nil)
  }

  @Test("A temporary identifier of another process, or of a released object, identifies no object")
  func codedElsewhere() throws {
    let world = try World()
    let foreign = try JSONEncoder().encode(PersistentIdentifier(TemporaryIdentity(entityName: "Book", uuid: UUID())))
    let released = try JSONEncoder().encode(Book("B").persistentModelID)
    for data in [foreign, released] {
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
      #expect(try identifier == JSONDecoder().decode(PersistentIdentifier.self, from: data))
      #expect(identifier.entityName == "Book" && world.context.model(for: identifier).isDeleted)
    }
  }

  @Test("The object of an identifier is loaded when it is read")
  func fault() throws {
    let world = try World()
    world.context.insert(Book("B", pages: 4))
    try world.context.save()
    let identifier = try #require(try world.fresh.fetchIdentifiers(FetchDescriptor<Book>()).first)
    let context = world.fresh
    let book = try #require(context.model(for: identifier) as? Book)
    #expect(book._$state.status == .fault)
    #expect(book.title == "B" && book.pages == 4 && book._$state.status == .clean)

    let lost = world.fresh.model(for: identifier) as? Book
    world.context.delete(try #require(try world.context.all(Book.self).first))
    try world.context.save()
    #expect(lost?.title == "" && lost?.isDeleted == true)
  }

  @Test("An identifier of an entity that the container does not have gives no object of a class of the container")
  func unknownEntity() throws {
    let world = try World()
    world.context.insert(Book("B"))
    try world.context.save()
    let store = try #require(try world.context.all(Book.self).first?.persistentModelID.storeIdentifier)
    for identifier in [
      try PersistentIdentifier.identifier(for: store, entityName: "Ghost", primaryKey: "p1"),
      try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Ghost", primaryKey: "p1"),
      Stranger().persistentModelID,
    ] {
      let object = world.fresh.model(for: identifier)
      #expect(object.isDeleted && object.modelContext == nil && !object.hasChanges)
      #expect(object as? Book == nil && object as? Author == nil)
      #expect(object.persistentModelID.entityName == identifier.entityName)
      #expect((world.context.registeredModel(for: identifier) as Book?) == nil)
    }
    // Of an entity that the container has, the object is of its class.
    let other = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Book", primaryKey: "p1")
    let book = try #require(world.fresh.model(for: other) as? Book)
    #expect(book.isDeleted && book.modelContext == nil && book.title == "")
  }

  @Test("An object that stands for an unknown one can be neither saved nor deleted, and ends no program")
  func unknownObject() throws {
    let world = try World()
    let identifier = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Ghost", primaryKey: "p1")
    func insert(_ object: some PersistentModel) { world.context.insert(object) }
    insert(world.context.model(for: identifier))
    #expect(throws: SwiftDataError.self) { try world.context.save() }
    world.context.rollback()
    func delete(_ object: some PersistentModel) { world.context.delete(object) }
    delete(world.context.model(for: identifier))
    try world.context.save()
  }

  @Test("A container without classes, and a model actor, have no object for any identifier")
  func noClasses() async throws {
    let identifier = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Ghost", primaryKey: "p1")
    let container = try ModelContainer(for: Schema(), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    #expect(context.model(for: identifier).isDeleted)
    #expect((context.registeredModel(for: identifier) as Book?) == nil)
    let actor = Reader(modelContainer: try World().container)
    #expect(await actor.has(identifier) == false)
  }

  @Model final class Stranger { init() {} }

  @ModelActor actor Reader {
    func has(_ identifier: PersistentIdentifier) -> Bool { self[identifier, as: Book.self] != nil }
  }

  @Test("Objects that only the context holds are released unless they are changed")
  func sweep() throws {
    let world = try World()
    for number in 0..<6000 { world.context.insert(Tag("\(number)")) }
    try world.context.save()
    let context = world.fresh
    let tag = try #require(try context.all(Tag.self).last)
    let seventh = try context.first(Tag.self, where: #Predicate { $0.word == "7" })
    seventh?.word = "seven"
    _ = try context.fetch(FetchDescriptor<Book>())
    #expect(context.core.identityMap.count == 2)
    #expect(tag.word == "5999")
    try context.save()
    #expect(try world.fresh.first(Tag.self, where: #Predicate { $0.word == "seven" }) != nil)
    try world.check()
  }

  @Test("A list in use stays loaded, however long it is, and a list that nobody reads any more is released")
  func sweepOfLists() throws {
    let world = try World()
    let made = Author("A")
    world.context.insert(made)
    made.books = (0..<5000).map { Book("\($0)") }
    try world.context.save()
    let context = world.fresh
    let author = try #require(try context.first(Author.self, where: #Predicate { $0.name == "A" }))
    for _ in 0..<3 {
      #expect(author.books.count == 5000)
      _ = try context.fetch(FetchDescriptor<Tag>())
      #expect(context.core.identityMap.count == 5001)
    }
    context.core.sweep()
    context.core.sweep()
    #expect(context.core.identityMap.count == 1)
    #expect(author.books.count == 5000)
  }

  @Test("Objects stay readable after their context and container are released")
  func afterwards() throws {
    var world: World? = try World()
    world?.context.insert(Book("B", author: Author("A")))
    try world?.context.save()
    var context = world?.fresh
    let book = try #require(try context?.all(Book.self).first)
    context = nil
    #expect(book.modelContext == nil)
    #expect(book.title == "B" && book.author?.name == "A")
    world = nil
    #expect(book.title == "B")
  }

  @Test("A context with objects that lead to each other is released")
  func noCycles() throws {
    weak var book: Book?
    weak var core: ContextCore?
    do {
      let world = try World()
      let made = Book("B", author: Author("A"))
      made.tags = [Tag("t")]
      world.context.insert(made)
      try world.context.save()
      _ = made.author?.books
      _ = made.tags.first?.books
      made.title = "changed"
      world.context.insert(Book("unsaved", author: made.author))
      book = made
      core = world.context.core
    }
    #expect(book == nil && core == nil)
  }

  @Test("The next fetch of another context returns the saved values")
  func changeFeed() throws {
    let world = try World()
    let book = Book("B")
    let gone = Book("gone")
    [book, gone].forEach { world.context.insert($0) }
    try world.context.save()
    let other = world.fresh
    let twins = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    book.title = "changed"
    book.tags = [Tag("t")]
    world.context.delete(gone)
    try world.context.save()
    #expect(twins.map(\.title) == ["B", "gone"])
    _ = try other.fetchCount(FetchDescriptor<Tag>())
    #expect(twins.map(\.title) == ["changed", "gone"])
    #expect(twins[0].tags.map(\.word) == ["t"] && twins[1].isDeleted)
  }
}

@Suite("The table of live objects")
struct IdentityTableTests {
  private final class Value {}

  @Test("It agrees with a dictionary", arguments: [1 as Int64, 3, 7, 4096, 1 << 40, 1 << 54])
  func twin(stride: Int64) {
    let table = KeyTable()
    var dictionary: [Int64: Value] = [:]
    var random = SplitMix(seed: UInt64(stride))
    for _ in 0..<3000 {
      let key = Int64.random(in: 1...400, using: &random) * stride
      if Bool.random(using: &random) {
        let value = Value()
        table.insert(value, for: key)
        dictionary[key] = value
      } else {
        #expect(table.remove(key) === dictionary.removeValue(forKey: key))
      }
      #expect(table.count == dictionary.count)
    }
    for number in 1...400 { #expect(table[Int64(number) * stride] === dictionary[Int64(number) * stride]) }
    let held = dictionary.filter { $0.key % 2 == 0 }
    dictionary = [:]
    table.sweep { _ in true }
    #expect(table.count == held.count)
    for (key, value) in held { #expect(table[key] === value) }
  }
}
