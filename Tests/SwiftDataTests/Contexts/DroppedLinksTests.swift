import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A policy that drops the change of a relationship leaves the link that is stored, not the one that the context had read.
@Suite("Links whose change a policy drops", .everyEngine)
struct DroppedLinksTests {
  @Model final class Member {
    var name: String
    @Relationship(inverse: \Badge.member) var badge: Badge?
    init(_ name: String) { self.name = name }
  }

  @Model final class Badge {
    var name: String
    var member: Member?
    init(_ name: String) { self.name = name }
  }

  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Member.self, Badge.self]), store)
    let context = ModelContext(container)
    let members = ["a", "b", "c"].map(Member.init)
    members.forEach(context.insert)
    members[0].badge = Badge("x")
    members[1].badge = Badge("y")
    try context.save()
  }

  private func members(_ context: ModelContext) throws -> [Member] {
    try context.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test(
    "A partner that somebody else has taken is not taken back", arguments: [SaveConflictPolicy.keepStored, .rollback])
  func partner(policy: SaveConflictPolicy) throws {
    let (mine, other) = (ModelContext(container), ModelContext(container))
    mine.conflictPolicy = policy
    let (own, theirs) = (try members(mine), try members(other))
    #expect(own.map { $0.badge?.name } == ["x", "y", nil])
    theirs[2].badge = theirs[0].badge
    try other.save()
    own[0].badge = own[1].badge
    try mine.save()
    let saved = try members(ModelContext(container))
    #expect(saved[0].badge == nil && saved[2].badge?.name == "x" && saved[2].badge?.member === saved[2])
    #expect(own[0].badge == nil && own[2].badge?.name == "x" && !mine.hasChanges)
    if TestEngine.current == .file { try Oracle.expectSound(store.url, fresh: true) }
  }
}
