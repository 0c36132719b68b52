import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Undo of a context's changes", .everyEngine)
struct UndoContextTests {
  let world: World
  let manager = UndoManager()
  let author = Author("Karl May")
  let book: Book

  init() throws {
    world = try World()
    book = Book("Winnetou", pages: 1, author: author)
    book.chapters = [Chapter("I"), Chapter("II")]
    book.tags = [Tag("old")]
    world.context.insert(book)
    try world.context.save()
    world.context.undoManager = manager
  }

  /// The books of a context with their links.
  private func books(_ context: ModelContext) throws -> [String] {
    try context.all(Book.self).map { book in
      let chapters = book.chapters.map(\.heading).sorted()
      return "\(book.title) \(book.pages) \(book.author?.name ?? "-") \(chapters) \(book.tags.map(\.word).sorted())"
    }.sorted()
  }

  private let before = ["Winnetou 1 Karl May [\"I\", \"II\"] [\"old\"]"]

  @Test("Values: the first value of a group comes back, and the object has no changes")
  func values() throws {
    book.title = "A"
    book.title = "B"
    book.pages = 7
    #expect(manager.canUndo && !manager.canRedo)
    manager.undo()
    #expect(try books(world.context) == before)
    #expect(!world.context.hasChanges && !book.hasChanges && !manager.canUndo && manager.canRedo)
    manager.redo()
    #expect(book.title == "B" && book.pages == 7 && book.hasChanges && manager.canUndo)
    manager.undo()
    #expect(book.title == "Winnetou" && !world.context.hasChanges)
  }

  @Test("Insertions and deletions, with what delete rules did")
  func objects() throws {
    let new = Book("new", author: author)
    world.context.insert(new)
    world.context.processPendingChanges()
    world.context.delete(book)
    world.context.processPendingChanges()
    #expect(manager.undoCount == 2 && author.books == [new])
    manager.undo()
    #expect(!book.isDeleted && book.chapters.count == 2 && author.books.contains(book))
    manager.undo()
    #expect(new.modelContext == nil && author.books == [book])
    #expect(try books(world.context) == before)
    #expect(!world.context.hasChanges)
    manager.redo()
    manager.redo()
    #expect(author.books == [new] && book.isDeleted)
    try world.context.save()
    #expect(try books(world.fresh) == ["new 0 Karl May [] []"])
    try world.check()
  }

  @Test("Changes are undone after a save; the next save writes the row back")
  func afterSave() throws {
    let identifier = book.persistentModelID
    book.title = "changed"
    try world.context.save()
    manager.undo()
    #expect(book.title == "Winnetou" && world.context.hasChanges)
    try world.context.save()
    #expect(try books(world.fresh) == before)
    manager.redo()
    try world.context.save()
    #expect(try world.fresh.all(Book.self).map(\.title) == ["changed"])
    #expect(book.persistentModelID == identifier)
    try world.check()
  }

  @Test("A saved deletion is undone: the same object comes back, and its row has the same key")
  func deletionAfterSave() throws {
    let (identifier, chapter) = (book.persistentModelID, book.chapters[0])
    world.context.delete(book)
    try world.context.save()
    #expect(book.isDeleted && chapter.isDeleted)
    manager.undo()
    #expect(!book.isDeleted && book.modelContext === world.context && chapter.book === book)
    #expect(try books(world.context) == before)
    try world.context.save()
    #expect(try books(world.fresh) == before)
    #expect(book.persistentModelID == identifier && world.context.model(for: book.persistentModelID) === book)
    manager.redo()
    try world.context.save()
    #expect(try books(world.fresh) == [])
    manager.undo()
    #expect(try books(world.context) == before)
    try world.check()
  }

  @Test("A saved insertion is undone: the row is deleted, and comes back with redo")
  func insertionAfterSave() throws {
    let new = Book("new", author: author)
    new.chapters = [Chapter("n")]
    world.context.insert(new)
    try world.context.save()
    manager.undo()
    try world.context.save()
    #expect(try books(world.fresh) == before)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 2)
    manager.redo()
    try world.context.save()
    #expect(try books(world.fresh) == before + ["new 0 Karl May [\"n\"] []"])
    try world.check()
  }

  @Test("An insertion that a save merged with an existing row stays")
  func merged() throws {
    let again = Author("Karl May", born: 1842)
    world.context.insert(again)
    try world.context.save()
    #expect(author.born == 1842)
    manager.undo()
    try world.context.save()
    #expect(try world.fresh.all(Author.self).map(\.name) == ["Karl May"])
  }

  @Test("Explicit groups are undone together, also across saves")
  func groups() throws {
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    book.title = "A"
    try world.context.save()
    book.pages = 9
    world.context.delete(book.chapters[0])
    manager.endUndoGrouping()
    manager.setActionName("Edit")
    #expect(manager.undoMenuItemTitle == "Undo Edit")
    manager.undo()
    #expect(try books(world.context) == before)
    try world.context.save()
    #expect(try books(world.fresh) == before)
    try world.check()
  }

  @Test("Delete rules belong to the group of the deletion, even if nobody applied them before its end")
  func lateRules() throws {
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    world.context.delete(book)
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    author.born = 1842
    manager.endUndoGrouping()
    #expect(manager.undoCount == 2)
    manager.undo()
    manager.undo()
    #expect(try books(world.context) == before)
    #expect(!world.context.hasChanges)
  }

  @Test("A rollback, and another manager, drop the context's actions and no others")
  func dropping() throws {
    final class Document { var text = "" }
    let document = Document()
    manager.registerUndo(withTarget: document) { $0.text = "undone" }
    manager.endUndoGrouping()
    book.title = "A"
    world.context.rollback()
    #expect(manager.undoCount == 1 && !manager.canRedo)
    book.title = "B"
    world.context.undoManager = nil
    #expect(manager.undoCount == 1)
    book.title = "C"
    manager.undo()
    #expect(document.text == "undone" && book.title == "C" && !manager.canUndo)
  }

  @Test("Changes are not recorded while registration is disabled, nor are the changes of other contexts")
  func unrecorded() throws {
    manager.disableUndoRegistration()
    world.context.delete(book.chapters[0])
    manager.enableUndoRegistration()
    #expect(!manager.canUndo && book.chapters.count == 1)
    try world.context.save()
    let other = world.fresh
    try #require(try other.all(Book.self).first).pages = 5
    try other.save()
    #expect(try world.context.all(Book.self).map(\.pages) == [5] && !manager.canUndo)
  }

  @Test("An object that another context deleted is left out")
  func deletedElsewhere() throws {
    book.title = "A"
    book.tags = []
    try world.context.save()
    let other = world.fresh
    other.delete(try #require(try other.all(Book.self).first))
    try other.save()
    #expect(try world.context.all(Book.self).isEmpty)
    manager.undo()
    try world.context.save()
    #expect(try books(world.fresh) == [])
    try world.check()
  }

  @Test("Unsaved links to an object that another context deleted vanish without an action to undo")
  func linkToDeleted() throws {
    let new = Book("new")
    world.context.insert(new)
    let other = Author("other")
    world.context.insert(other)
    try world.context.save()
    new.author = other
    world.context.processPendingChanges()
    let count = manager.undoCount
    let context = ModelContext(world.container)
    for author in try context.all(Author.self) where author.name == "other" { context.delete(author) }
    try context.save()
    #expect(try world.context.all(Author.self).count == 1)
    #expect(new.author == nil)
    world.context.processPendingChanges()
    #expect(manager.undoCount == count)
    manager.undo()
    #expect(new.author == nil && !new.isDeleted)
  }

  @Test("Undo leaves the members that another context added or removed since", arguments: [true, false])
  func membersOfOthers(isSaved: Bool) throws {
    let own = Chapter("own")
    book.chapters.append(own)
    book.chapters.removeAll { $0.heading == "I" }
    if isSaved { try world.context.save() }
    let other = ModelContext(world.container)
    let theirs = try #require(try other.all(Book.self).first)
    theirs.chapters.append(Chapter("theirs"))
    theirs.chapters.removeAll { $0.heading == "II" }
    try other.save()
    func headings(_ context: ModelContext) throws -> [String] {
      try #require(try context.all(Book.self).first).chapters.map(\.heading).sorted()
    }
    #expect(try headings(world.context) == ["own", "theirs"])
    manager.undo()
    #expect(try headings(world.context) == ["I", "theirs"])
    try world.context.save()
    #expect(try headings(ModelContext(world.container)) == ["I", "theirs"])
    manager.redo()
    try world.context.save()
    #expect(try headings(ModelContext(world.container)) == ["own", "theirs"])
  }

  @Test("A link that was made while registration was disabled is saved after the undo of an earlier one")
  func unregisteredLink() throws {
    let (first, second) = (Tag("first"), Tag("second"))
    for tag in [first, second] { world.context.insert(tag) }
    try world.context.save()
    book.tags.append(first)
    manager.disableUndoRegistration()
    book.tags.append(second)
    manager.enableUndoRegistration()
    manager.undo()
    #expect(book.tags.map(\.word) == ["old", "second"] && second.books == [book] && first.books.isEmpty)
    try world.context.save()
    let shown = try books(world.context)
    #expect(try shown == books(world.fresh) && shown == ["Winnetou 1 Karl May [\"I\", \"II\"] [\"old\", \"second\"]"])
    manager.redo()
    #expect(Set(book.tags.map(\.word)) == ["old", "first", "second"])
  }

  @Test("Nothing is kept alive by the actions of a released context")
  func released() throws {
    weak var core: ContextCore?
    do {
      let context = world.fresh
      context.undoManager = manager
      core = context.core
      let book = try #require(try context.all(Book.self).first)
      book.title = "A"
      context.delete(book)
      #expect(manager.canUndo)
    }
    #expect(core == nil && !manager.canUndo)
  }

  @Test("On a main context one turn of the main actor is one event")
  @MainActor func event() async throws {
    let context = world.container.mainContext
    context.autosaveEnabled = false
    let manager = UndoManager()
    context.undoManager = manager
    let book = try #require(try context.all(Book.self).first)
    book.title = "A"
    book.pages = 2
    try await eventually { manager.groupingLevel == 0 }
    book.title = "B"
    manager.undo()
    #expect(book.title == "A" && book.pages == 2)
    manager.undo()
    #expect(book.title == "Winnetou" && book.pages == 1)
  }
}
