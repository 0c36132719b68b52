import Foundation
import Testing

@testable import SwiftData

@Suite("Others' saves wait for the next fetch or save", .everyEngine)
struct OthersWaitTests {
  let world: World
  /// The context that works while others save.
  let context: ModelContext
  let manager = UndoManager()
  let author: Author
  let book: Book
  let tag: Tag

  init() throws {
    world = try World()
    let book = Book("A", author: Author("Karl May"))
    book.chapters = [Chapter("I")]
    world.context.insert(book)
    world.context.insert(Tag("old"))
    try world.context.save()
    context = world.fresh
    self.book = try #require(try context.all(Book.self).first)
    author = try #require(self.book.author)
    tag = try #require(try context.all(Tag.self).first)
    context.undoManager = manager
    #expect(self.book.chapters.count == 1 && author.books == [self.book])
  }

  /// What a program does between two fetches.
  enum Work: CaseIterable {
    case processing, deletion, deletionByObjects, update, updateByObjects, undoGroup, undo, assignment
  }

  private func perform(_ work: Work) throws {
    switch work {
    case .processing: context.processPendingChanges()
    case .deletion:
      context.undoManager = nil
      try context.delete(model: Room.self)
    // The unsaved change of the book concerns its chapters.
    case .deletionByObjects: try context.delete(model: Chapter.self, where: #Predicate { $0.heading == "none" })
    case .update:
      context.undoManager = nil
      try context.update(model: Vase.self) { $0.set(\.material, to: "glass") }
    case .updateByObjects: try context.update(model: Cover.self) { $0.set(\.colour, to: "red") }
    case .undoGroup:
      manager.beginUndoGrouping()
      manager.endUndoGrouping()
    case .undo: manager.undo()
    case .assignment:
      context.undoManager = nil
      try context.update(model: Vase.self) { $0.set(\.material, to: "glass") }
      let vase = Vase(weight: 1, material: "clay")
      context.insert(vase)
      vase.material = "stone"
    }
  }

  private func saveOfAnother() throws {
    let theirs = try #require(try world.context.all(Book.self).first)
    theirs.title = "A2"
    try #require(try world.context.all(Tag.self).first).word = "new"
    try world.context.save()
  }

  @Test("With a deletion to decide about, held objects keep their values until then", arguments: Work.allCases)
  func heldValues(work: Work) throws {
    context.delete(author)
    try saveOfAnother()
    try perform(work)
    #expect(tag.word == "old" && book.title == "A")
    #expect(author.isDeleted == (work != .undo))
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    #expect(tag.word == "new")
    try context.save()
    #expect(book.title == "A2" && (book.author == nil) == (work != .undo))
    let read = try #require(try world.fresh.all(Book.self).first)
    #expect(read.title == "A2" && (read.author == nil) == (work != .undo))
    try world.check()
  }

  @Test("Without a deletion, held objects keep their values until then", arguments: Work.allCases)
  func heldValuesWithoutDeletion(work: Work) throws {
    book.pages = 7
    try saveOfAnother()
    try perform(work)
    #expect(tag.word == "old" && book.title == "A")
    try context.save()
    #expect(tag.word == "new" && book.title == "A2" && book.pages == (work == .undo ? 0 : 7))
  }

  @Test("A scheduled deletion that a change makes load its objects leaves others' values to the next fetch")
  func expansion() throws {
    context.undoManager = nil
    try context.delete(model: Chapter.self, where: #Predicate { $0.heading == "none" })
    try saveOfAnother()
    book.pages = 7
    #expect(tag.word == "old" && context.core.unit.batches.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    #expect(tag.word == "new")
  }
}

@Suite("Delete rules applied while others' saves wait", .everyEngine)
struct OthersWaitingMembersTests {
  typealias Part = UpkeepModels.Part
  typealias Crate = UpkeepModels.Crate
  typealias Rack = UpkeepModels.Rack
  typealias Wagon = UpkeepModels.Wagon

  let world: UpkeepWorld
  var context: ModelContext { world.context }

  init() throws { world = try UpkeepWorld() }

  /// When the context looks at its deletions.
  enum Moment: CaseIterable { case before, after, afterAndFetch }

  /// Deletes an object, and lets another context save before or after its delete rules are applied.
  private func delete(_ object: any PersistentModel, _ moment: Moment, others: () throws -> Void) throws {
    context.delete(object)
    if moment != .before { context.processPendingChanges() }
    try others()
    if moment == .before { context.processPendingChanges() }
    if moment == .afterAndFetch { _ = try context.fetchCount(FetchDescriptor<Wagon>()) }
  }

  @Test("A cascade spares a held member that another context has moved away")
  func movedAway() throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1"))
    first.parts = [part]
    context.insert(first)
    context.insert(second)
    try context.save()
    try delete(first, .before) {
      let theirs = try #require(try world.other.all(Part.self).first)
      theirs.crate = try world.other.first(Crate.self, where: #Predicate { $0.label == "second" })
      try world.other.save()
    }
    #expect(!part.isDeleted)
    try context.save()
    #expect(part.crate === second && second.parts == [part])
    #expect(try world.fresh.all(Part.self).map { $0.crate?.label } == ["second"])
  }

  @Test("A held member that another context has moved here goes with its owner", arguments: Moment.allCases)
  func movedHere(moment: Moment) throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1"))
    second.parts = [part]
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first.parts.isEmpty)
    try delete(first, moment) {
      let theirs = try #require(try world.other.all(Part.self).first)
      theirs.crate = try world.other.first(Crate.self, where: #Predicate { $0.label == "first" })
      try world.other.save()
    }
    if moment == .before { #expect(part.isDeleted) }
    try context.save()
    #expect(part.isDeleted && second.parts.isEmpty)
    #expect(try world.count(Part.self) == 0 && world.count(Crate.self) == 1)
  }

  @Test("A held member that another context has moved here gives up its deleted owner", arguments: Moment.allCases)
  func nullified(moment: Moment) throws {
    let (rack, part) = (Rack("r"), Part("1"))
    context.insert(rack)
    context.insert(part)
    try context.save()
    #expect(rack.parts.isEmpty)
    try delete(rack, moment) {
      let theirs = try #require(try world.other.all(Part.self).first)
      theirs.name = "theirs"
      theirs.rack = try world.other.all(Rack.self).first
      try world.other.save()
    }
    if moment == .before { #expect(part.name.isEmpty) }
    try context.save()
    #expect(part.rack == nil && part.name == "theirs")
    #expect(try world.fresh.fetchCount(FetchDescriptor<Part>(predicate: #Predicate { $0.rack != nil })) == 0)
    #expect(try world.fresh.all(Part.self).map(\.name) == ["theirs"])
  }

  @Test("A member that another context has inserted goes with its owner", arguments: Moment.allCases)
  func inserted(moment: Moment) throws {
    let crate = Crate("c")
    context.insert(crate)
    try context.save()
    #expect(crate.parts.isEmpty)
    try delete(crate, moment) {
      let part = Part("late")
      world.other.insert(part)
      part.crate = try world.other.all(Crate.self).first
      try world.other.save()
    }
    try context.save()
    #expect(try world.count(Part.self) == 0 && world.count(Crate.self) == 0)
  }

  @Test("A cascade to one object follows the key that another context has saved")
  func otherDestination() throws {
    let wagons = (0..<3).map { Wagon($0) }
    for wagon in wagons { context.insert(wagon) }
    wagons[0].next = wagons[1]
    try context.save()
    try delete(wagons[0], .before) {
      let theirs = try world.other.all(Wagon.self).sorted { $0.number < $1.number }
      theirs[0].next = theirs[2]
      try world.other.save()
    }
    #expect(!wagons[1].isDeleted && wagons[2].isDeleted)
    try context.save()
    #expect(wagons[1].previous == nil)
    #expect(try world.fresh.all(Wagon.self).map { $0.number } == [1])
  }
}
