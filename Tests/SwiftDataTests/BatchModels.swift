import Foundation
import StoreRequests
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

/// Models for changes by predicates: every delete rule over every kind of relationship, in a hierarchy.
enum BatchModels {
  /// A tree whose nodes go with their parent.
  @Model class Node {
    @Attribute(.preserveValueOnDeletion) var name: String
    var size: Int
    var ratio = 1.5
    var isOld = false
    var changed: Date?
    var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    @Relationship(deleteRule: .nullify, inverse: \Note.node) var notes: [Note] = []
    @Attribute(.derived("notes.@count")) var noteCount: Int = 0

    init(_ name: String, size: Int) {
      self.name = name
      self.size = size
    }
  }

  @Model final class Folder: Node {
    @Relationship(.ordered, deleteRule: .cascade, inverse: \Page.folder) var pages: [Page] = []
    @Relationship(inverse: \Label.folders) var labels: [Label] = []
    /// Goes with its folder, and has no inverse.
    @Relationship(deleteRule: .cascade) var stamps: [Stamp] = []
    @Relationship(inverse: \Folder.friendOf) var friends: [Folder] = []
    var friendOf: [Folder] = []
    @Relationship(deleteRule: .noAction, inverse: \Shelf.folder) var shelf: Shelf?
    override init(_ name: String, size: Int) { super.init(name, size: size) }
  }

  @Model final class Leaf: Node {
    @Relationship(deleteRule: .nullify, inverse: \Cover.leaf) var cover: Cover?
    @Relationship(deleteRule: .deny, inverse: \Lock.leaf) var locks: [Lock] = []
    @Attribute(.externalStorage) var picture: Data?
    override init(_ name: String, size: Int) { super.init(name, size: size) }
  }

  @Model final class Note {
    var text: String
    @Relationship(.ordered, inverse: \Mark.notes) var marks: [Mark] = []
    var node: Node?
    init(_ text: String) { self.text = text }
  }

  @Model final class Mark {
    var word: String
    @Relationship(.ordered) var notes: [Note] = []
    init(_ word: String) { self.word = word }
  }

  @Model final class Page {
    @Attribute(.unique) var number: Int
    var folder: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Cover.page) var cover: Cover?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Cover {
    var colour: String
    var leaf: Leaf?
    var page: Page?
    @Attribute(.derived("now()")) var saved: Date?
    init(_ colour: String) { self.colour = colour }
  }

  @Model final class Label {
    var word: String
    var folders: [Folder] = []
    init(_ word: String) { self.word = word }
  }

  @Model final class Stamp {
    var value: Int
    init(_ value: Int) { self.value = value }
  }

  @Model final class Shelf {
    var place: Int
    var folder: Folder?
    init(_ place: Int) { self.place = place }
  }

  @Model final class Lock {
    var code: Int
    var leaf: Leaf
    init(_ code: Int, on leaf: Leaf) {
      self.code = code
      self.leaf = leaf
    }
  }

  static let types: [any PersistentModel.Type] = [
    Node.self, Folder.self, Leaf.self, Note.self, Mark.self, Page.self, Cover.self, Label.self, Stamp.self, Shelf.self,
    Lock.self,
  ]
}

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

  /// Every row of every table, without the names of files and the times of saves.
  func rows() throws -> [String] {
    let names = try PlainSQL.rows(store.url, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    var lines: [String] = []
    for case .text(let table) in names.compactMap(\.first) where !table.hasPrefix("sqlite_") && table != "Z_METADATA" {
      if ["ATRANSACTIONSTRING", "Z_MODELCACHE"].contains(table) { continue }
      let columns = try PlainSQL.rows(store.url, "SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
        .compactMap { row in if case .text(let name)? = row.first { name } else { nil } }
        .filter { !["ZSAVED", "ZTIMESTAMP"].contains($0) && !(table == "ACHANGE" && $0 == "Z_PK") }
        .map { $0 == "ZPICTURE" ? "length(ZPICTURE)" : "\"\($0)\"" }
      lines += try PlainSQL.rows(store.url, "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\"").map {
        "\(table): \($0)"
      }
    }
    let folder = store.folder.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return lines.sorted() + ["\(files.count) files"]
  }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try Oracle.checkStore(store.url, fresh: true)
    #expect(report.status == 0, "\(report.output)", sourceLocation: sourceLocation)
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
