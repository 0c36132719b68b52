import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A row that somebody else has changed keeps its unique value until the policy has settled the conflict.
@Suite("Unique values and conflicts in one save", .everyEngine)
struct ConflictingValuesTests {
  @Model final class Slot {
    @Attribute(.unique) var code: Int
    var note = ""
    init(_ code: Int) { self.code = code }
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let mine: ModelContext
  /// The two objects in the context whose save meets the conflict.
  private let slots: [Slot]

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Slot.self]), store)
    let other = ModelContext(container)
    let first = Slot(1)
    other.insert(first)
    other.insert(Slot(2))
    try other.save()
    mine = ModelContext(container)
    slots = try mine.fetch(FetchDescriptor<Slot>(sortBy: [SortDescriptor(\.code)]))
    first.note = "changed"
    try other.save()
    (slots[0].code, slots[1].code) = (2, 1)
  }

  private func saved() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Slot>(sortBy: [SortDescriptor(\.code)])).map {
      "\($0.code) \($0.note)"
    }
  }

  @Test(
    "Two objects exchange values although somebody has changed one of them",
    arguments: [SaveConflictPolicy.mergeByProperty, .keepStored, .overwrite])
  func exchange(policy: SaveConflictPolicy) throws {
    mine.conflictPolicy = policy
    try mine.save()
    #expect(try saved() == (policy == .overwrite ? ["1 ", "2 "] : ["1 ", "2 changed"]))
  }

  @Test("fail: the conflict is told, and not the value that the row in conflict has kept")
  func failure() throws {
    mine.conflictPolicy = .fail
    #expect(throws: SwiftDataError.saveConflict) { try mine.save() }
    #expect(slots.map(\.code) == [2, 1] && mine.hasChanges)
  }
}
