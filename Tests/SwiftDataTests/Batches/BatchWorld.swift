import Foundation
import SwiftData
import TestSupport
import Testing

/// A store with random objects of ``BatchModels``: equal seeds give equal rows.
struct BatchWorld {
  typealias Node = BatchModels.Node

  let store: TemporaryStore
  let container: ModelContainer

  init(seed: UInt64, count: Int = 24, locks: Bool = false) throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(BatchModels.types), store)
    var random = SplitMix(seed: seed)
    let context = ModelContext(container)
    func some<Element>(_ elements: [Element], _ count: Int) -> [Element] {
      elements.isEmpty ? [] : (0..<random.below(count + 1)).map { _ in elements[random.below(elements.count)] }
    }
    let labels = (0..<4).map { BatchModels.Label("label \($0)") }
    let marks = (0..<4).map { BatchModels.Mark("mark \($0)") }
    for label in labels { context.insert(label) }
    for mark in marks { context.insert(mark) }
    var nodes: [Node] = []
    for index in 0..<count {
      let node: Node
      switch random.below(3) {
      case 0: node = Node("node \(index)", size: random.below(10))
      case 1:
        let folder = BatchModels.Folder("folder \(index)", size: random.below(10))
        context.insert(folder)
        folder.pages = (0..<random.below(4)).map { BatchModels.Page(index * 10 + $0) }
        for page in folder.pages where random.below(2) == 0 { page.cover = BatchModels.Cover("page \(page.number)") }
        folder.labels = Array(Set(some(labels, 3).map(\.word))).sorted().compactMap { word in
          labels.first { $0.word == word }
        }
        folder.stamps = (0..<random.below(3)).map { BatchModels.Stamp(index * 10 + $0) }
        folder.friends = some(nodes.compactMap { $0 as? BatchModels.Folder }, 1)
        if random.below(3) == 0 { folder.shelf = BatchModels.Shelf(index) }
        node = folder
      default:
        let leaf = BatchModels.Leaf("leaf \(index)", size: random.below(10))
        context.insert(leaf)
        if random.below(2) == 0 { leaf.cover = BatchModels.Cover("leaf \(index)") }
        if random.below(3) == 0 { leaf.picture = Data(repeating: UInt8(index & 255), count: 200_000) }
        if locks, random.below(4) == 0 { context.insert(BatchModels.Lock(index, on: leaf)) }
        node = leaf
      }
      context.insert(node)
      if let parent = some(nodes, 1).first { node.parent = parent }
      for number in 0..<random.below(3) {
        let note = BatchModels.Note("note \(index) \(number)")
        context.insert(note)
        note.node = node
        note.marks = some(marks, 1)
      }
      nodes.append(node)
    }
    try context.save()
  }
}

/// Expects two lists of lines to be equal, and shows the lines that differ.
func expectEqualRows(_ left: [String], _ right: [String], sourceLocation: SourceLocation = #_sourceLocation) {
  guard left != right else { return }
  let difference = right.difference(from: left).map { change in
    switch change {
    case .insert(_, let line, _): "+ \(line)"
    case .remove(_, let line, _): "- \(line)"
    }
  }
  Issue.record(
    "\(difference.sorted { $0.dropFirst() < $1.dropFirst() }.prefix(20).joined(separator: "\n"))",
    sourceLocation: sourceLocation)
}
