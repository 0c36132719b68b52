import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Changes that other contexts save", .everyEngine)
struct OthersChangesTests {
  let world: World
  let book: Book
  let other: ModelContext
  /// The object of the same row in the other context.
  let theirs: Book

  init() throws {
    world = try World()
    book = Book("A", pages: 1)
    world.context.insert(book)
    world.context.insert(Book("B", pages: 2))
    try world.context.save()
    other = world.fresh
    theirs = try #require(try other.first(Book.self, where: #Predicate { $0.title == "A" }))
  }

  // MARK: Deletions

  @Test("A deletion wins over a change: the rest is saved, and didSave names the object")
  func deletionWins() throws {
    theirs.title = "changed"
    other.insert(Book("C"))
    let identifier = theirs.persistentModelID
    world.context.delete(book)
    try world.context.save()
    nonisolated(unsafe) var dropped: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: other, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.droppedIdentifiers.rawValue
      dropped += notification.userInfo?[key] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try other.save()
    #expect(dropped == [identifier])
    #expect(theirs.isDeleted && theirs.modelContext == nil && theirs.title == "changed" && !other.hasChanges)
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["B", "C"])
    try world.check()
  }

  @Test("A new object does not keep an unsaved link to an object that another context deleted")
  func linkToDeleted() throws {
    let tag = Tag("gone")
    world.context.insert(tag)
    try world.context.save()
    let new = Book("new")
    // The tag's books are not loaded here.
    new.tags = try other.all(Tag.self)
    other.insert(new)
    world.context.delete(tag)
    try world.context.save()
    try other.save()
    #expect(new.tags.isEmpty && !other.hasChanges)
    #expect(try world.fresh.all(Book.self).allSatisfy { $0.tags.isEmpty })
    try world.check()
  }

  @Test(
    "An object with unsaved changes takes over the other values at the next fetch, and conflicts as before",
    arguments: [SaveConflictPolicy.mergeByProperty, .fail, .keepStored, .overwrite, .rollback])
  func otherValues(policy: SaveConflictPolicy) throws {
    let author = Author("new")
    world.context.insert(author)
    try world.context.save()
    other.conflictPolicy = policy
    theirs.title = "theirs"
    book.title = "saved"
    book.pages = 7
    book.author = author
    try world.context.save()
    let adopts = policy != .overwrite
    let authors = try other.all(Author.self)
    #expect(theirs.title == "theirs" && theirs.pages == (adopts ? 7 : 1))
    #expect(theirs.author === (adopts ? authors[0] : nil))
    #expect(try other.all(Book.self).map(\.pages).sorted() == (adopts ? [2, 7] : [1, 2]))
    #expect(try other.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 7 })) == (adopts ? 1 : 0))
    #expect(theirs.hasChanges && authors[0].books == [theirs])
    if policy == .fail {
      #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    } else {
      try other.save()
      let title = [.keepStored, .rollback].contains(policy) ? "saved" : "theirs"
      #expect(theirs.title == title && theirs.pages == (adopts ? 7 : 1))
      let saved = try #require(try world.fresh.all(Book.self).first { $0.title != "B" })
      #expect(saved.title == title && saved.pages == theirs.pages)
    }
  }

  @Test(
    "An object whose changes are rolled back or undone has the values that others have saved", arguments: [true, false])
  func droppedChanges(undoes: Bool) throws {
    other.conflictPolicy = .fail
    let manager = UndoManager()
    if undoes { other.undoManager = manager }
    theirs.pages = 5
    book.pages = 7
    try world.context.save()
    _ = try other.all(Tag.self)
    if undoes { manager.undo() } else { other.rollback() }
    #expect(theirs.pages == 7 && !theirs.hasChanges)
    theirs.pages = 8
    try other.save()
    #expect(try world.fresh.all(Book.self).map(\.pages).sorted() == [2, 8])
  }

  @Test("A deletion that no context announced wins too")
  func foreignDeletion() throws {
    guard TestEngine.current == .file else { return }
    let container = try ContextLibrary.container(world.store)
    let foreign = ModelContext(container)
    let tag = Tag("t")
    theirs.title = "changed"
    theirs.tags = [tag]
    let chapter = Chapter("new")
    theirs.chapters.append(chapter)
    foreign.delete(try #require(try foreign.first(Book.self, where: #Predicate { $0.title == "A" })))
    try foreign.save()
    try other.save()
    #expect(theirs.isDeleted && chapter.book == nil && tag.books.isEmpty)
    #expect(try world.fresh.all(Book.self).map(\.title) == ["B"])
    #expect(try world.fresh.all(Tag.self).map(\.word) == ["t"])
    #expect(try world.fresh.all(Chapter.self).map(\.heading) == ["new"])
    try world.check()
  }

  @Test("A save of nothing but dropped objects still names them")
  func nothingLeft() throws {
    theirs.title = "changed"
    world.context.delete(book)
    try world.context.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 1)
    #expect(theirs.isDeleted && !other.hasChanges)
    nonisolated(unsafe) var dropped = 0
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: other, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.droppedIdentifiers.rawValue
      dropped += (notification.userInfo?[key] as? [PersistentIdentifier])?.count ?? 0
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try other.save()
    try other.save()
    #expect(dropped == 1)
  }

  @Test("Under the policy .fail a deletion makes the save throw, and a rollback removes the object")
  func deletionUnderFail() throws {
    guard TestEngine.current == .file else { return }
    for isAnnounced in [true, false] {
      let world = try World()
      let writer = isAnnounced ? world.context : ModelContext(try ContextLibrary.container(world.store))
      let book = Book("A")
      writer.insert(book)
      try writer.save()
      let other = world.fresh
      other.conflictPolicy = .fail
      let theirs = try #require(try other.all(Book.self).first)
      theirs.title = "changed"
      writer.delete(book)
      try writer.save()
      let error = #expect(throws: SwiftDataError.saveConflict) { try other.save() }
      #expect(error?.explanation?.contains("deleted") == true)
      #expect(theirs.title == "changed" && other.hasChanges)
      other.rollback()
      #expect(theirs.isDeleted && theirs.modelContext == nil && !other.hasChanges)
      #expect(try other.all(Book.self).isEmpty)
      theirs.title = "again"
      other.insert(Book("B"))
      try other.save()
      #expect(try world.fresh.all(Book.self).map(\.title) == ["B"])
    }
  }

  @Test("A rollback does not bring back a changed object whose row is deleted")
  func rollback() throws {
    theirs.title = "changed"
    world.context.delete(book)
    try world.context.save()
    other.rollback()
    #expect(try other.all(Book.self).map(\.title) == ["B"])
    theirs.title = "again"
    try other.save()
    #expect(theirs.isDeleted)
    #expect(try world.fresh.all(Book.self).map(\.title) == ["B"])
  }

  // MARK: When they arrive

  @Test("processPendingChanges changes no values; a fetch and a save merge the values of other contexts")
  func arrival() throws {
    book.title = "A2"
    try world.context.save()
    other.processPendingChanges()
    #expect(theirs.title == "A")
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 2)
    #expect(theirs.title == "A2")
    book.title = "A3"
    try world.context.save()
    try other.save()
    #expect(theirs.title == "A3")
  }

  @Test("Objects of the main context show the saves of other contexts without a fetch")
  @MainActor func mainContext() async throws {
    let main = world.container.mainContext
    let mine = try #require(try main.first(Book.self, where: #Predicate { $0.title == "A" }))
    let container = world.container
    try await Task.detached {
      let writer = ModelContext(container)
      let book = try #require(try writer.first(Book.self, where: #Predicate { $0.title == "A" }))
      book.title = "pushed"
      try writer.save()
    }.value
    try await eventually { mine.title == "pushed" }
    #expect(mine.title == "pushed")
  }

  @Test("A context made on an actor receives the changes of other contexts there")
  func actorContext() async throws {
    let shelf = try Shelf(world.container)
    book.title = "pushed"
    try world.context.save()
    try await eventually { await shelf.titles.contains("pushed") }
    #expect(await shelf.titles.sorted() == ["B", "pushed"])
  }

  /// An actor with a context of its own.
  private actor Shelf {
    private let context: ModelContext
    private let books: [Book]

    init(_ container: ModelContainer) throws {
      context = ModelContext(container, isolation: nil)
      books = try context.fetch(FetchDescriptor<Book>())
      // In an initializer the actor must be passed explicitly.
      context.belong(to: self)
    }

    var titles: [String] { books.map(\.title) }
  }

  @Test("A context made in a method of an actor receives the changes of other contexts there without a fetch")
  func actorMethod() async throws {
    let desk = Desk()
    try await desk.open(world.container)
    book.title = "pushed"
    try world.context.save()
    try await eventually { await desk.titles.contains("pushed") }
    #expect(await desk.titles.sorted() == ["B", "pushed"])
  }

  /// An actor whose method makes a context, which belongs to the actor by default.
  private actor Desk {
    private var context: ModelContext?
    private var books: [Book] = []

    func open(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      self.context = context
      books = try context.fetch(FetchDescriptor<Book>())
    }

    var titles: [String] { books.map(\.title) }
  }

  // MARK: The inbox

  @Test("A context without objects keeps few changed rows of other contexts, and no inserted rows")
  func idleContext() throws {
    let idle = world.fresh
    for number in 0..<6000 { world.context.insert(Book("\(number)")) }
    try world.context.save()
    #expect(idle.core.inbox.count == 0)
    for book in try world.context.all(Book.self) { book.pages += 1 }
    try world.context.save()
    #expect(idle.core.inbox.count <= Inbox.minimumLimit)
    #expect(try idle.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 0 })) == 6002)
  }

  @Test("Objects are up to date even after more changes than the inbox keeps")
  func overflow() throws {
    for number in 0..<6000 { world.context.insert(Book("\(number)")) }
    try world.context.save()
    let gone = try #require(try other.first(Book.self, where: #Predicate { $0.title == "7" }))
    for book in try world.context.all(Book.self) { book.pages += 10 }
    try world.context.save()
    world.context.delete(try #require(try world.context.first(Book.self, where: #Predicate { $0.title == "7" })))
    try world.context.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 6001)
    #expect(theirs.pages == 11 && gone.isDeleted)
  }
}
