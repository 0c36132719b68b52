import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite(
  "A change by a predicate while the program holds objects",
  .enabled(if: TestEngine.hasBatches, "the engine changes object by object"))
struct BatchHeldTests {
  typealias Node = BatchModels.Node

  /// What a program sees of an object: its attributes, and the names of the objects that it leads to.
  private static func text(_ object: any PersistentModel) -> String {
    func names(_ objects: [any PersistentModel]) -> String {
      objects.map { name($0) }.sorted().joined(separator: ",")
    }
    func name(_ object: (any PersistentModel)?) -> String {
      object.map { "\($0.persistentModelID)" } ?? "-"
    }
    switch object {
    case let node as Node:
      var text = "\(node.name) \(node.size) \(node.isOld) \(node.ratio) \(name(node.parent)) "
      text += "\(names(node.children)) \(names(node.notes)) \(node.noteCount)"
      if let folder = node as? BatchModels.Folder {
        text += " \(folder.pages.map { name($0) }) \(names(folder.labels)) \(names(folder.stamps))"
        text += " \(names(folder.friends)) \(names(folder.friendOf)) \(name(folder.shelf))"
      }
      if let leaf = node as? BatchModels.Leaf { text += " \(name(leaf.cover)) \(names(leaf.locks))" }
      return text
    case let note as BatchModels.Note: return "\(note.text) \(note.marks.map { name($0) }) \(name(note.node))"
    case let mark as BatchModels.Mark: return "\(mark.word) \(mark.notes.map { name($0) })"
    case let page as BatchModels.Page: return "\(page.number) \(name(page.folder)) \(name(page.cover))"
    case let cover as BatchModels.Cover: return "\(cover.colour) \(name(cover.leaf)) \(name(cover.page))"
    case let label as BatchModels.Label: return "\(label.word) \(names(label.folders))"
    case let stamp as BatchModels.Stamp: return "\(stamp.value)"
    case let shelf as BatchModels.Shelf: return "\(shelf.place) \(name(shelf.folder))"
    default: return "?"
    }
  }

  /// Some objects of every class, with their relationships loaded.
  private static func hold(_ context: ModelContext, _ random: inout SplitMix) throws -> [any PersistentModel] {
    func some<Model: PersistentModel>(_ type: Model.Type) throws -> [any PersistentModel] {
      let one = random.below(3)
      return try context.fetch(FetchDescriptor<Model>()).enumerated().filter { $0.offset % 3 != one }.map(\.element)
    }
    let held =
      try some(Node.self) + some(BatchModels.Note.self) + some(BatchModels.Mark.self) + some(BatchModels.Page.self)
      + some(BatchModels.Cover.self) + some(BatchModels.Label.self) + some(BatchModels.Stamp.self)
      + some(BatchModels.Shelf.self)
    for object in held where random.below(4) > 0 { _ = text(object) }
    return held
  }

  /// Makes a change, and compares the held objects with the objects of a new context.
  private func check(_ seed: UInt64, _ change: (ModelContext) throws -> Void) throws {
    let world = try BatchWorld(seed: seed)
    let context = ModelContext(world.container)
    var random = SplitMix(seed: seed &+ 77)
    let held = try Self.hold(context, &random)
    let before = held.map { Self.text($0) }
    try change(context)
    #expect(context.core.unit.batches.count == 1)
    #expect(held.map { Self.text($0) } == before && context.core.unit.batches.count == 1)
    try context.save()
    #expect(!context.hasChanges)
    let fresh = ModelContext(world.container)
    var gone = 0
    for (object, before) in zip(held, before) {
      let row = fresh.model(for: object.persistentModelID)
      let now = Self.text(row)
      if row.modelContext == nil {
        #expect(object.modelContext == nil, "\(before)")
        gone += 1
      } else {
        #expect(object.modelContext === context && Self.text(object) == now, "\(before)")
      }
    }
    let all = held.filter { $0.modelContext != nil }.map { Self.text($0) }
    #expect(gone > 0 || all != before)
    if seed < 2 { try world.check() }
  }

  @Test(
    "Deleted objects leave the context, and the others see it in all relationships",
    arguments: UInt64(0)..<(FullTests.areWanted ? 12 : 3))
  func deletion(seed: UInt64) throws {
    try check(seed) { try $0.delete(model: Node.self, where: #Predicate { $0.size < 3 }) }
    try check(seed) { try $0.delete(model: BatchModels.Note.self, where: #Predicate { $0.text.contains("1") }) }
    try check(seed) { try $0.delete(model: BatchModels.Label.self) }
    try check(seed) { try $0.delete(model: BatchModels.Page.self, where: #Predicate { $0.number % 3 != 0 }) }
    try check(seed) { try $0.delete(model: BatchModels.Stamp.self) }
  }

  @Test("Updated objects have the new values", arguments: UInt64(0)..<(FullTests.areWanted ? 6 : 2))
  func update(seed: UInt64) throws {
    try check(seed) {
      try $0.update(model: Node.self, where: #Predicate { $0.size < 6 }) {
        $0.set(\.size, to: #Expression { $0.size * 3 })
        $0.set(\.isOld, to: true)
      }
    }
  }

  @Test("An undo manager, and unsaved changes of the class, make the context change object by object")
  func objects() throws {
    let world = try BatchWorld(seed: 1)
    let context = ModelContext(world.container)
    let node = try #require(try context.fetch(FetchDescriptor<Node>()).first)
    node.size = 100
    try context.update(model: Node.self, where: #Predicate { $0.size == 100 }) { $0.set(\.name, to: "x") }
    #expect(context.core.unit.batches.isEmpty && node.name == "x")
    context.rollback()
    context.undoManager = UndoManager()
    try context.update(model: Node.self) { $0.set(\.name, to: "y") }
    #expect(context.core.unit.batches.isEmpty && node.name == "y")
  }

  @Test("A change of a held object before the save comes after the update; a deleted one stays deleted")
  func changedBetween() throws {
    let world = try BatchWorld(seed: 2)
    let context = ModelContext(world.container)
    let nodes = try context.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)]))
    try context.update(model: Node.self) {
      $0.set(\.size, to: #Expression { $0.size + 1000 })
      $0.set(\.name, to: "new")
    }
    let sizes = nodes.map(\.size)
    nodes[0].size = 5
    #expect(nodes[0].size == 5 && nodes[0].name == "new" && nodes[1].size == sizes[1] + 1000)
    try context.save()
    let fresh = ModelContext(world.container)
    #expect(
      try fresh.fetch(FetchDescriptor<Node>()).map(\.size).sorted()
        == ([5] + sizes.dropFirst().map { $0 + 1000 }).sorted())
    try context.delete(model: Node.self, where: #Predicate { $0.size == 5 })
    nodes[0].name = "late"
    #expect(nodes[0].isDeleted)
    try context.save()
    #expect(nodes[0].modelContext == nil)
    #expect(try fresh.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "late" })) == 0)
    try world.check()
  }

  @Test("An object that is inserted after the change is not concerned by it", arguments: [false, true])
  func insertedAfter(fetches: Bool) throws {
    let world = try World()
    world.context.insert(Book("old", pages: 1))
    try world.context.save()
    let context = world.fresh
    try context.delete(model: Book.self)
    context.insert(Book("new", pages: 1))
    if fetches { #expect(try context.all(Book.self).map(\.title) == ["new"]) }
    try context.save()
    #expect(try world.fresh.all(Book.self).map(\.title) == ["new"])
    try context.update(model: Book.self) { $0.set(\.pages, to: 9) }
    context.insert(Book("newer", pages: 1))
    if fetches { #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2) }
    try context.save()
    #expect(try world.fresh.all(Book.self).map(\.pages).sorted() == [1, 9])
  }

  @Test("A rollback, also after a refused save, leaves the held objects as they are")
  func rollback() throws {
    let world = try World()
    let room = Room(7)
    world.context.insert(room)
    world.context.insert(Box("a", in: room))
    try world.context.save()
    let context = world.fresh
    let held = try #require(try context.all(Room.self).first)
    #expect(held.boxes.count == 1)
    try context.delete(model: Room.self)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(!held.isDeleted && held.boxes.count == 1 && !context.hasChanges)
    try context.delete(model: Room.self)
    context.rollback()
    #expect(!held.isDeleted && held.modelContext === context)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Room>()) == 1)
  }

  @Test("Live results see what the save has changed")
  @MainActor func liveResults() throws {
    let world = try World()
    for number in 0..<6 { world.context.insert(Book("book \(number)", pages: number)) }
    try world.context.save()
    let context = world.fresh
    let results = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]), modelContext: context)
    #expect(results.results.count == 6)
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 2 })
    try context.update(model: Book.self, where: #Predicate { $0.pages == 3 }) { $0.set(\.pages, to: 30) }
    #expect(context.core.unit.batches.count == 2)
    try context.save()
    #expect(results.results.map(\.pages) == [2, 4, 5, 30])
  }
}
