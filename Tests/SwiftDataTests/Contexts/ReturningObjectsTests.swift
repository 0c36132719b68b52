import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Objects that are deleted and inserted again before a save.
@Suite("Deleted objects that come back", .everyEngine)
struct ReturningObjectsTests {
  typealias Node = UndoModels.Node
  typealias Step = UndoModels.Step

  /// When the context applies delete rules.
  enum Decision: CaseIterable { case never, fetch, processing }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext
  private let node = Node(1)
  private let other = Node(2)

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(UndoModels.types), store)
    context = ModelContext(container)
    node.badge = UndoModels.Badge(1)
    node.words = [UndoModels.Word(1), UndoModels.Word(2)]
    node.steps = (1...4).map { Step($0) }
    node.children = [Node(3), UndoModels.Leaf(4)]
    node.children[0].children = [Node(5)]
    node.things = [UndoModels.Thing(1)]
    other.words = [node.words[0]]
    context.insert(node)
    context.insert(other)
    try context.save()
  }

  private func decide(_ decision: Decision = .fetch) throws {
    switch decision {
    case .never: break
    case .fetch: _ = try context.fetchCount(FetchDescriptor<Step>())
    case .processing: context.processPendingChanges()
    }
  }

  /// The context shows the same after a save, and another context, too.
  private func expectSaved() throws {
    let shown = try UndoModels.description(of: context)
    try context.save()
    #expect(try UndoModels.description(of: context) == shown)
    #expect(try UndoModels.description(of: ModelContext(container)) == shown)
    if TestEngine.current == .file { try Oracle.expectSound(store.url, fresh: true) }
  }

  @Test(
    "All is as before, with what a cascade deleted, whether delete rules were applied or not",
    arguments: Decision.allCases, [false, true])
  func asBefore(decision: Decision, isLoaded: Bool) throws {
    let reading = isLoaded ? context : ModelContext(container)
    let before = try UndoModels.description(of: reading)
    let objects: [any PersistentModel] = [node, node.words[0], node.children[0]]
    for object in objects {
      context.delete(object)
      try decide(decision)
      context.insert(object)
      #expect(!context.hasChanges && !object.isDeleted)
      #expect(try UndoModels.description(of: context) == before)
    }
    try expectSaved()
  }

  @Test(
    "Members of an ordered list come back to their places in any order",
    arguments: [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
  func places(order: [Int]) throws {
    let steps = Array(node.steps[1...])
    for step in steps {
      context.delete(step)
      try decide()
    }
    #expect(node.steps.map(\.number) == [1])
    for index in order {
      context.insert(steps[index])
      #expect(node.steps.map(\.number) == node.steps.map(\.number).sorted())
    }
    #expect(node.steps.map(\.number) == [1, 2, 3, 4])
    try expectSaved()
  }

  @Test("A member that has gone to another owner meanwhile is there alone", arguments: [false, true])
  func movedMember(isAppended: Bool) throws {
    let (step, badge) = (node.steps[1], try #require(node.badge))
    context.delete(node)
    try decide()
    context.insert(badge)
    if isAppended { other.steps.append(step) } else { step.node = other }
    other.badge = badge
    context.insert(node)
    #expect(node.steps.map(\.number) == [1, 3, 4] && other.steps == [step] && step.node === other)
    #expect(node.badge == nil && badge.node === other)
    node.steps.append(step)
    #expect(node.steps.map(\.number) == [1, 3, 4, 2] && other.steps.isEmpty && step.node === node)
    try expectSaved()
  }

  @Test("Each assignment after the return counts")
  func assignment() throws {
    let (steps, words) = (node.steps, node.words)
    context.delete(node)
    try decide()
    context.insert(node)
    node.steps = Array(steps.reversed())
    steps[0].node = nil
    words[0].nodes = []
    node.words = words
    #expect(node.steps.map(\.number) == [4, 3, 2] && node.words.count == 2 && words[0].nodes == [node])
    try expectSaved()
  }

  @Test("What the program has deleted itself stays deleted")
  func deletedMembers() throws {
    let (word, child) = (node.words[0], node.children[0])
    for object in [word, child, node] as [any PersistentModel] {
      context.delete(object)
      try decide()
    }
    context.insert(node)
    #expect(word.isDeleted && child.isDeleted)
    #expect(node.words.map(\.number) == [2] && node.children.map(\.number) == [4])
    try expectSaved()
  }

  @Test("A deletion of what a cascade has deleted already stays, too", arguments: [false, true])
  func deletedTwice(isLate: Bool) throws {
    let (word, child) = (node.words[0], node.children[0])
    context.delete(node)
    if isLate { try decide() }
    for object in [word, child] as [any PersistentModel] { context.delete(object) }
    try decide()
    context.insert(node)
    #expect(word.isDeleted && child.isDeleted)
    #expect(node.words.map(\.number) == [2] && node.children.map(\.number) == [4])
    try expectSaved()
  }

  @Test("Unsaved members come back with their owner")
  func unsavedMembers() throws {
    let (child, word) = (Node(6), UndoModels.Word(6))
    child.children = [Node(7)]
    node.children.append(child)
    node.words.append(word)
    let before = try UndoModels.description(of: context)
    context.delete(node)
    try decide()
    #expect(child.modelContext == nil)
    context.insert(node)
    #expect(try UndoModels.description(of: context) == before)
    #expect(child.parent === node && word.nodes == [node])
    try expectSaved()
  }

  @Test("Only a member that comes back alone leaves its deleted owner")
  func memberAlone() throws {
    let child = node.children[0]
    context.delete(node)
    try decide()
    context.insert(child)
    #expect(child.parent == nil && !child.isDeleted)
    try expectSaved()
  }

  @Model final class Side {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Edge.left) var starting: [Edge] = []
    @Relationship(deleteRule: .cascade, inverse: \Edge.right) var ending: [Edge] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Edge {
    var left: Side?
    var right: Side?
    init() {}
  }

  @Test("An object that two cascades have deleted comes back with the second one")
  func twoCascades() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Side.self, Edge.self]), store)
    let context = ModelContext(container)
    let (left, right, edge) = (Side("left"), Side("right"), Edge())
    (edge.left, edge.right) = (left, right)
    context.insert(edge)
    try context.save()
    context.delete(left)
    context.processPendingChanges()
    context.delete(right)
    context.processPendingChanges()
    context.insert(left)
    #expect(edge.isDeleted && left.starting.isEmpty)
    context.insert(right)
    #expect(!edge.isDeleted && right.ending == [edge] && edge.right === right)
    #expect(left.starting == [edge] && edge.left === left)
    try context.save()
    let saved = try #require(try ModelContext(container).fetch(FetchDescriptor<Edge>()).first)
    #expect(saved.left?.name == "left" && saved.right?.name == "right")
  }

  @Test("What others have saved meanwhile is shown, and both sides agree")
  func othersChanges() throws {
    let (steps, words) = (node.steps, node.words)
    let others = ModelContext(container)
    let nodes = try others.fetch(FetchDescriptor<Node>())
    let (theirs, second) = (try #require(nodes.first { $0.number == 1 }), try #require(nodes.first { $0.number == 2 }))
    context.delete(node)
    try decide()
    second.steps.append(theirs.steps[0])
    theirs.words.removeAll { $0.number == 2 }
    others.delete(try #require(theirs.steps.first { $0.number == 3 }))
    try others.save()
    try decide()
    context.insert(node)
    #expect(node.steps.map(\.number) == [2, 4] && node.words.map(\.number) == [1])
    #expect(steps.map { $0.node === node } == [false, true, false, true])
    #expect(words.map { $0.nodes.contains(node) } == [true, false])
    try expectSaved()
  }
}
