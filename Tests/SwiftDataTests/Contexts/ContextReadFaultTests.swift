import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

@Suite("Reads of a context under system failures")
struct ContextReadFaultTests {
  /// A store with a book, two chapters, a tag, two authors, a cover and a room with a box; any read can be made to fail.
  private final class Library {
    let store: TemporaryStore
    let disk: FaultyFileSystem
    let container: ModelContainer
    let context: ModelContext
    let identifiers: [String: PersistentIdentifier]

    init() throws {
      store = try TemporaryStore()
      disk = FaultyFileSystem(store.folder)
      container = try ContextLibrary.container(store)
      let writer = ModelContext(container)
      let book = Book("Book", pages: 7, author: Author("A"))
      book.chapters = [Chapter("I"), Chapter("II")]
      book.tags = [Tag("old")]
      book.cover = Cover("red")
      let room = Room(1)
      let objects: [String: any PersistentModel] = [
        "book": book, "room": room, "other": Author("B"), "tag": Tag("new"), "empty": Book("Empty"),
      ]
      objects.values.forEach { writer.insert($0) }
      writer.insert(Box("b", in: room))
      try writer.save()
      identifiers = objects.mapValues(\.persistentModelID)
      context = ModelContext(container)
    }

    /// A fault.
    func fault<Model: PersistentModel>(_ name: String, as type: Model.Type = Model.self) throws -> Model {
      let identifier = try #require(identifiers[name])
      return try #require(context.model(for: identifier) as? Model)
    }

    /// Runs a closure while every read fails.
    func unreadable<Result>(_ body: () throws -> Result) rethrows -> Result {
      disk.arm(.device, at: 1, isPersistent: true)
      defer { disk.disarm() }
      return try body()
    }

    func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Model>())
    }

    func check() throws {
      try Oracle.expectSound(store.url, fresh: true)
    }
  }

  @Test("A property that read as a default shows its value once the row can be read")
  func getters() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    library.unreadable {
      #expect(book.title == "" && book.pages == 0 && book.author == nil && book.tags.isEmpty)
    }
    #expect(book.title == "Book" && book.pages == 7 && book.author?.name == "A" && book.tags.map(\.word) == ["old"])
    library.unreadable { #expect(book.chapters.isEmpty && book.cover?.colour ?? "" == "") }
    #expect(book.chapters.count == 2 && book.cover?.colour == "red")
    #expect(!library.context.hasChanges)
  }

  @Test("The members of a fault are read before its other values")
  func membersFirst() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    #expect(book.chapters.count == 2)
    #expect(book.title == "Book" && book.tags.map(\.word) == ["old"])
  }

  @Test("An object that another context saved is read again later if its read fails")
  func saved() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    #expect(book.title == "Book" && book.tags.count == 1)
    let other = ModelContext(library.container)
    let theirs = try #require(try other.first(Book.self, where: #Predicate { $0.pages == 7 }))
    theirs.title = "Theirs"
    theirs.tags = []
    try other.save()
    library.unreadable { _ = try? library.context.fetchCount(FetchDescriptor<Book>()) }
    #expect(book.title == "Theirs" && book.tags.isEmpty && !book.hasChanges)
  }

  @Test("Assignments to an unreadable object are saved once it can be read, and its inverses follow")
  func assignments() throws {
    let library = try Library()
    let context = library.context
    let (book, empty): (Book, Book) = (try library.fault("book"), try library.fault("empty"))
    let (author, tag): (Author, Tag) = (try library.fault("other"), try library.fault("tag"))
    let former = try #require(try context.first(Author.self, where: #Predicate { $0.name == "A" }))
    let cover = try #require(try context.all(Cover.self).first)
    #expect(former.books.count == 1 && author.books.isEmpty && tag.books.isEmpty)
    #expect(tag.word == "new" && author.name == "B")
    library.unreadable {
      book.title = "New"
      book.author = author
      book.tags = [tag]
      empty.cover = cover
      #expect(book.title == "New" && book.author === author)
      #expect(book.tags == [tag])
      #expect(book.hasChanges && context.changedModelsArray.contains { $0 === book })
      #expect(throws: SwiftDataError.storeFailure) { try context.save() }
      #expect(book.title == "New" && book.author === author && book.tags == [tag])
    }
    try context.save()
    #expect(book.title == "New" && book.pages == 7 && former.books.isEmpty && author.books.count == 1)
    #expect(empty.cover === cover && cover.book === empty && book.cover == nil)
    let read = try #require(try ModelContext(library.container).first(Book.self, where: #Predicate { $0.pages == 7 }))
    #expect(read.title == "New" && read.author?.name == "B" && read.tags.map(\.word) == ["new"] && read.cover == nil)
    try library.check()
  }

  @Test("A value is not saved if it was assigned after another value of its object could not be read")
  func computedValue() throws {
    let library = try Library()
    let book = try #require(try library.context.first(Book.self, where: #Predicate { $0.pages == 7 }))
    library.unreadable { book.pages = book.chapters.count }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try library.context.save() }
    #expect(error?.validationProblems.map(\.propertyName) == ["pages"])
    library.context.rollback()
    book.pages = book.chapters.count
    try library.context.save()
    #expect(try ModelContext(library.container).all(Book.self).map(\.pages).sorted() == [0, 2])
  }

  @Test("Once its row could be read, an object takes values that are computed from it", arguments: [false, true])
  func readAgain(byFetch: Bool) throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    library.unreadable { #expect(book.pages == 0) }
    if byFetch { #expect(try library.context.all(Book.self).count == 2) }
    book.pages += 1
    try library.context.save()
    #expect(try ModelContext(library.container).all(Book.self).map(\.pages).sorted() == [0, 8])
  }

  @Test("A fault that is read together with another one takes values that are computed from it")
  func readTogether() throws {
    let library = try Library()
    let (book, empty): (Book, Book) = (try library.fault("book"), try library.fault("empty"))
    library.unreadable { #expect(book.pages == 0 && empty.pages == 0) }
    #expect(empty.title == "Empty")
    book.pages += 1
    try library.context.save()
    #expect(try ModelContext(library.container).all(Book.self).map(\.pages).sorted() == [0, 8])
  }

  @Test(
    "Once its row could be read, a changed object takes values that are computed from it", arguments: [false, true])
  func changedAndReadAgain(byFetch: Bool) throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    library.unreadable {
      book.title = "New"
      #expect(book.pages == 0)
    }
    if byFetch { #expect(try library.context.all(Book.self).count == 2) }
    #expect(book.pages == 7)
    book.pages += 1
    try library.context.save()
    let saved = try ModelContext(library.container).all(Book.self).map { "\($0.title) \($0.pages)" }.sorted()
    #expect(saved == ["Empty 0", "New 8"])
  }

  @Test("Once its members could be read, an object takes values that are computed from them")
  func membersReadAgain() throws {
    let library = try Library()
    let book = try #require(try library.context.first(Book.self, where: #Predicate { $0.pages == 7 }))
    library.unreadable { #expect(book.chapters.isEmpty) }
    book.pages = book.chapters.count
    try library.context.save()
    #expect(try ModelContext(library.container).all(Book.self).map(\.pages).sorted() == [0, 2])
  }

  @Test("A value is not saved if the members that it is computed from could not be read, though the row was read since")
  func membersUnread() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    let count = library.unreadable { book.chapters.count }
    #expect(book.title == "Book")
    book.pages = count
    #expect(throws: SwiftDataError.modelValidationFailure) { try library.context.save() }
    #expect(try ModelContext(library.container).all(Book.self).map(\.pages).sorted() == [0, 7])
  }

  @Test("A fetch completes an assignment whose former members could not be read")
  func completion() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    let (old, new): (Tag?, Tag) = (
      try library.context.first(Tag.self, where: #Predicate { $0.word == "old" }), try library.fault("tag")
    )
    library.unreadable { book.tags = [new] }
    #expect(try library.context.all(Tag.self).count == 2)
    #expect(old?.books.isEmpty == true && new.books == [book] && book.tags == [new])
    try library.context.save()
    #expect(try ModelContext(library.container).all(Tag.self).filter { !$0.books.isEmpty }.map(\.word) == ["new"])
  }

  @Test("A new object that left the context is not inserted by the completion of an assignment to it")
  func deletedDestination() throws {
    let library = try Library()
    let identifier = try #require(try ModelContext(library.container).all(Cover.self).first).persistentModelID
    let cover = try #require(library.context.model(for: identifier) as? Cover)
    let new = Book("New")
    library.context.insert(new)
    library.unreadable {
      new.cover = cover
      library.context.delete(new)
    }
    try library.context.save()
    #expect(try library.count(Book.self) == 2 && library.count(Cover.self) == 1)
    #expect(cover.book == nil && new.modelContext == nil)
    try library.check()
  }

  @Test("Assignments to an unreadable object can be rolled back")
  func rollback() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    let tag: Tag = try library.fault("tag")
    #expect(tag.books.isEmpty)
    library.unreadable {
      book.title = "New"
      book.tags = [tag]
      library.context.rollback()
    }
    #expect(!library.context.hasChanges && !book.hasChanges)
    #expect(book.title == "Book" && book.pages == 7 && book.tags.map(\.word) == ["old"] && tag.books.isEmpty)
  }

  @Test("An unreadable object can be deleted; its delete rules apply once it can be read")
  func deletion() throws {
    let library = try Library()
    let context = library.context
    let book: Book = try library.fault("book")
    library.unreadable {
      context.delete(book)
      #expect(book.isDeleted && context.deletedModelsArray.count == 1)
      context.processPendingChanges()
      #expect(throws: SwiftDataError.storeFailure) { try context.save() }
      #expect(book.isDeleted && context.hasChanges)
    }
    try context.save()
    #expect(try library.count(Chapter.self) == 0)
    #expect(try library.count(Book.self) == 1)
    #expect(try ModelContext(library.container).all(Author.self).allSatisfy { $0.books.isEmpty })
    try library.check()
  }

  @Test("The deletion of an unreadable object can be rolled back")
  func deletionRolledBack() throws {
    let library = try Library()
    let book: Book = try library.fault("book")
    library.unreadable {
      library.context.delete(book)
      library.context.rollback()
    }
    #expect(!book.isDeleted && book.title == "Book" && book.chapters.count == 2 && !library.context.hasChanges)
  }

  @Test("A failed read never skips a cascade or a nullification", arguments: [false, true])
  func cascade(isPersistent: Bool) throws {
    var failures = 0
    for number in 1...24 {
      let library = try Library()
      let book = try #require(try library.context.first(Book.self, where: #Predicate { $0.pages == 7 }))
      library.context.delete(book)
      library.disk.arm(.device, at: number, isPersistent: isPersistent)
      let result = Result { try library.context.save() }
      library.disk.disarm()
      if case .failure = result {
        failures += 1
        #expect(try library.count(Chapter.self) == 2, "call \(number)")
        try library.context.save()
      }
      #expect(try library.count(Chapter.self) == 0, "call \(number)")
      let context = ModelContext(library.container)
      #expect(try context.all(Cover.self).allSatisfy { $0.book == nil }, "call \(number)")
      #expect(try context.all(Tag.self).allSatisfy { $0.books.isEmpty }, "call \(number)")
      if number % 8 == 0 { try library.check() }
    }
    #expect(failures > 10)
  }

  @Test("A failed read never lets a denied deletion through")
  func denial() throws {
    for number in 1...16 {
      let library = try Library()
      let room = try #require(try library.context.all(Room.self).first)
      library.context.delete(room)
      library.disk.arm(.device, at: number, isPersistent: false)
      #expect(throws: SwiftDataError.self, "call \(number)") { try library.context.save() }
      library.disk.disarm()
      #expect(throws: SwiftDataError.modelValidationFailure, "call \(number)") { try library.context.save() }
      #expect(try library.count(Room.self) == 1)
    }
  }
}
