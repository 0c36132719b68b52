import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Twin tests: undo and redo lead to the states that were noted before and after random changes.
@Suite("Undo and redo of random changes", .everyEngine)
struct UndoTwinTests {
  private func container() throws -> (ModelContainer, TemporaryStore) {
    let store = try TemporaryStore()
    return (try TestEngine.current.container(Schema(UndoModels.types), store), store)
  }

  private func filled(_ random: inout SplitMix) throws -> (ModelContainer, TemporaryStore, RandomChanges) {
    let (container, store) = try container()
    let context = ModelContext(container)
    var changes = RandomChanges()
    changes.fill(context, &random)
    try context.save()
    return (container, store, changes)
  }

  private func expectEqual(_ state: [String], _ expected: [String], _ comment: Comment) {
    let wrong = Set(state).subtracting(expected).sorted()
    let missing = Set(expected).subtracting(state).sorted()
    #expect(wrong == missing, comment)
    #expect(state.count == expected.count, comment)
  }

  /// What a context shows, and what another context shows after a save, are the same.
  private func expectSaved(
    _ context: ModelContext, _ container: ModelContainer, _ store: TemporaryStore, isLast: Bool = true
  ) throws {
    let shown = try UndoModels.description(of: context)
    try context.save()
    expectEqual(try UndoModels.description(of: context), shown, "after the save")
    expectEqual(
      try UndoModels.description(of: ModelContext(container)), shown, "in another context \(TestEngine.current)")
    guard isLast, TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test(
    "Every state comes back, in any order, also across saves",
    arguments: FullTests.areWanted ? 1...100 : 1...4 as ClosedRange<UInt64>)
  func walk(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (container, store, changes) = try filled(&random)
    let saves = seed % 2 == 0
    let context = ModelContext(container)
    let manager = UndoManager()
    context.undoManager = manager
    var states = [try UndoModels.description(of: context)]
    for _ in 0..<12 {
      for _ in 0..<(1 + random.below(4)) { changes.change(context, &random) }
      context.processPendingChanges()
      if manager.undoCount == states.count { states.append(try UndoModels.description(of: context)) }
      try #require(manager.undoCount == states.count - 1)
      if saves, random.once(in: 3) { try context.save() }
    }
    var place = states.count - 1
    func expectState(_ comment: Comment) throws {
      let state = try UndoModels.description(of: context)
      expectEqual(state, states[place], comment)
      let isEqual = state == states[place]
      try #require(isEqual)
    }
    for step in 0..<40 {
      if random.once(in: 2), place > 0 {
        manager.undo()
        place -= 1
      } else if place < states.count - 1 {
        manager.redo()
        place += 1
      }
      try expectState(
        "seed \(seed), step \(step), state \(place) \(manager.undoCount) \(manager.redoCount) of \(states.count)")
      if saves, random.once(in: 5) { try expectSaved(context, container, store, isLast: false) }
    }
    while place > 0 {
      manager.undo()
      place -= 1
      try expectState("seed \(seed), undoing state \(place)")
    }
    #expect(!manager.canUndo && (saves || !context.hasChanges))
    while place < states.count - 1 {
      manager.redo()
      place += 1
      try expectState("seed \(seed), redoing state \(place)")
    }
    #expect(!manager.canRedo)
    try expectSaved(context, container, store)
  }

  @Test(
    "Changes of objects that nobody has loaded are undone, too",
    arguments: FullTests.areWanted ? 1...100 : 1...3 as ClosedRange<UInt64>)
  func unloaded(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (container, store, changes) = try filled(&random)
    let before = try UndoModels.description(of: ModelContext(container))
    let context = ModelContext(container)
    let manager = UndoManager()
    context.undoManager = manager
    for _ in 0..<8 {
      for _ in 0..<2 { changes.change(context, &random) }
      context.processPendingChanges()
    }
    var count = 0
    while manager.canUndo {
      manager.undo()
      count += 1
    }
    #expect(!context.hasChanges, "seed \(seed)")
    for _ in 0..<count { manager.redo() }
    let after = try UndoModels.description(of: context)
    for _ in 0..<count { manager.undo() }
    expectEqual(try UndoModels.description(of: context), before, "seed \(seed), undone")
    try expectSaved(context, container, store)
    for _ in 0..<count { manager.redo() }
    expectEqual(try UndoModels.description(of: context), after, "seed \(seed), redone")
    try expectSaved(context, container, store)
  }
}
