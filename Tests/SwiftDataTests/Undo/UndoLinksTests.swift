import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Short sequences of changes that random changes have found.
@Suite("Undo of links", .everyEngine)
struct UndoLinksTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  /// Has loaded nothing.
  private let context: ModelContext
  private let manager = UndoManager()

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(UndoModels.types), store)
    let first = ModelContext(container)
    let (node, other) = (UndoModels.Node(1), UndoModels.Node(2))
    node.badge = UndoModels.Badge(1)
    node.words = [UndoModels.Word(1), UndoModels.Word(2)]
    node.steps = [UndoModels.Step(1), UndoModels.Step(2), UndoModels.Step(3)]
    node.children = [other]
    first.insert(node)
    try first.save()
    context = ModelContext(container)
    context.undoManager = manager
  }

  private func node(_ number: Int = 1) throws -> UndoModels.Node {
    let nodes = try context.fetch(FetchDescriptor<UndoModels.Node>())
    return try #require(nodes.first { $0.number == number })
  }

  /// Undoes an action; all is as it was saved.
  private func expectUndone() throws {
    context.processPendingChanges()
    manager.undo()
    #expect(!context.hasChanges)
    #expect(try UndoModels.description(of: context) == UndoModels.description(of: ModelContext(container)))
  }

  @Test("A partner that nobody has loaded has no changes after its link came back", arguments: [true, false])
  func unloadedPartner(isReplaced: Bool) throws {
    try node().badge = isReplaced ? UndoModels.Badge(2) : nil
    try expectUndone()
  }

  @Test func `The unsaved order of a deleted object's members comes back with it`() throws {
    let node = try node()
    node.steps.reverse()
    context.processPendingChanges()
    context.delete(node)
    context.processPendingChanges()
    manager.undo()
    #expect(node.steps.map(\.number) == [3, 2, 1])
    try context.save()
    #expect(try UndoModels.description(of: ModelContext(container)) == UndoModels.description(of: context))
  }

  @Test func `A member of an unloaded list returns to its place, also if the list is loaded before the undo`() throws {
    let step = try #require(try context.fetch(FetchDescriptor<UndoModels.Step>()).first { $0.number == 1 })
    step.node = nil
    context.processPendingChanges()
    #expect(try node().steps.map(\.number) == [2, 3])
    try expectUndone()
    #expect(try node().steps.map(\.number) == [1, 2, 3])
  }

  @Test("A member that a new object took and that came back returns to its place", arguments: [true, false])
  func passingThroughNewObject(isInsertedFirst: Bool) throws {
    let (node, other) = (try node(), UndoModels.Node(3))
    let step = try #require(node.steps.first)
    if isInsertedFirst { context.insert(other) }
    other.steps = [step]
    step.node = node
    #expect(node.steps.map(\.number) == [2, 3, 1])
    try expectUndone()
    #expect(node.steps.map(\.number) == [1, 2, 3])
    manager.redo()
    #expect(node.steps.map(\.number) == [2, 3, 1] && other.modelContext === context)
    try context.save()
    #expect(try UndoModels.description(of: ModelContext(container)) == UndoModels.description(of: context))
  }

  @Test("However often a deletion is undone and redone, an owner has each member once")
  func repeatedUndo() throws {
    let (node, new) = (try node(), UndoModels.Node(3))
    node.children.append(new)
    context.processPendingChanges()
    context.delete(node)
    context.processPendingChanges()
    for _ in 0..<3 {
      manager.undo()
      #expect(node.children.map(\.number).sorted() == [2, 3] && node.steps.count == 3)
      manager.redo()
    }
    manager.undo()
    try context.save()
    #expect(try UndoModels.description(of: ModelContext(container)) == UndoModels.description(of: context))
  }

  @Test("A member whose deleted owner comes back is in its list once, at its place", arguments: [false, true])
  func movedFromDeletedOwner(isAppended: Bool) throws {
    let (node, other) = (try node(), UndoModels.Node(9))
    context.insert(other)
    try context.save()
    manager.removeAllActions()
    let step = node.steps[1]
    context.delete(node)
    _ = try context.fetchCount(FetchDescriptor<UndoModels.Step>())
    if isAppended { other.steps.append(step) } else { step.node = other }
    try expectUndone()
    #expect(node.steps.map(\.number) == [1, 2, 3] && step.node === node && other.steps.isEmpty)
    manager.redo()
    #expect(node.isDeleted && other.steps == [step] && step.node === other)
    try context.save()
    #expect(try UndoModels.description(of: ModelContext(container)) == UndoModels.description(of: context))
  }

  @Test("A deletion and an insertion of the same object in one action are undone", arguments: [false, true])
  func insertedAgain(isMoved: Bool) throws {
    let node = try node()
    let step = node.steps[1]
    context.delete(node)
    _ = try context.fetchCount(FetchDescriptor<UndoModels.Step>())
    if isMoved {
      let new = UndoModels.Node(9)
      new.steps = [step]
      context.insert(new)
    }
    context.insert(node)
    #expect(node.children.count == 1 && node.steps.count == (isMoved ? 2 : 3))
    let after = try UndoModels.description(of: context)
    try expectUndone()
    manager.redo()
    #expect(try UndoModels.description(of: context) == after)
    try context.save()
    #expect(try UndoModels.description(of: ModelContext(container)) == after)
  }

  @Model final class Shelf {
    var number: Int
    /// Has no inverse.
    var jars: [Jar]?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Jar {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  @Test("The undo of nil for an optional relationship brings its members back", arguments: [true, false])
  func optionalMembers(isInPlace: Bool) throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Shelf.self, Jar.self]), store)
    let context = ModelContext(container)
    let shelf = Shelf(1)
    shelf.jars = [Jar(1), Jar(2), Jar(3)]
    context.insert(shelf)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    let members = shelf.jars ?? []
    // The storage has the members as loaded, or as changed in place.
    if isInPlace {
      shelf.jars?.swapAt(0, 1)
      shelf.jars?.swapAt(0, 1)
      context.processPendingChanges()
      manager.removeAllActions()
    }
    shelf.jars = nil
    context.processPendingChanges()
    manager.undo()
    #expect(shelf.jars?.map(\.number) == members.map(\.number) && members.count == 3)
    context.processPendingChanges()
    manager.redo()
    #expect(shelf.jars?.isEmpty != false)
    context.processPendingChanges()
    manager.undo()
    try context.save()
    let saved = try #require(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).first)
    #expect(saved.jars?.map(\.number).sorted() == [1, 2, 3])
  }

  @Test func `The undo of the deletion of an object that leads to unloaded ones leaves no changes`() throws {
    context.delete(try node())
    try expectUndone()
  }

  /// A new object that leads to a word, which has no inverse, and whose group is closed.
  private func newLeaf(favourite word: UndoModels.Word) -> UndoModels.Leaf {
    let leaf = UndoModels.Leaf(3)
    leaf.favourite = word
    context.insert(leaf)
    context.processPendingChanges()
    return leaf
  }

  @Test(
    "The deletion of a destination without inverse ends the link, and its undo brings the link back",
    arguments: [false, true])
  func destinationWithoutInverse(isSaved: Bool) throws {
    let word = try #require(try context.fetch(FetchDescriptor<UndoModels.Word>()).first)
    let leaf = newLeaf(favourite: word)
    context.delete(word)
    context.processPendingChanges()
    #expect(leaf.favourite == nil && manager.undoCount == 2)
    if isSaved { try context.save() }
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(leaf.favourite === word && !word.isDeleted)
    manager.redo()
    #expect(leaf.favourite == nil && manager.undoCount == 2)
    manager.undo()
    try context.save()
    #expect(manager.undoCount == 1 && leaf.favourite === word)
    #expect(try UndoModels.description(of: ModelContext(container)) == UndoModels.description(of: context))
  }

  @Test func `A save that clears a link to an object deleted before undo began makes no action`() throws {
    let word = try #require(try context.fetch(FetchDescriptor<UndoModels.Word>()).first)
    let leaf = newLeaf(favourite: word)
    context.undoManager = nil
    context.delete(word)
    context.processPendingChanges()
    context.undoManager = manager
    try context.save()
    #expect(leaf.favourite == nil && !manager.canUndo)
  }

  @Model final class Box {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Lid.box) var lid: Lid?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Lid {
    var number: Int
    var box: Box?
    init(_ number: Int) { self.number = number }
  }

  @Test
  func `Two unsaved objects whose link undo has restored keep it when the undo of their deletion brings them back`()
    throws
  {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Box.self, Lid.self]), store)
    let context = ModelContext(container)
    context.undoManager = manager
    let (box, lid) = (Box(1), Lid(1))
    context.insert(box)
    box.lid = lid
    context.processPendingChanges()
    box.lid = Lid(2)
    context.processPendingChanges()
    manager.undo()
    #expect(box.lid === lid && lid.box === box)
    context.delete(box)
    context.processPendingChanges()
    manager.undo()
    #expect(box.lid === lid && lid.box === box)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Box>()).map { $0.lid?.number } == [1])
  }
}
