import Foundation
import SwiftData
import TestSupport
import Testing

/// No engine computes decimal numbers, so these updates are made on objects. Their results have to be those of SQL.
@Suite("An update by a predicate beside the saves of others", .everyEngine)
struct UpdateConflictTests {
  @Model final class Account {
    @Attribute(.unique) var number: Int
    var balance: Decimal
    var bonus: Decimal = 1
    var holder: String?
    var note = ""

    init(_ number: Int, balance: Decimal) {
      self.number = number
      self.balance = balance
    }
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let mine: ModelContext
  private let other: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Account.self]), store)
    (mine, other) = (ModelContext(container), ModelContext(container))
    mine.insert(Account(1, balance: 10))
    try mine.save()
  }

  private func account(in context: ModelContext) throws -> Account {
    try #require(try context.fetch(FetchDescriptor<Account>()).first)
  }

  private func saved() throws -> Account { try account(in: ModelContext(container)) }

  private func add(_ amount: Decimal, in context: ModelContext) throws {
    try context.update(model: Account.self) { $0.set(\.balance, to: #Expression { $0.balance + amount }) }
  }

  @Test("Two additions to one balance both count, and so does another property that somebody has changed")
  func additions() throws {
    try add(5, in: mine)
    try add(7, in: other)
    try account(in: other).note = "changed"
    try other.save()
    try mine.save()
    #expect(try saved().balance == 22)
    #expect(try saved().note == "changed")
    #expect(try account(in: mine).balance == 22)
  }

  @Test("They count after the context has taken in what the other one has saved")
  func afterMerge() throws {
    let held = try account(in: mine)
    held.note = "mine"
    try add(5, in: mine)
    try add(7, in: other)
    try other.save()
    #expect(try account(in: mine) === held)
    try mine.save()
    #expect(try saved().balance == 22)
    #expect(try saved().note == "mine")
  }

  @Test("Several updates are made again in their order")
  func order() throws {
    try add(5, in: mine)
    try mine.update(model: Account.self) {
      $0.set(\.balance, to: #Expression { $0.balance * 2 })
      $0.set(\.bonus, to: #Expression { $0.balance })
    }
    try add(7, in: other)
    try other.save()
    try mine.save()
    #expect(try saved().balance == 44)
    #expect(try saved().bonus == 22)
  }

  @Test("An object that the predicate does not select any more keeps its row's values")
  func selection() throws {
    for context in [mine, other] {
      let name = context === mine ? "mine" : "other"
      try context.update(model: Account.self, where: #Predicate { $0.balance >= 10 && $0.holder == nil }) {
        $0.set(\.balance, to: #Expression { $0.balance - 10 })
        $0.set(\.holder, to: name)
      }
    }
    try other.save()
    try mine.save()
    #expect(try saved().balance == 0)
    #expect(try saved().holder == "other")
    let held = try account(in: mine)
    #expect(held.holder == "other" && held.balance == 0)
    #expect(!mine.hasChanges)
  }

  @Test("A value that the program assigns after the update, or before it, is saved as it is")
  func assignments() throws {
    try add(5, in: mine)
    try account(in: mine).balance = 50
    try add(7, in: other)
    try other.save()
    try mine.save()
    #expect(try saved().balance == 50)

    try account(in: mine).balance = 60
    try add(5, in: mine)
    try add(7, in: other)
    try other.save()
    try mine.save()
    #expect(try saved().balance == 65)
  }

  @Test(
    "Other policies treat the values as assigned",
    arguments: [(SaveConflictPolicy.overwrite, 15), (.keepStored, 17), (.rollback, 17)]
      as [(SaveConflictPolicy, Decimal)])
  func policies(policy: SaveConflictPolicy, balance: Decimal) throws {
    mine.conflictPolicy = policy
    try add(5, in: mine)
    try add(7, in: other)
    try other.save()
    try mine.save()
    #expect(try saved().balance == balance)
  }

  @Test("A save that fails keeps the update, and the next one makes it again")
  func failure() throws {
    try add(5, in: mine)
    try add(7, in: other)
    try other.save()
    mine.conflictPolicy = .fail
    #expect(throws: SwiftDataError.saveConflict) { try mine.save() }
    #expect(try account(in: mine).balance == 15)
    mine.conflictPolicy = .mergeByProperty
    try mine.save()
    #expect(try saved().balance == 22)
  }

  @Test("A rollback forgets the update")
  func rollback() throws {
    try add(5, in: mine)
    mine.rollback()
    try account(in: mine).note = "mine"
    try add(7, in: other)
    try other.save()
    try mine.save()
    #expect(try saved().balance == 17)
  }

  @Test("Tasks that add at the same time lose no addition")
  func tasks() async throws {
    let (container, count) = (container, 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          for _ in 0..<5 {
            let context = ModelContext(container)
            try context.update(model: Account.self) { $0.set(\.balance, to: #Expression { $0.balance + 1 }) }
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try saved().balance == 50)
  }
}
