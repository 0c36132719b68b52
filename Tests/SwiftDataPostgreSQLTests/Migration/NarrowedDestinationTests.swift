import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A relationship that leads to a subclass of its former destination.
@Suite("A relationship with a narrower destination in a migration", TestServer.condition)
struct NarrowedDestinationTests {
  enum Wide: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Shelf.self, Item.self, Book.self, Film.self] }

    @Model final class Shelf {
      var name: String
      var items: [Item] = []
      @Relationship(inverse: \Item.readers) var readings: [Item] = []
      var first: Item?
      init(_ name: String) { self.name = name }
    }

    @Model class Item {
      var name: String
      var readers: [Shelf] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book: Item {
      var pages: Int = 0
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Film: Item {
      var minutes: Int = 0
      override init(_ name: String) { super.init(name) }
    }
  }

  /// Shelves have books only. Films are there, or are not.
  enum Narrow: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Shelf.self, Item.self, Book.self, Film.self] }

    @Model final class Shelf {
      var name: String
      var items: [Book] = []
      @Relationship(inverse: \Book.readers) var readings: [Book] = []
      var first: Book?
      init(_ name: String) { self.name = name }
    }

    @Model class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Book: Item {
      var pages: Int = 0
      var readers: [Shelf] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Film: Item {
      var minutes: Int = 0
      override init(_ name: String) { super.init(name) }
    }
  }

  enum NoFilms: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Shelf.self, Item.self, Book.self] }

    @Model final class Shelf {
      var name: String
      var items: [Item] = []
      @Relationship(inverse: \Item.readers) var readings: [Item] = []
      var first: Item?
      init(_ name: String) { self.name = name }
    }

    @Model class Item {
      var name: String
      var readers: [Shelf] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book: Item {
      var pages: Int = 0
      override init(_ name: String) { super.init(name) }
    }
  }

  enum WithoutFilms: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Wide.self, NoFilms.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Wide.self, toVersion: NoFilms.self)] }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil, inFile: Bool
  ) throws -> ModelContext {
    ModelContext(try inFile ? store.openFile(version, plan: plan) : store.open(version, plan: plan))
  }

  private func fill(films: Bool, inFile: Bool) throws {
    let context = try open(Wide.self, inFile: inFile)
    let (shelf, book, film) = (Wide.Shelf("shelf"), Wide.Book("book"), Wide.Film("film"))
    context.insert(shelf)
    context.insert(film)
    shelf.items = films ? [book, film] : [book]
    shelf.readings = films ? [book, film] : [book]
    shelf.first = films ? film : book
    try context.save()
  }

  @Test("Links to objects of the subclass stay", arguments: [false, true])
  func narrowed(inFile: Bool) throws {
    try fill(films: false, inFile: inFile)
    let context = try open(Narrow.self, inFile: inFile)
    let shelf = try #require(try context.fetch(FetchDescriptor<Narrow.Shelf>()).first)
    #expect(shelf.items.map(\.name) == ["book"] && shelf.readings.map(\.name) == ["book"])
    #expect(shelf.first?.name == "book" && shelf.first?.readers.map(\.name) == ["shelf"])
  }

  @Test("With a link to an object of another subclass, it is refused, and nothing changes", arguments: [false, true])
  func refused(inFile: Bool) throws {
    try fill(films: true, inFile: inFile)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open(Narrow.self, inFile: inFile) }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("1 link leads to an object of another entity") && message.contains("Book"), "\(message)")
    let context = try open(Wide.self, inFile: inFile)
    let shelf = try #require(try context.fetch(FetchDescriptor<Wide.Shelf>()).first)
    #expect(shelf.items.count == 2 && shelf.readings.count == 2 && shelf.first?.name == "film")
  }

  @Test("Links to objects of a class that goes are removed, and the others stay", arguments: [false, true])
  func removed(inFile: Bool) throws {
    try fill(films: true, inFile: inFile)
    let context = try open(NoFilms.self, WithoutFilms.self, inFile: inFile)
    let shelf = try #require(try context.fetch(FetchDescriptor<NoFilms.Shelf>()).first)
    #expect(shelf.items.map(\.name) == ["book"] && shelf.readings.map(\.name) == ["book"] && shelf.first == nil)
    #expect(try context.fetch(FetchDescriptor<NoFilms.Item>()).map(\.name) == ["book"])
  }
}
