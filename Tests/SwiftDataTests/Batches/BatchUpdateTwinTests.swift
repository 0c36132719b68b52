import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("An update by a predicate leaves the rows and the history that changing each object leaves")
struct BatchUpdateTwinTests {
  typealias Node = BatchModels.Node

  /// Updates by a predicate in one world and each object in an equal world, and compares all tables.
  private func compare<Model: PersistentModel>(
    _ seed: UInt64, _ type: Model.Type, _ predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true,
    _ update: (inout ModelUpdate<Model>) -> Void, byObjects change: (Model) -> Void
  ) throws {
    let (one, two) = (try BatchWorld(seed: seed), try BatchWorld(seed: seed))
    let before = try one.rows()
    let batches = ModelContext(one.container)
    try batches.update(model: type, where: predicate, includeSubclasses: includeSubclasses, set: update)
    #expect(batches.core.unit.batches.count == 1 && batches.hasChanges)
    try batches.save()
    #expect(!batches.hasChanges && batches.core.identityMap.count == 0, "\(type)")
    let context = ModelContext(two.container)
    for object in try context.fetch(FetchDescriptor<Model>(predicate: predicate))
    where includeSubclasses || Swift.type(of: object) == Model.self { change(object) }
    try context.save()
    expectEqualRows(try one.rows(), try two.rows())
    #expect(try one.rows() != before)
    if seed < 2 { try one.check() }
  }

  private static let seeds = TestEngine.seeds(FullTests.areWanted ? 4 : 2)

  @Test("Constants and computed values of several attributes", arguments: seeds)
  func attributes(seed: UInt64) throws {
    let date = Date(timeIntervalSinceReferenceDate: 7e8)
    try compare(seed, Node.self, #Predicate { $0.size < 6 }) {
      $0.set(\.isOld, to: true)
      $0.set(\.changed, to: date)
      $0.set(\.size, to: #Expression { $0.size * 3 + 1 })
      $0.set(\.ratio, to: #Expression { $0.ratio / 4.0 })
    } byObjects: { node in
      node.isOld = true
      node.changed = date
      node.size = node.size * 3 + 1
      node.ratio /= 4
    }
    try compare(seed, Node.self, includeSubclasses: false) {
      $0.set(\.changed, to: nil)
      $0.set(\.name, to: "x")
    } byObjects: { node in
      node.changed = nil
      node.name = "x"
    }
    try compare(seed, BatchModels.Cover.self) {
      $0.set(\.colour, to: "blue")
    } byObjects: {
      $0.colour = "blue"
    }
  }

  @Test(
    "Values of other properties and through relationships, all from before the update", arguments: seeds)
  func paths(seed: UInt64) throws {
    try compare(seed, Node.self, #Predicate { $0.notes.count > 0 }) {
      $0.set(\.size, to: #Expression { $0.notes.count })
      $0.set(\.name, to: #Expression { $0.size > 4 ? "large" : $0.name })
    } byObjects: { node in
      let size = node.size
      node.size = node.notes.count
      node.name = size > 4 ? "large" : node.name
    }
    try compare(seed, Node.self, #Predicate { $0.parent != nil }) {
      $0.set(\.isOld, to: #Expression { ($0.parent?.size ?? 0) > 3 })
    } byObjects: { node in
      node.isOld = (node.parent?.size ?? 0) > 3
    }
  }
}
