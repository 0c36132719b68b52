import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("A deletion by a predicate leaves the rows and the history that deleting each object leaves")
struct BatchDeletionTwinTests {
  typealias Node = BatchModels.Node

  /// All of the seeds in the full run, otherwise a third of them.
  private static func seeds(_ count: UInt64) -> Range<UInt64> {
    TestEngine.seeds(FullTests.areWanted ? count : count / 3)
  }

  /// Deletes by a predicate in one world and each object in an equal world, and compares all tables.
  ///
  /// - Parameter isDecided: whether the engine selects by the predicate without the framework's help.
  private func compare<Model: PersistentModel>(
    _ seed: UInt64, _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool = true,
    isDecided: Bool = true
  ) throws {
    let (one, two) = (try BatchWorld(seed: seed), try BatchWorld(seed: seed))
    expectEqualRows(try one.rows(), try two.rows())
    let batches = ModelContext(one.container)
    try batches.delete(model: type, where: predicate, includeSubclasses: includeSubclasses)
    #expect(batches.core.unit.batches.count == (isDecided ? 1 : 0))
    try batches.save()
    #expect(!batches.hasChanges && (batches.core.identityMap.count == 0 || !isDecided))

    func deleteObjects(of world: BatchWorld, byRules: Bool) throws {
      let context = ModelContext(world.container)
      for object in try context.fetch(FetchDescriptor<Model>(predicate: predicate))
      where includeSubclasses || Swift.type(of: object) == Model.self { context.delete(object) }
      // Applies the rules in memory; without it, the save may leave cascades to SQL.
      if byRules { context.processPendingChanges() }
      try context.save()
      #expect(!context.hasChanges)
    }
    try deleteObjects(of: two, byRules: true)
    expectEqualRows(try one.rows(), try two.rows())
    let three = try BatchWorld(seed: seed)
    try deleteObjects(of: three, byRules: false)
    expectEqualRows(try three.rows(), try two.rows())
    if seed < 3 { try one.check() }
  }

  @Test("Nodes of a tree with everything that belongs to them", arguments: seeds(18))
  func tree(seed: UInt64) throws { try compare(seed, Node.self, #Predicate { $0.size < 3 }) }

  @Test("Objects of one class, with and without subclasses", arguments: seeds(9))
  func classes(seed: UInt64) throws {
    try compare(seed, Node.self, #Predicate { $0.size < 5 }, includeSubclasses: false)
    try compare(seed, BatchModels.Folder.self, #Predicate { $0.size > 4 })
    try compare(seed, BatchModels.Leaf.self, nil)
  }

  @Test("Ends of relationships of each kind", arguments: seeds(9))
  func ends(seed: UInt64) throws {
    try compare(seed, BatchModels.Note.self, #Predicate { $0.text.contains("1") }, isDecided: TestEngine.decidesTexts)
    try compare(seed, BatchModels.Mark.self, #Predicate { $0.word != "mark 2" })
    try compare(
      seed, BatchModels.Cover.self, #Predicate { $0.colour.starts(with: "leaf") }, isDecided: TestEngine.decidesTexts)
    try compare(seed, BatchModels.Label.self, nil)
    try compare(seed, BatchModels.Stamp.self, #Predicate { $0.value % 2 == 0 })
    try compare(seed, BatchModels.Shelf.self, nil)
    try compare(seed, BatchModels.Page.self, #Predicate { $0.number % 3 == 0 })
  }

  @Test("A predicate over a path and over members", arguments: seeds(6))
  func paths(seed: UInt64) throws {
    try compare(seed, Node.self, #Predicate { $0.parent?.size == 3 })
    try compare(
      seed, Node.self, #Predicate { $0.notes.contains { $0.text.contains("0") } }, isDecided: TestEngine.decidesTexts)
  }
}
