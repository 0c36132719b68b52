import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// The models of the context's tests: every shape of relationship, and an inheritance.
enum ContextLibrary {
  @Model final class Author {
    @Attribute(.unique) var name: String
    var born: Int?
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(_ name: String, born: Int? = nil) {
      self.name = name
      self.born = born
    }
  }

  @Model final class Book {
    var title: String
    var pages = 0
    var author: Author?
    @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    @Relationship(inverse: \Cover.book) var cover: Cover?

    init(_ title: String, pages: Int = 0, author: Author? = nil) {
      self.title = title
      self.pages = pages
      self.author = author
    }
  }

  @Model final class Chapter {
    var heading: String
    var book: Book?

    init(_ heading: String) { self.heading = heading }
  }

  @Model final class Tag {
    var word: String
    var books: [Book] = []

    init(_ word: String) { self.word = word }
  }

  @Model final class Cover {
    var colour: String
    var book: Book?

    init(_ colour: String) { self.colour = colour }
  }

  /// Denies its deletion while it has boxes; each box needs a room.
  @Model final class Room {
    var number: Int
    @Relationship(deleteRule: .deny, inverse: \Box.room) var boxes: [Box] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Box {
    var label: String
    var room: Room
    /// Has no inverse.
    var content: [Thing] = []

    init(_ label: String, in room: Room) {
      self.label = label
      self.room = room
    }
  }

  @Model class Thing {
    var weight: Double

    init(weight: Double) { self.weight = weight }
  }

  @Model final class Lamp: Thing {
    var watts: Int

    init(weight: Double, watts: Int) {
      self.watts = watts
      super.init(weight: weight)
    }
  }

  @Model final class Vase: Thing {
    var material: String

    init(weight: Double, material: String) {
      self.material = material
      super.init(weight: weight)
    }
  }

  static let types: [any PersistentModel.Type] = [
    Author.self, Book.self, Chapter.self, Tag.self, Cover.self, Room.self, Box.self, Thing.self, Lamp.self, Vase.self,
  ]

  /// A container on a fresh store of the current engine, usually on disk.
  static func container(_ store: TemporaryStore) throws -> ModelContainer {
    try TestEngine.current.container(Schema(types), store)
  }
}

typealias Author = ContextLibrary.Author
typealias Book = ContextLibrary.Book
typealias Chapter = ContextLibrary.Chapter
typealias Tag = ContextLibrary.Tag
typealias Cover = ContextLibrary.Cover
typealias Room = ContextLibrary.Room
typealias Box = ContextLibrary.Box
typealias Thing = ContextLibrary.Thing
typealias Lamp = ContextLibrary.Lamp
typealias Vase = ContextLibrary.Vase

/// A fresh store on disk with a context, verified by other contexts and by the checker.
struct World {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init(file: String = #fileID) throws {
    store = try TemporaryStore(file: file)
    container = try ContextLibrary.container(store)
    context = ModelContext(container)
  }

  /// A new context.
  var fresh: ModelContext { ModelContext(container) }

  /// Runs the independent checker on the store.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }
}

extension ModelContext {
  func all<Model: PersistentModel>(_ type: Model.Type = Model.self) throws -> [Model] {
    try fetch(FetchDescriptor<Model>())
  }

  func first<Model: PersistentModel>(_ type: Model.Type, where predicate: Predicate<Model>) throws -> Model? {
    try fetch(FetchDescriptor(predicate: predicate)).first
  }
  /// Whether a to-one relationship, which was not read yet, has a key whose row is missing. It reads as `nil`.
  func hasKeyWithoutRow(_ object: some PersistentModel, _ property: String) -> Bool {
    var reader = LinkReader()
    guard let index = core.binding(of: object)?.index(of: property) else { return false }
    object._$visit(index, &reader)
    guard case .key = reader.content else { return false }
    return core.destination(of: object, at: index) == nil
  }
}
