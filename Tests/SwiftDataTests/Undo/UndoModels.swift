import Foundation
import TestSupport

@testable import SwiftData

/// Every shape of relationship and an inheritance, for tests of undo. No object changes its number.
enum UndoModels {
  @Model class Node {
    var number: Int
    var value = 0
    var note: String?
    var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    @Relationship(deleteRule: .cascade, inverse: \Badge.node) var badge: Badge?
    @Relationship(inverse: \Word.nodes) var words: [Word] = []
    /// Has no inverse.
    var things: [Thing] = []
    @Relationship(.ordered, inverse: \Step.node) var steps: [Step] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Leaf: Node {
    var colour = "green"
    var favourite: Word?

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Badge {
    var number: Int
    var node: Node?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Word {
    var number: Int
    var nodes: [Node] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Thing {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  @Model final class Step {
    var number: Int
    var node: Node?

    init(_ number: Int) { self.number = number }
  }

  static let types: [any PersistentModel.Type] = [
    Node.self, Leaf.self, Badge.self, Word.self, Thing.self, Step.self,
  ]

  /// All objects of a context with their values and links, by number.
  static func description(of context: ModelContext) throws -> [String] {
    func text(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: " ") }
    func sorted(_ numbers: [Int]) -> String { text(numbers.sorted()) }
    func one(_ number: Int?) -> String { number.map(String.init) ?? "-" }
    var lines: [String] = []
    for node in try context.fetch(FetchDescriptor<Node>()) {
      var line = "node \(node.number): \(node.value) \(node.note ?? "-") parent \(one(node.parent?.number))"
      line += " children \(sorted(node.children.map(\.number))) badge \(one(node.badge?.number))"
      line += " words \(sorted(node.words.map(\.number))) things \(sorted(node.things.map(\.number)))"
      line += " steps \(text(node.steps.map(\.number)))"
      if let leaf = node as? Leaf {
        // No delete rule clears a relationship without inverse; it reads as nil once the deletion is saved.
        let favourite = leaf.favourite.flatMap { $0.isDeleted ? nil : $0 }
        line += " \(leaf.colour) favourite \(one(favourite?.number))"
      }
      lines.append(line)
    }
    lines += try context.fetch(FetchDescriptor<Badge>()).map { "badge \($0.number): \(one($0.node?.number))" }
    lines += try context.fetch(FetchDescriptor<Word>()).map { "word \($0.number): \(sorted($0.nodes.map(\.number)))" }
    lines += try context.fetch(FetchDescriptor<Thing>()).map { "thing \($0.number)" }
    lines += try context.fetch(FetchDescriptor<Step>()).map { "step \($0.number): \(one($0.node?.number))" }
    return lines.sorted()
  }
}

/// Makes random changes of every kind.
struct RandomChanges {
  private var lastNumber = 0

  private mutating func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Inserts some objects.
  mutating func fill(_ context: ModelContext, _ random: inout SplitMix) {
    for _ in 0..<6 { context.insert(UndoModels.Word(next())) }
    for _ in 0..<6 { context.insert(UndoModels.Thing(next())) }
    for _ in 0..<10 { insertNode(context) }
    for _ in 0..<40 { change(context, &random) }
  }

  private mutating func insertNode(_ context: ModelContext) {
    let number = next()
    context.insert(number % 3 == 0 ? UndoModels.Leaf(number) : UndoModels.Node(number))
  }

  /// Makes one change.
  mutating func change(_ context: ModelContext, _ random: inout SplitMix) {
    func all<Model: PersistentModel>(_ type: Model.Type) -> [Model] {
      (try? context.fetch(FetchDescriptor<Model>())) ?? []
    }
    func any<Model: PersistentModel>(_ type: Model.Type) -> Model? { all(type).randomElement(using: &random) }
    guard let node = any(UndoModels.Node.self) else { return insertNode(context) }
    switch random.below(23) {
    case 0, 1: node.value = random.below(5)
    case 2: node.note = random.once(in: 2) ? nil : "note \(random.below(3))"
    case 3, 4:
      let parent = any(UndoModels.Node.self)
      node.parent = parent === node ? nil : parent
    case 5:
      if let child = any(UndoModels.Node.self), child !== node { node.children.append(child) }
    case 6: node.children = []
    case 7: node.badge = random.once(in: 3) ? nil : UndoModels.Badge(next())
    case 8: node.badge = any(UndoModels.Badge.self)
    case 9: if let badge = any(UndoModels.Badge.self) { badge.node = node }
    case 10: if let word = any(UndoModels.Word.self), !node.words.contains(word) { node.words.append(word) }
    case 11: any(UndoModels.Word.self)?.nodes = all(UndoModels.Node.self).filter { _ in random.once(in: 3) }
    case 12: node.words = all(UndoModels.Word.self).filter { _ in random.once(in: 3) }
    case 13:
      // A thing has one owner at most, so it is taken from its owner first.
      let things = all(UndoModels.Thing.self).filter { _ in random.once(in: 4) }
      for owner in all(UndoModels.Node.self) where owner.things.contains(where: things.contains) {
        owner.things.removeAll(where: things.contains)
      }
      node.things = things
    case 14: node.steps.append(UndoModels.Step(next()))
    case 15: node.steps.shuffle(using: &random)
    case 16: if let leaf = node as? UndoModels.Leaf { leaf.favourite = any(UndoModels.Word.self) }
    case 17:
      let graph = UndoModels.Node(next())
      let child = UndoModels.Leaf(next())
      child.words = [UndoModels.Word(next())]
      graph.children = [child]
      if random.once(in: 2) { graph.parent = node }
      context.insert(graph)
    case 18: insertNode(context)
    case 19: context.delete(node)
    case 20:
      if let word = any(UndoModels.Word.self) { context.delete(word) }
    case 21:
      // The searches apply delete rules.
      context.delete(node)
      if let other = any(UndoModels.Node.self), let step = any(UndoModels.Step.self) { step.node = other }
    default:
      if let step = any(UndoModels.Step.self), random.once(in: 2) { context.delete(step) }
      if let thing = any(UndoModels.Thing.self), random.once(in: 2) {
        for owner in all(UndoModels.Node.self) where owner.things.contains(thing) {
          owner.things.removeAll { $0 === thing }
        }
        context.delete(thing)
      }
      if let badge = any(UndoModels.Badge.self) { context.delete(badge) }
    }
  }
}
