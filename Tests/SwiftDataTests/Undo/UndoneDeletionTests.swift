import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Undo of a saved deletion", .everyEngine)
struct UndoneDeletionTests {
  let world: World
  let manager = UndoManager()
  let book: Book

  init() throws {
    world = try World()
    book = Book("Winnetou", pages: 1, author: Author("Karl May"))
    book.chapters = [Chapter("I"), Chapter("II")]
    book.tags = [Tag("old")]
    world.context.insert(book)
    try world.context.save()
    world.context.undoManager = manager
  }

  private func deleteBook() throws {
    world.context.delete(book)
    try world.context.save()
  }

  private func undo() throws {
    manager.undo()
    try world.context.save()
  }

  @Test("An object comes back to its place in an ordered relationship that was not loaded")
  func place() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema(UndoModels.types), store)
    let context = ModelContext(container)
    let node = UndoModels.Node(1)
    node.steps = [UndoModels.Step(2), UndoModels.Step(3), UndoModels.Step(4)]
    context.insert(node)
    try context.save()
    let step = node.steps[0].persistentModelID
    let other = ModelContext(container)
    other.undoManager = manager
    other.delete(other.model(for: step))
    try other.save()
    manager.undo()
    try other.save()
    #expect(try ModelContext(container).all(UndoModels.Node.self).first?.steps.map(\.number) == [2, 3, 4])
  }

  /// A leaf with a favourite word, to which no inverse leads back. The word is deleted, and the deletion saved.
  private struct DeletedWord {
    let store: TemporaryStore
    let container: ModelContainer
    let context: ModelContext
    let leaf = UndoModels.Leaf(1)
    let word = UndoModels.Word(2)

    init(_ manager: UndoManager) throws {
      store = try TemporaryStore()
      container = try TestEngine.current.container(Schema(UndoModels.types), store)
      context = ModelContext(container)
      leaf.favourite = word
      context.insert(leaf)
      try context.save()
      context.undoManager = manager
      context.delete(word)
      try context.save()
    }

    /// The number of the leaf's favourite in the store.
    var stored: Int? {
      get throws { try ModelContext(container).all(UndoModels.Leaf.self).first?.favourite?.number }
    }
  }

  @Test("A relationship without inverse leads to the object that came back", arguments: [false, true])
  func linkWithoutInverse(isRead: Bool) throws {
    let world = try DeletedWord(manager)
    let (context, leaf) = (world.context, world.leaf)
    if isRead { #expect(leaf.favourite == nil) }
    manager.undo()
    #expect(leaf.favourite === world.word)
    try context.save()
    #expect(leaf.favourite === world.word)
    #expect(try world.stored == 2)
    manager.redo()
    try context.save()
    #expect(leaf.favourite == nil)
    #expect(try world.stored == nil)
  }

  @Test("The undo of a deletion keeps the link that others have given the owner since")
  func linkGivenSince() throws {
    let world = try DeletedWord(manager)
    let (context, leaf) = (world.context, world.leaf)
    let other = ModelContext(world.container)
    try other.all(UndoModels.Leaf.self).first?.favourite = UndoModels.Word(3)
    try other.save()
    #expect(try context.all(UndoModels.Leaf.self).first?.favourite?.number == 3)
    manager.undo()
    try context.save()
    #expect(leaf.favourite?.number == 3)
    #expect(try world.stored == 3)
  }

  @Test("A link that an action cleared between the deletion and its save comes back with both undone")
  func clearedLink() throws {
    let world = try DeletedWord(manager)
    let (context, leaf, word) = (world.context, world.leaf, world.word)
    manager.undo()
    try context.save()
    context.delete(word)
    context.processPendingChanges()
    leaf.favourite = nil
    context.processPendingChanges()
    try context.save()
    manager.undo()
    manager.undo()
    #expect(leaf.favourite === word)
    try context.save()
    #expect(try world.stored == 2)
  }

  @Test("A link between two objects that one save has deleted comes back with both undone", arguments: [false, true])
  func deletedTogether(savesBetween: Bool) throws {
    let world = try DeletedWord(manager)
    let (context, leaf, word) = (world.context, world.leaf, world.word)
    manager.undo()
    try context.save()
    for object in [word, leaf] as [any PersistentModel] {
      context.delete(object)
      context.processPendingChanges()
    }
    try context.save()
    manager.undo()
    #expect(leaf.favourite == nil)
    if savesBetween { try context.save() }
    manager.undo()
    #expect(leaf.favourite === word)
    try context.save()
    #expect(try world.stored == 2)
  }

  @Test("All rows come back under their keys, and identifiers that others kept lead to them again")
  func keys() throws {
    let (identifier, chapters) = (book.persistentModelID, book.chapters)
    let identifiers = chapters.map(\.persistentModelID)
    try deleteBook()
    try undo()
    #expect(book.persistentModelID == identifier && chapters.map(\.persistentModelID) == identifiers)
    #expect(world.context.model(for: identifier) === book)
    let other = world.fresh
    let found = try #require(other.model(for: identifier) as? Book)
    #expect(found.title == "Winnetou" && found.author?.name == "Karl May" && found.tags.map(\.word) == ["old"])
    #expect(Set(found.chapters.map(\.persistentModelID)) == Set(identifiers))
    #expect(try other.fetchCount(FetchDescriptor<Chapter>()) == 2)
    try world.check()
  }

  @Test("A member that was not saved when its owner was deleted comes back as a member")
  func newMember() throws {
    manager.groupsByEvent = false
    let chapter = Chapter("III")
    manager.beginUndoGrouping()
    book.chapters.append(chapter)
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    world.context.delete(book)
    manager.endUndoGrouping()
    try world.context.save()
    try undo()
    #expect(chapter.book === book && book.chapters.map(\.heading).sorted() == ["I", "II", "III"])
    #expect(try world.fresh.all(Book.self).first?.chapters.map(\.heading).sorted() == ["I", "II", "III"])
    try world.check()
  }

  @Test("Redo deletes the rows again, and the next undo brings them back once more")
  func redo() throws {
    let identifier = book.persistentModelID
    try deleteBook()
    try undo()
    manager.redo()
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Chapter>()) == 0)
    try undo()
    #expect(book.persistentModelID == identifier)
    #expect(try world.fresh.all(Book.self).map(\.title) == ["Winnetou"])
    try world.check()
  }

  @Test("A redo before the save does not lose the key")
  func redoBeforeSave() throws {
    let identifier = book.persistentModelID
    try deleteBook()
    manager.undo()
    manager.redo()
    world.context.insert(Tag("saved meanwhile"))
    try world.context.save()
    manager.undo()
    manager.undo()
    try world.context.save()
    #expect(book.persistentModelID == identifier)
    #expect(try world.fresh.all(Tag.self).map(\.word) == ["old"])
  }

  @Test("New rows that are saved together with a returned row have new keys")
  func together() throws {
    let identifier = book.persistentModelID
    try deleteBook()
    manager.undo()
    let new = Book("new")
    world.context.insert(new)
    try world.context.save()
    #expect(book.persistentModelID == identifier && new.persistentModelID != identifier)
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["Winnetou", "new"])
    try world.check()
  }

  @Test("A context that merged the deletion gets a new object of the same identifier")
  func deletionMerged() throws {
    let (identifier, other) = (book.persistentModelID, world.fresh)
    let known = try #require(try other.all(Book.self).first)
    try deleteBook()
    #expect(try other.all(Book.self).isEmpty)
    #expect(known.isDeleted)
    try undo()
    let found = try #require(try other.all(Book.self).first)
    #expect(found !== known && found.persistentModelID == identifier && found.chapters.count == 2)
  }

  @Test("A context that merges the deletion and the return together keeps its object, with the new values")
  func bothMerged() throws {
    let other = world.fresh
    let known = try #require(try other.all(Book.self).first)
    try deleteBook()
    manager.undo()
    book.title = "Old Surehand"
    try world.context.save()
    let found = try #require(try other.all(Book.self).first)
    #expect(found === known && !known.isDeleted && known.title == "Old Surehand")
    #expect(known.chapters.map(\.heading).sorted() == ["I", "II"])
  }

  @Test("An object whose key another row has meanwhile gets a new key")
  func taken() throws {
    let thing = Thing(weight: 1)
    world.context.insert(thing)
    try world.context.save()
    let identifier = thing.persistentModelID
    let (other, others) = (world.fresh, UndoManager())
    other.undoManager = others
    let twin = try #require(try other.all(Thing.self).first)
    world.context.delete(thing)
    other.delete(twin)
    other.processPendingChanges()
    try world.context.save()
    try other.save()
    try undo()
    #expect(thing.persistentModelID == identifier)
    others.undo()
    try other.save()
    #expect(twin.persistentModelID != identifier)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Thing>()) == 2)
    try world.check()
  }

  @Test("An object that the program inserts again has a new key")
  func insertedByHand() throws {
    let identifier = book.persistentModelID
    try deleteBook()
    world.context.insert(book)
    try world.context.save()
    #expect(book.persistentModelID != identifier)
  }
}
