import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Chains of objects that are longer than a stack is deep")
struct LongChainTests {
  @Model final class Bead {
    @Relationship(deleteRule: .cascade, inverse: \Bead.previous) var next: Bead?
    var previous: Bead?
    init() {}
  }

  @Model final class Branch {
    @Relationship(deleteRule: .cascade, inverse: \Branch.parent) var branches: [Branch] = []
    var parent: Branch?
    init() {}
  }

  /// Objects that released one another would need more than a hundred bytes of stack each.
  private static let length = 3_000
  private static let stackSize = 128 * 1024

  /// How objects leave memory.
  enum Ending: CaseIterable { case rollback, deletion, release }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Bead.self, Branch.self]), store)
  }

  /// Runs a closure with a new context on a thread with a small stack.
  private func run(_ body: @escaping @Sendable (ModelContext) throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let thread = Thread { [container] in
        let result = Result { try body(ModelContext(container)) }
        done.resume(with: result)
      }
      thread.stackSize = Self.stackSize
      thread.start()
    }
  }

  private static func end(_ ending: Ending, _ context: ModelContext, _ last: some PersistentModel) {
    switch ending {
    case .rollback: context.rollback()
    case .deletion: context.delete(last)
    case .release: break
    }
  }

  @Test("Objects in no context are released")
  func detached() async throws {
    try await run { _ in
      var last = Bead()
      for _ in 0..<Self.length {
        let bead = Bead()
        bead.next = last
        last = bead
      }
      var whole = Branch()
      for _ in 0..<Self.length {
        let branch = Branch()
        branch.branches = [whole]
        whole = branch
      }
      for _ in 0..<Self.length {
        let branch = Branch()
        branch.branches.append(whole)
        whole = branch
      }
    }
  }

  @Test("Unsaved objects with relationships to one are released", arguments: Ending.allCases)
  func toOne(ending: Ending) async throws {
    try await run { context in
      var last = Bead()
      context.insert(last)
      for _ in 0..<Self.length {
        let bead = Bead()
        context.insert(bead)
        bead.next = last
        last = bead
      }
      Self.end(ending, context, last)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bead>()) == 0)
  }

  @Test("Unsaved objects with relationships to many are released", arguments: Ending.allCases)
  func toMany(ending: Ending) async throws {
    try await run { context in
      var last = Branch()
      context.insert(last)
      for _ in 0..<Self.length {
        let branch = Branch()
        context.insert(branch)
        branch.branches = [last]
        last = branch
      }
      Self.end(ending, context, last)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Branch>()) == 0)
  }

  @Test("Deleted objects that hold one another as members are released")
  func deleted() async throws {
    try await run { context in
      var last = Branch()
      for _ in 0..<500 {
        let branch = Branch()
        branch.branches = [last]
        last = branch
      }
      context.insert(last)
      try context.save()
      context.delete(last)
      try context.save()
      #expect(last.isDeleted && last.branches.count == 1)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Branch>()) == 0)
  }
}
