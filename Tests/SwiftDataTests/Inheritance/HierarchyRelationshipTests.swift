import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A base class whose subclasses declare relationships of their own, at the same property indexes.
enum HierarchyModels {
  @Model class Node {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Note.node) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Left: Node {
    @Relationship(deleteRule: .cascade, inverse: \Part.left) var parts: [Part] = []
    var favourite: Part?
    override init(_ name: String) { super.init(name) }
  }

  @Model final class Right: Node {
    @Relationship(deleteRule: .cascade, inverse: \Part.right) var parts: [Part] = []
    /// Has no inverse.
    @Relationship(deleteRule: .cascade) var extras: [Extra] = []
    override init(_ name: String) { super.init(name) }
  }

  @Model final class Part {
    var name: String
    var left: Left?
    var right: Right?
    init(_ name: String) { self.name = name }
  }

  @Model final class Extra {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Note {
    var text: String
    var node: Node?
    init(_ text: String) { self.text = text }
  }

  static let types: [any PersistentModel.Type] = [
    Node.self, Left.self, Right.self, Part.self, Extra.self, Note.self,
  ]
}

@Suite("Relationships that sibling subclasses declare", .everyEngine)
struct HierarchyRelationshipTests {
  typealias Node = HierarchyModels.Node
  typealias Left = HierarchyModels.Left
  typealias Right = HierarchyModels.Right
  typealias Part = HierarchyModels.Part
  typealias Extra = HierarchyModels.Extra
  typealias Note = HierarchyModels.Note

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(HierarchyModels.types), store)
  }

  private func check() throws {
    guard Fixtures.areAvailable, TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true)
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  @Test("Reading a relationship of one subclass leaves the siblings' relationships alone")
  func siblings() throws {
    let writer = ModelContext(container)
    let (left, right) = (Left("a"), Right("b"))
    left.parts = [Part("l")]
    right.parts = [Part("r1"), Part("r2")]
    right.extras = [Extra("e")]
    right.notes = [Note("n")]
    writer.insert(left)
    writer.insert(right)
    try writer.save()

    let context = ModelContext(container)
    let nodes = try context.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)]))
    let readLeft = try #require(nodes.first as? Left)
    let readRight = try #require(nodes.last as? Right)
    #expect(readLeft.parts.map(\.name) == ["l"] && readLeft.favourite == nil)
    #expect(readRight.parts.map(\.name).sorted() == ["r1", "r2"])
    #expect(readRight.extras.map(\.name) == ["e"] && readRight.notes.map(\.text) == ["n"])
    context.delete(readRight)
    try context.save()
    #expect(try count(Part.self) == 1 && count(Extra.self) == 0 && count(Note.self) == 0)
    try check()
  }

  @Test("A moved member is reloaded only for the class that declares its relationship")
  func exclusiveOwnership() throws {
    let writer = ModelContext(container)
    let rights = [Right("a"), Right("b")]
    let left = Left("c")
    left.parts = [Part("p")]
    let extra = Extra("e")
    rights[0].extras = [extra]
    for node in rights as [Node] + [left] { writer.insert(node) }
    try writer.save()
    #expect(left.parts.count == 1)
    rights[1].extras = [extra]
    try writer.save()
    #expect(rights[0].extras.isEmpty && rights[1].extras == [extra] && left.parts.count == 1)
    try check()
  }

  /// A simple model of the graph, kept beside the context.
  private struct Twin {
    var kinds: [String: String] = [:]
    var parts: [String: Set<String>] = [:]
    var notes: [String: Set<String>] = [:]
    var extras: [String: Set<String>] = [:]
  }

  @Test(
    "Random changes of a hierarchy's relationships: the store agrees with a simple model",
    arguments: 0..<(FullTests.areWanted ? 12 : 6) as Range<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var twin = Twin()
    var next = 0
    func name() -> String {
      next += 1
      return "\(next)"
    }
    for round in 0..<6 {
      // A fresh context for each round begins with unloaded relationships.
      let context = ModelContext(container)
      var nodes = Dictionary(
        uniqueKeysWithValues: try context.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)])).map {
          ($0.name, $0)
        })
      for _ in 0..<14 {
        let known = nodes.keys.sorted()
        let chosen = known.randomElement(using: &random).flatMap { nodes[$0] }
        switch (Int.random(in: 0..<9, using: &random), chosen) {
        case (0...2, _), (_, nil):
          let new = name()
          let node: Node = Bool.random(using: &random) ? Left(new) : Right(new)
          context.insert(node)
          nodes[new] = node
          twin.kinds[new] = node is Left ? "left" : "right"
        case (3...4, let node?):
          let part = name()
          if let left = node as? Left { left.parts.append(Part(part)) }
          if let right = node as? Right { right.parts.append(Part(part)) }
          twin.parts[node.name, default: []].insert(part)
        case (5, let node?):
          let note = name()
          node.notes.append(Note(note))
          twin.notes[node.name, default: []].insert(note)
        case (6, let node?):
          guard let right = node as? Right else { continue }
          let extra = name()
          right.extras.append(Extra(extra))
          twin.extras[node.name, default: []].insert(extra)
        case (7, let node?):
          // One part moves to another node of the same class.
          let others = known.filter { twin.kinds[$0] == twin.kinds[node.name] && $0 != node.name }
          guard let other = others.randomElement(using: &random).flatMap({ nodes[$0] }),
            let part = twin.parts[node.name]?.min()
          else { continue }
          if let from = node as? Left, let to = other as? Left {
            from.parts.first { $0.name == part }?.left = to
          }
          if let from = node as? Right, let to = other as? Right {
            to.parts += from.parts.filter { $0.name == part }
          }
          twin.parts[node.name]?.remove(part)
          twin.parts[other.name, default: []].insert(part)
        case (_, let node?):
          let gone = node.name
          context.delete(node)
          nodes[gone] = nil
          twin.kinds[gone] = nil
          twin.parts[gone] = nil
          twin.notes[gone] = nil
          twin.extras[gone] = nil
        }
      }
      try context.save()
      try compare(twin, round: round)
    }
    try check()
  }

  private func compare(_ twin: Twin, round: Int) throws {
    let context = ModelContext(container)
    let nodes = try context.fetch(FetchDescriptor<Node>())
    #expect(Set(nodes.map(\.name)) == Set(twin.kinds.keys), "round \(round)")
    for node in nodes {
      let parts = (node as? Left)?.parts ?? (node as? Right)?.parts ?? []
      #expect(Set(parts.map(\.name)) == twin.parts[node.name] ?? [], "round \(round), node \(node.name)")
      #expect(Set(node.notes.map(\.text)) == twin.notes[node.name] ?? [], "round \(round), node \(node.name)")
      let extras = (node as? Right)?.extras ?? []
      #expect(Set(extras.map(\.name)) == twin.extras[node.name] ?? [], "round \(round), node \(node.name)")
    }
    #expect(try count(Part.self) == twin.parts.values.reduce(0) { $0 + $1.count }, "round \(round)")
    #expect(try count(Note.self) == twin.notes.values.reduce(0) { $0 + $1.count }, "round \(round)")
    #expect(try count(Extra.self) == twin.extras.values.reduce(0) { $0 + $1.count }, "round \(round)")
  }
}
