import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Short programs that random ones were shrunk to; see ``ContextsTwinTests``.
@Suite("Both sides of unsaved links while others save")
struct UnsavedLinksTests {
  typealias Owner = ContextsTwinModels.Owner
  typealias Member = ContextsTwinModels.Member
  typealias Tag = ContextsTwinModels.Tag
  typealias Badge = ContextsTwinModels.Badge

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext

  /// Owner 1 has members 1 and 2. Member 1 has tag 1 and badge 1.
  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(ContextsTwinModels.types), store)
    context = ModelContext(container)
    other = ModelContext(container)
    let first = ModelContext(container)
    let members = (1...3).map { Member($0) }
    let owners = (1...2).map { Owner($0) }
    let tags = (1...2).map { Tag($0) }
    let badges = (1...2).map { Badge($0) }
    let all: [any PersistentModel] = owners + members + tags + badges
    for object in all { first.insert(object) }
    owners[0].members = [members[0], members[1]]
    members[0].tags = [tags[0]]
    members[0].badge = badges[0]
    try first.save()
  }

  private func all<Model: PersistentModel>(_ type: Model.Type, in context: ModelContext) throws -> [Model] {
    try context.fetch(FetchDescriptor<Model>())
  }

  private func owner(_ number: Int, in context: ModelContext) throws -> Owner {
    try #require(try all(Owner.self, in: context).first { $0.number == number })
  }

  private func member(_ number: Int, in context: ModelContext) throws -> Member {
    try #require(try all(Member.self, in: context).first { $0.number == number })
  }

  private func tag(_ number: Int, in context: ModelContext) throws -> Tag {
    try #require(try all(Tag.self, in: context).first { $0.number == number })
  }

  private func badge(_ number: Int, in context: ModelContext) throws -> Badge {
    try #require(try all(Badge.self, in: context).first { $0.number == number })
  }

  private func numbers(_ members: [Member]) -> [Int] { members.map(\.number).sorted() }

  // MARK: One to many

  @Test("A member that was moved away and back stays in its owner's list when others take it")
  func movedBack() throws {
    let (mine, first) = (try owner(1, in: context), try member(1, in: context))
    mine.members.removeAll { $0 === first }
    mine.members.append(first)
    try member(1, in: other).owner = nil
    try other.save()
    _ = try all(Tag.self, in: context)
    #expect(first.owner === mine && numbers(mine.members) == [1, 2])
    try context.save()
    #expect(try numbers(owner(1, in: other).members) == [1, 2])
  }

  @Test("A member that was assigned the owner it had stays in the owner's list when others move it")
  func assignedAgain() throws {
    let (mine, first) = (try owner(1, in: context), try member(1, in: context))
    #expect(mine.members.count == 2)
    first.owner = mine
    try member(1, in: other).owner = try owner(2, in: other)
    try other.save()
    #expect(try owner(2, in: context).members.isEmpty)
    #expect(first.owner === mine && numbers(mine.members) == [1, 2])
    try context.save()
    #expect(try numbers(owner(1, in: other).members) == [1, 2] && owner(2, in: other).members.isEmpty)
  }

  @Test("A member that was assigned the owner it had loses the owner when others delete it")
  func assignedLostOwner() throws {
    let first = try member(1, in: context)
    first.owner = try owner(1, in: context)
    other.delete(try owner(1, in: other))
    try other.save()
    #expect(try all(Owner.self, in: context).map(\.number) == [2])
    #expect(first.owner == nil)
    try context.save()
    #expect(try member(1, in: other).owner == nil)
  }

  @Test(
    "After a rollback or an undo, a member is in the list of the owner that others gave it", arguments: [true, false])
  func changesDropped(byUndo: Bool) throws {
    if byUndo { context.undoManager = UndoManager() }
    let (second, third) = (try owner(2, in: context), try member(3, in: context))
    third.owner = nil
    try member(3, in: other).owner = try owner(2, in: other)
    try other.save()
    _ = try all(Tag.self, in: context)
    #expect(second.members.isEmpty && third.owner == nil)
    if byUndo {
      context.processPendingChanges()
      context.undoManager?.undo()
    } else {
      context.rollback()
    }
    #expect(second.members == [third] && third.owner === second && !context.hasChanges)
  }

  // MARK: Many to many

  @Test("A member that was removed and added back stays when others remove it")
  func addedBack() throws {
    let (mine, first) = (try tag(1, in: context), try member(1, in: context))
    first.tags = []
    first.tags = [mine]
    try member(1, in: other).tags = []
    try other.save()
    _ = try all(Owner.self, in: context)
    #expect(first.tags == [mine] && mine.members == [first])
    try context.save()
    #expect(try member(1, in: other).tags.map(\.number) == [1])
  }

  @Test("A member that both contexts added goes when one of them removes it before its save")
  func removedAfterBothAdded() throws {
    let (mine, third) = (try tag(1, in: context), try member(3, in: context))
    third.tags = [mine]
    try member(3, in: other).tags = [try tag(1, in: other)]
    try other.save()
    _ = try all(Owner.self, in: context)
    third.tags = []
    try member(3, in: other).value = 1
    try other.save()
    _ = try all(Owner.self, in: context)
    #expect(third.tags.isEmpty && numbers(mine.members) == [1])
    try context.save()
    #expect(try member(3, in: other).tags.isEmpty)
  }

  @Test("A member that both contexts removed comes back when one of them adds it before its save")
  func addedAfterBothRemoved() throws {
    let (mine, first) = (try tag(1, in: context), try member(1, in: context))
    first.tags = []
    try member(1, in: other).tags = []
    try other.save()
    _ = try all(Owner.self, in: context)
    first.tags = [mine]
    try context.save()
    #expect(first.tags == [mine] && mine.members == [first])
    #expect(try member(1, in: other).tags.map(\.number) == [1])
  }

  // MARK: One to one

  @Test("A partner that others gave an object is without it if an unsaved change gives the object none")
  func partnerTaken() throws {
    let third = try member(3, in: context)
    third.badge = nil
    let new = Badge(3)
    other.insert(new)
    new.member = try member(3, in: other)
    try badge(2, in: other).member = nil
    try other.save()
    #expect(try badge(3, in: context).member == nil && third.badge == nil)
    try context.save()
    #expect(try member(3, in: other).badge == nil && badge(3, in: other).member == nil)
  }

  @Test("A partner that others took from an object leads to it if an unsaved change gives the object that partner")
  func partnerKept() throws {
    let (mine, first) = (try badge(1, in: context), try member(1, in: context))
    mine.member = first
    try member(1, in: other).badge = nil
    try other.save()
    _ = try all(Owner.self, in: context)
    #expect(mine.member === first && first.badge === mine)
    try context.save()
    #expect(try member(1, in: other).badge?.number == 1 && badge(1, in: other).member?.number == 1)
  }

  @Test("Of two objects that contexts gave one partner, the unsaved one has it")
  func partnerGivenTwice() throws {
    let (mine, second, third) = (try badge(1, in: context), try member(2, in: context), try member(3, in: context))
    mine.member = third
    try member(2, in: other).badge = try badge(1, in: other)
    try other.save()
    _ = try all(Owner.self, in: context)
    #expect(mine.member === third && third.badge === mine && second.badge == nil)
    try context.save()
    #expect(try member(2, in: other).badge == nil && member(3, in: other).badge?.number == 1)
  }

  // MARK: Undo

  @Test("Undoing the deletion of a member takes back the tag that it was given just before")
  func undoneDeletion() throws {
    context.undoManager = UndoManager()
    let (second, first) = (try tag(2, in: context), try member(1, in: context))
    second.members = [first]
    context.delete(first)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(try all(Member.self, in: context).count == 3)
    #expect(second.members.isEmpty && first.tags.map(\.number) == [1])
  }

  @Test("An object whose deletion is undone has the tag that others gave it before, also in a list that was older")
  func undoneDeletionOfTagged() throws {
    context.undoManager = UndoManager()
    let (first, third) = (try tag(1, in: context), try member(3, in: context))
    #expect(numbers(first.members) == [1])
    try member(3, in: other).tags = [try tag(1, in: other)]
    try other.save()
    context.delete(third)
    context.processPendingChanges()
    context.undoManager?.undo()
    _ = try all(Owner.self, in: context)
    #expect(numbers(first.members) == [1, 3] && third.tags == [first])
  }

  @Test(
    "A deletion is undone and redone beside the tag that others gave the object meanwhile", arguments: [true, false])
  func redoneDeletion(isSavedFirst: Bool) throws {
    context.undoManager = UndoManager()
    let (first, third) = (try tag(1, in: context), try member(3, in: context))
    func tagByOther() throws {
      try member(3, in: other).tags = [try tag(1, in: other)]
      try other.save()
    }
    if isSavedFirst { try tagByOther() }
    context.delete(third)
    context.processPendingChanges()
    if !isSavedFirst { try tagByOther() }
    _ = try all(Owner.self, in: context)
    context.undoManager?.undo()
    #expect(try numbers(all(Member.self, in: context)) == [1, 2, 3])
    #expect(numbers(first.members) == [1, 3] && third.tags == [first])
    context.undoManager?.redo()
    #expect(try numbers(all(Member.self, in: context)) == [1, 2])
    #expect(numbers(first.members) == [1])
    try context.save()
    #expect(try numbers(tag(1, in: other).members) == [1])
  }

  @Test("Delete rules wait for the end of a merge that must change links, also with an undo manager")
  func rulesAfterMerge() throws {
    context.undoManager = UndoManager()
    let (first, mine) = (try member(1, in: context), try tag(1, in: context))
    #expect(numbers(mine.members) == [1])
    first.badge = try badge(1, in: context)
    context.delete(try member(3, in: context))
    context.processPendingChanges()
    try tag(1, in: other).members = [try member(2, in: other), try member(3, in: other)]
    try badge(2, in: other).member = try member(1, in: other)
    try other.save()
    try context.save()
    #expect(numbers(mine.members) == [2] && first.tags.isEmpty)
    #expect(first.badge?.number == 1)
  }
}
