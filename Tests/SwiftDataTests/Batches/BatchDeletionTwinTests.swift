import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("A deletion by a predicate leaves the rows and the history that deleting each object leaves")
struct BatchDeletionTwinTests {
  typealias Node = BatchModels.Node

  /// All of the seeds in the full run, otherwise a quarter of them.
  private static func seeds(_ count: UInt64) -> Range<UInt64> {
    TestEngine.seeds(FullTests.areWanted ? count : count / 4)
  }

  /// Equal worlds, from which the same objects are deleted in three ways.
  private struct Twins {
    let seed: UInt64
    let one: BatchWorld
    let two: BatchWorld
    let three: BatchWorld

    init(_ seed: UInt64) throws {
      self.seed = seed
      (one, two, three) = (try BatchWorld(seed: seed), try BatchWorld(seed: seed), try BatchWorld(seed: seed))
      expectEqualRows(try one.rows(), try two.rows())
    }

    /// Deletes by a predicate in one world and each object in the others, and compares all tables.
    func compare<Model: PersistentModel>(
      _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool = true,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let batches = ModelContext(one.container)
      try batches.delete(model: type, where: predicate, includeSubclasses: includeSubclasses)
      #expect(batches.core.unit.batches.count == 1, sourceLocation: sourceLocation)
      try batches.save()
      #expect(!batches.hasChanges && batches.core.identityMap.count == 0, sourceLocation: sourceLocation)

      func deleteObjects(of world: BatchWorld, byRules: Bool) throws -> [String] {
        let context = ModelContext(world.container)
        for object in try context.fetch(FetchDescriptor<Model>(predicate: predicate))
        where includeSubclasses || Swift.type(of: object) == Model.self { context.delete(object) }
        // Applies the rules in memory; without it, the save may leave cascades to SQL.
        if byRules { context.processPendingChanges() }
        try context.save()
        #expect(!context.hasChanges, sourceLocation: sourceLocation)
        return try world.rows()
      }
      let expected = try deleteObjects(of: two, byRules: true)
      expectEqualRows(try one.rows(), expected, sourceLocation: sourceLocation)
      expectEqualRows(try deleteObjects(of: three, byRules: false), expected, sourceLocation: sourceLocation)
    }

    /// Has the store checked.
    func check() throws { if seed < 3 { try one.check() } }
  }

  /// Compares in worlds of their own.
  private func compare<Model: PersistentModel>(
    _ seed: UInt64, _ type: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let twins = try Twins(seed)
    try twins.compare(type, predicate, includeSubclasses: includeSubclasses, sourceLocation: sourceLocation)
    try twins.check()
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
    // One after another: no deletion takes away what a later one deletes.
    let twins = try Twins(seed)
    try twins.compare(BatchModels.Note.self, #Predicate { $0.text.contains("1") })
    try twins.compare(BatchModels.Mark.self, #Predicate { $0.word != "mark 2" })
    try twins.compare(BatchModels.Cover.self, #Predicate { $0.colour.starts(with: "leaf") })
    try twins.compare(BatchModels.Label.self, nil)
    try twins.compare(BatchModels.Stamp.self, #Predicate { $0.value % 2 == 0 })
    try twins.compare(BatchModels.Shelf.self, nil)
    try twins.compare(BatchModels.Page.self, #Predicate { $0.number % 3 == 0 })
    try twins.check()
  }

  @Test("A predicate over a path and over members", arguments: seeds(6))
  func paths(seed: UInt64) throws {
    try compare(seed, Node.self, #Predicate { $0.parent?.size == 3 })
    try compare(seed, Node.self, #Predicate { $0.notes.contains { $0.text.contains("0") } })
  }
}
