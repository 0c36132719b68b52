import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// To-many relationships whose inverses name other relationships, as an old Core Data model may have them.
enum CrossedModels {
  @Model final class Left {
    @Relationship(.inverse(named: "b2", of: "Right")) var a1: [Right] = []
    @Relationship(.inverse(named: "b1", of: "Right")) var a2: [Right] = []
    init() {}
  }

  @Model final class Right {
    @Relationship(.inverse(named: "a1", of: "Left")) var b1: [Left] = []
    @Relationship(.inverse(named: "a2", of: "Left")) var b2: [Left] = []
    init() {}
  }
}

@Suite(.damagesStores("inverses that name other relationships, in an order of columns of our own"), .everyEngine)
struct CrossedInversesTests {
  @Test("CD-3.3 A save writes the members of each relationship whose inverse names another one")
  func members() throws {
    let store = try TemporaryStore()
    let schema = Schema([CrossedModels.Left.self, CrossedModels.Right.self])
    let container = try TestEngine.current.container(schema, store)
    let context = ModelContext(container)
    let (left, right) = (CrossedModels.Left(), CrossedModels.Right())
    context.insert(left)
    context.insert(right)
    try context.save()
    func counts() throws -> [Int] {
      let fresh = ModelContext(container)
      let left = try #require(try fresh.fetch(FetchDescriptor<CrossedModels.Left>()).first)
      let right = try #require(try fresh.fetch(FetchDescriptor<CrossedModels.Right>()).first)
      return [left.a1.count, left.a2.count, right.b1.count, right.b2.count]
    }
    // The change of one side sets its own inverse only.
    right.b1 = [left]
    try context.save()
    #expect(try counts() == [1, 0, 1, 0])
    left.a2 = [right]
    right.b2 = [left]
    try context.save()
    #expect(try counts() == [1, 1, 1, 1])
  }
}
