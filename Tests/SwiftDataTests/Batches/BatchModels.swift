import Foundation
import SwiftData

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
