import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Relationships that move between a class and its subclasses.
@Suite("A relationship that moves up or down in a migration", TestServer.condition)
struct MovedRelationshipTests {
  /// The superclass has the relationships.
  enum Above: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Item.self, Book.self, Film.self, Tag.self, Shelf.self, Label.self]
    }

    @Model class Item {
      var name: String
      @Relationship(deleteRule: .cascade) var tags: [Tag] = []
      var labels: [Label] = []
      var shelf: Shelf?
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

    @Model final class Tag {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Label {
      var name: String
      @Relationship(inverse: \Item.labels) var items: [Item] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Shelf {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// Each subclass has relationships of its own; a film may stand on several shelves.
  enum Below: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Item.self, Book.self, Film.self, Tag.self, Shelf.self, Label.self]
    }

    @Model class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Book: Item {
      var pages: Int = 0
      @Relationship(deleteRule: .cascade) var tags: [Tag] = []
      @Relationship(inverse: \Label.books) var labels: [Label] = []
      var shelf: Shelf?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Film: Item {
      var minutes: Int = 0
      @Relationship(deleteRule: .cascade) var tags: [Tag] = []
      @Relationship(inverse: \Label.films) var labels: [Label] = []
      @Relationship(originalName: "shelf", inverse: \Shelf.films) var shelves: [Shelf] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Tag {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Label {
      var name: String
      var books: [Book] = []
      var films: [Film] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Shelf {
      var name: String
      var films: [Film] = []
      init(_ name: String) { self.name = name }
    }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func open(_ version: any VersionedSchema.Type, inFile: Bool) throws -> ModelContext {
    ModelContext(try inFile ? store.openFile(version) : store.open(version))
  }

  private func names<Model: PersistentModel>(_ models: [Model], _ name: (Model) -> String) -> [String] {
    models.map(name).sorted()
  }

  @Test(
    "Down, into each subclass: the links of its objects stay, those of the superclass go", arguments: [false, true])
  func down(inFile: Bool) throws {
    let old = try open(Above.self, inFile: inFile)
    let shelves = ["one", "two"].map { Above.Shelf($0) }
    let labels = ["red", "blue"].map { Above.Label($0) }
    for model in shelves { old.insert(model) }
    for model in labels { old.insert(model) }
    for (index, item) in [Above.Item("item"), Above.Book("book"), Above.Film("film")].enumerated() {
      old.insert(item)
      item.tags = [Above.Tag("\(item.name) 1"), Above.Tag("\(item.name) 2")]
      item.labels = labels
      item.shelf = shelves[index % 2]
    }
    try old.save()

    func check() throws {
      let new = try open(Below.self, inFile: inFile)
      let book = try #require(try new.fetch(FetchDescriptor<Below.Book>()).first)
      #expect(names(book.tags, \.name) == ["book 1", "book 2"])
      #expect(names(book.labels, \.name) == ["blue", "red"] && book.shelf?.name == "two")
      let film = try #require(try new.fetch(FetchDescriptor<Below.Film>()).first)
      #expect(names(film.tags, \.name) == ["film 1", "film 2"])
      #expect(names(film.labels, \.name) == ["blue", "red"] && names(film.shelves, \.name) == ["one"])
      let labels = try new.fetch(FetchDescriptor<Below.Label>())
      #expect(labels.map { $0.books.count } == [1, 1] && labels.map { $0.films.count } == [1, 1])
    }
    try check()
    // What no object has any more keeps its row, and is in nobody's way.
    let new = try open(Below.self, inFile: inFile)
    #expect(try new.fetchCount(FetchDescriptor<Below.Tag>()) == 6)
    for item in try new.fetch(FetchDescriptor<Below.Item>()) { new.delete(item) }
    try new.save()
    #expect(names(try new.fetch(FetchDescriptor<Below.Tag>()), \.name) == ["item 1", "item 2"])
  }

  @Test("Up, from each subclass: all links stay", arguments: [false, true])
  func up(inFile: Bool) throws {
    let old = try open(Below.self, inFile: inFile)
    let label = Below.Label("red")
    old.insert(label)
    let (book, film) = (Below.Book("book"), Below.Film("film"))
    old.insert(book)
    old.insert(film)
    book.tags = [Below.Tag("book 1"), Below.Tag("book 2")]
    film.tags = [Below.Tag("film 1")]
    book.labels = [label]
    film.labels = [label]
    book.shelf = Below.Shelf("one")
    try old.save()

    let new = try open(Above.self, inFile: inFile)
    let items = try new.fetch(FetchDescriptor<Above.Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.map { names($0.tags, \.name) } == [["book 1", "book 2"], ["film 1"]])
    #expect(items.map { names($0.labels, \.name) } == [["red"], ["red"]])
    #expect(items.map { $0.shelf?.name } == ["one", nil])
    #expect(names(try new.fetch(FetchDescriptor<Above.Label>()).flatMap(\.items), \.name) == ["book", "film"])
  }

  @Test(
    "Up, where one object is a member of two subclasses' objects: refused with the number", arguments: [false, true])
  func upWithTwoOwners(inFile: Bool) throws {
    let old = try open(Below.self, inFile: inFile)
    let (book, film, tag) = (Below.Book("book"), Below.Film("film"), Below.Tag("both"))
    old.insert(book)
    old.insert(film)
    book.tags = [tag]
    film.tags = [tag]
    try old.save()
    // The store's version is the newer one.
    let error = #expect(throws: SwiftDataError.backwardMigration) { _ = try open(Above.self, inFile: inFile) }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("tags") && message.contains("1 row"), "\(message)")
    let same = try open(Below.self, inFile: inFile)
    #expect(try same.fetch(FetchDescriptor<Below.Film>()).first?.tags.map(\.name) == ["both"])
  }
}
