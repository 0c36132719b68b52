import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("A deletion by a predicate", .everyEngine)
struct BatchDeletionTests {
  let world: World

  init() throws {
    world = try World()
    for number in 0..<20 {
      let author = Author("author \(number)", born: 1800 + number)
      world.context.insert(author)
      for index in 0..<3 {
        let book = Book("book \(number) \(index)", pages: number * 10 + index)
        world.context.insert(book)
        book.author = author
        book.chapters = [Chapter("I"), Chapter("II")]
      }
    }
    try world.context.save()
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try world.fresh.fetchCount(FetchDescriptor<Model>())
  }

  @Test("It waits for the save, and a rollback undoes it")
  func rollback() throws {
    let context = world.fresh
    try context.delete(model: Book.self)
    #expect(context.hasChanges)
    #expect(try count(Book.self) == 60)
    context.rollback()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try count(Book.self) == 60)
    try context.delete(model: Book.self, where: #Predicate { $0.pages >= 100 })
    try context.save()
    #expect(try count(Book.self) == 30 && count(Chapter.self) == 60 && count(Author.self) == 20)
    #expect(try world.fresh.all(Author.self).allSatisfy { $0.books.count == ($0.born ?? 0 < 1810 ? 3 : 0) })
    try world.check()
  }

  @Test("A fetch before the save does not see the objects, and its own objects are orphaned by the save")
  func fetchBefore() throws {
    let context = world.fresh
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 100 })
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 30)
    let author = try #require(try context.first(Author.self, where: #Predicate { $0.name == "author 3" }))
    #expect(author.books.isEmpty && context.deletedModelsArray.count == 90)
    try context.save()
    #expect(try count(Book.self) == 30 && count(Chapter.self) == 60)
    try world.check()
  }

  @Test("Objects that the program holds follow before the save if the context fetches, else with it")
  func held() throws {
    let context = world.fresh
    let book = try #require(try context.first(Book.self, where: #Predicate { $0.pages == 11 }))
    let author = try #require(book.author)
    #expect(author.books.count == 3)
    try context.delete(model: Book.self, where: #Predicate { $0.pages == 11 })
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 59)
    #expect(book.isDeleted && author.books.count == 2 && book.chapters.allSatisfy(\.isDeleted))
    context.rollback()
    #expect(!book.isDeleted && author.books.count == 3)
    try context.delete(model: Book.self)
    try context.save()
    #expect(book.modelContext == nil && book.title == "book 1 1" && author.books.isEmpty)
    try world.check()
  }

  @Test("Unsaved changes decide which objects match; unsaved objects that match are discarded")
  func pending() throws {
    let context = world.fresh
    var books: [Book]? = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    books?[0].pages = 500
    books?[59].pages = 1
    books = nil
    let (out, kept) = (Book("x", pages: 2), Book("y", pages: 300))
    context.insert(out)
    context.insert(kept)
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 400 })
    context.insert(Book("z", pages: 3))
    #expect(out.modelContext == nil && kept.modelContext == nil)
    try context.save()
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["book 0 0", "z"])
    try world.check()
  }

  @Test(
    "New objects after it stay, also with unique values of deleted objects, and those that lead to a deleted object lose it"
  )
  func insertedAfter() throws {
    let context = world.fresh
    try context.delete(model: Author.self)
    context.insert(Author("author 3", born: 1))
    try context.save()
    #expect(try world.fresh.all(Author.self).map(\.born) == [1])
    #expect(try count(Book.self) == 60)
    let identifier = try #require(try world.fresh.first(Book.self, where: #Predicate { $0.pages == 30 }))
      .persistentModelID
    try context.delete(model: Book.self)
    let cover = Cover("red")
    context.insert(cover)
    cover.book = context.model(for: identifier) as? Book
    try context.save()
    #expect(try count(Book.self) == 0 && count(Chapter.self) == 0)
    #expect(try world.fresh.all(Cover.self).map { $0.book == nil } == [true])
    try world.check()
  }

  @Test("Several of them, and changes of other classes, take effect in the order of the calls, in one transaction")
  func several() throws {
    let context = world.fresh
    try context.delete(model: Chapter.self, where: #Predicate { $0.heading == "I" })
    try context.delete(model: Book.self, where: #Predicate { $0.chapters.count == 2 })
    context.insert(Room(4))
    try context.delete(model: Author.self, where: #Predicate { $0.books.isEmpty })
    try context.save()
    #expect(
      try count(Book.self) == 60 && count(Chapter.self) == 60 && count(Author.self) == 20 && count(Room.self) == 1)
    try context.delete(model: Chapter.self)
    try context.delete(model: Book.self, where: #Predicate { $0.chapters.isEmpty && $0.pages > 9 })
    try context.delete(model: Author.self, where: #Predicate { $0.books.isEmpty })
    try context.save()
    #expect(try count(Book.self) == 3 && count(Chapter.self) == 0 && count(Author.self) == 1)
    try world.check()
  }

  @Test(
    "A denied deletion, and one that leaves a required relationship empty, make the save throw with entity and property"
  )
  func denied() throws {
    let room = Room(7)
    world.context.insert(room)
    world.context.insert(Box("a", in: room))
    try world.context.save()
    let context = world.fresh
    try context.delete(model: Room.self)
    let denial = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(denial?.validationProblems.map { "\($0.entityName).\($0.propertyName)" } == ["Room.boxes"])
    #expect(try count(Room.self) == 1)
    context.rollback()
    try context.delete(model: Box.self)
    try context.delete(model: Room.self)
    try context.save()
    #expect(try count(Room.self) == 0 && count(Box.self) == 0)
    try world.check()
  }

  @Test("Notifications name the objects, and other contexts' objects follow")
  func others() throws {
    let other = world.fresh
    let book = try #require(try other.first(Book.self, where: #Predicate { $0.pages == 11 }))
    let author = try #require(book.author)
    #expect(author.books.count == 3)
    let context = world.fresh
    let saved = Saved()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      saved.deleted =
        $0.userInfo?[ModelContext.NotificationKey.deletedIdentifiers.rawValue] as? [PersistentIdentifier] ?? []
      saved.updated =
        $0.userInfo?[ModelContext.NotificationKey.updatedIdentifiers.rawValue] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 20 })
    try context.save()
    #expect(saved.deleted.count == 18 && saved.updated.count == 2 && saved.deleted.contains(book.persistentModelID))
    #expect(saved.updated.contains(author.persistentModelID))
    _ = try other.fetchCount(FetchDescriptor<Room>())
    #expect(book.modelContext == nil && book.title == "book 1 1" && author.books.isEmpty)
  }

  private final class Saved: @unchecked Sendable {
    var deleted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
  }

  @Test(
    "Random calls, fetches, changes and rollbacks: the store agrees with a simple model",
    arguments: 0..<(FullTests.areWanted ? 10 : 5) as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var saved = Set(try world.fresh.all(Book.self).map(\.pages))
    var pages = saved
    let context = world.fresh
    var held: [Book] = []
    for step in 0..<40 {
      let limit = random.below(200)
      switch random.below(9) {
      case 0, 1:
        let upper = limit + random.below(30)
        try context.delete(model: Book.self, where: #Predicate { $0.pages >= limit && $0.pages < upper })
        pages = pages.filter { $0 < limit || $0 >= upper }
      case 2:
        held = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < limit }))
        #expect(Set(held.map(\.pages)) == pages.filter { $0 < limit }, "step \(step)")
      case 3: held = []
      case 4:
        let new = 1000 + step
        context.insert(Book("new", pages: new))
        pages.insert(new)
      case 5:
        if let book = held.first(where: { !$0.isDeleted && $0.modelContext != nil }), pages.contains(book.pages) {
          pages.remove(book.pages)
          book.pages = 2000 + step
          pages.insert(book.pages)
        }
      case 6:
        context.rollback()
        held = []
        pages = saved
      case 7:
        try context.delete(model: Author.self, where: #Predicate { $0.books.isEmpty })
      default:
        try context.save()
        saved = pages
        #expect(try Set(world.fresh.all(Book.self).map(\.pages)) == pages, "step \(step)")
      }
    }
    try context.save()
    #expect(try Set(world.fresh.all(Book.self).map(\.pages)) == pages)
    if seed < 3 { try world.check() }
  }
}

@Suite(
  "A cascade from deleted objects", .enabled(if: TestEngine.hasBatches, "the engine deletes object by object"))
struct CascadeBatchTests {
  let world: World

  init() throws {
    world = try World()
    for number in 0..<20 {
      let book = Book("book \(number)", pages: number)
      world.context.insert(book)
      book.chapters = (0..<5).map { Chapter("\($0)") }
      book.author = Author("author \(number % 3)")
    }
    try world.context.save()
  }

  @Test("It loads no object that only the cascade reaches")
  func loadsNothing() throws {
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 10 }))
    for book in books { context.delete(book) }
    context.core.scheduleCascades()
    #expect(context.core.unit.batches.count == 1 && context.core.identityMap.count == 10)
    try context.save()
    #expect(books.allSatisfy { $0.modelContext == nil && $0.isDeleted } && !context.hasChanges)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 50)
    #expect(try world.fresh.all(Author.self).reduce(0) { $0 + $1.books.count } == 10)
    try world.check()
  }

  @Test("Objects that the program holds, and changed ones, are deleted in memory")
  func held() throws {
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 4 }))
    let chapter = try #require(books[0].chapters.first)
    books[1].chapters[0].book = try context.first(Book.self, where: #Predicate { $0.pages == 12 })
    for book in books { context.delete(book) }
    context.core.scheduleCascades()
    #expect(context.core.unit.batches.isEmpty)
    try context.save()
    #expect(chapter.modelContext == nil)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 81)
    try world.check()
  }

  @Test("A save that fails leaves the deletions pending; a rollback and a second insertion undo them")
  func failing() throws {
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 4 }))
    for book in books { context.delete(book) }
    context.insert(Author("author"))
    context.insert(Author("x"))
    let fetching = FetchingObserver(context)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in fetching.fetch() }
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(fetching.count == 16)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 80)
    let more = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 8 }))
    for book in more { context.delete(book) }
    context.core.scheduleCascades()
    #expect(context.core.unit.batches.count == 1)
    context.insert(more[0])
    context.rollback()
    #expect(!context.hasChanges && more.allSatisfy { !$0.isDeleted && $0.chapters.count == 5 })
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 16)
    try world.check()
  }

  /// Fetches in the middle of a save, on the saving thread.
  private final class FetchingObserver: @unchecked Sendable {
    private let context: ModelContext
    private(set) var count = 0

    init(_ context: ModelContext) { self.context = context }

    func fetch() { count = (try? context.fetchCount(FetchDescriptor<Book>())) ?? 0 }
  }
}
