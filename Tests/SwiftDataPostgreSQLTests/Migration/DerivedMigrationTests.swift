import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Migrations to models with derived attributes have the result that they have over SQLite.
@Suite("Migration of derived attributes in a PostgreSQL store", TestServer.condition)
struct DerivedMigrationTests {
  enum Plain: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Shelf.self, Book.self] }

    @Model final class Shelf {
      var name: String
      @Relationship(inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var title: String
      var pages: Int
      var shelf: Shelf?
      init(_ title: String, _ pages: Int) {
        self.title = title
        self.pages = pages
      }
    }
  }

  enum Deriving: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Shelf.self, Book.self] }

    @Model final class Shelf {
      var name: String
      @Attribute(.derived("books.@count")) var size: Int = 0
      @Attribute(.derived("sum:(books.pages)")) var amount: Int = 0
      @Relationship(inverse: \Book.shelf) var books: [Book] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var title: String
      var pages: Int
      @Attribute(.derived("canonical:(title)")) var plain: String?
      @Attribute(.derived("uppercase:(shelf.name)")) var place: String?
      @Attribute(.derived("pages")) var copy: Int = 0
      var shelf: Shelf?
      init(_ title: String, _ pages: Int) {
        self.title = title
        self.pages = pages
      }
    }
  }

  enum Renamed: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Rack.self, Volume.self] }

    @Model(originalName: "Shelf") final class Rack {
      @Attribute(originalName: "name") var label: String
      @Attribute(.derived("volumes.@count")) var size: Int = 0
      @Attribute(.derived("max:(volumes.pages)")) var amount: Int = 0
      @Relationship(originalName: "books", inverse: \Volume.rack) var volumes: [Volume] = []
      init(_ label: String) { self.label = label }
    }

    @Model(originalName: "Book") final class Volume {
      var title: String
      var pages: Int
      var plain: String?
      @Attribute(.derived("lowercase:(rack.label)")) var place: String?
      @Relationship(originalName: "shelf") var rack: Rack?
      init(_ title: String, _ pages: Int) {
        self.title = title
        self.pages = pages
      }
    }
  }

  private struct Twin {
    let folder: TemporaryStore
    let engine: TestEngine

    func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
      try engine.container(Schema(versionedSchema: version), folder)
    }
  }

  @Test("New, changed and former derived attributes have the values of SQLite, and follow later changes")
  func twins() throws {
    var dumps: [[String]] = []
    for engine in [TestEngine.file, .postgreSQL] {
      let twin = Twin(folder: try TemporaryStore(), engine: engine)
      func fill() throws {
        let context = ModelContext(try twin.open(Plain.self))
        for name in ["Éa", "straße", "plain"] {
          let shelf = Plain.Shelf(name)
          context.insert(shelf)
          for number in 1...3 { shelf.books.append(Plain.Book("Ç\(name) \(number)", number * 10)) }
        }
        context.insert(Plain.Book("alone", 1))
        try context.save()
      }
      func derive() throws -> [String] {
        let container = try twin.open(Deriving.self)
        func lines() throws -> [String] {
          let context = ModelContext(container)
          return try context.fetch(FetchDescriptor<Deriving.Shelf>()).map { "\($0.name) \($0.size) \($0.amount)" }
            .sorted()
            + context.fetch(FetchDescriptor<Deriving.Book>()).map {
              "\($0.title) \($0.plain ?? "-") \($0.place ?? "-") \($0.copy)"
            }.sorted()
        }
        let first = try lines()
        let context = ModelContext(container)
        let shelf = try #require(
          try context.fetch(FetchDescriptor<Deriving.Shelf>(predicate: #Predicate { $0.name == "straße" })).first)
        shelf.name = "größe"
        shelf.books.removeLast()
        try context.save()
        return try first + lines()
      }
      func rename() throws -> [String] {
        let container = try twin.open(Renamed.self)
        let context = ModelContext(container)
        func lines() throws -> [String] {
          let context = ModelContext(container)
          return try context.fetch(FetchDescriptor<Renamed.Rack>()).map { "\($0.label) \($0.size) \($0.amount)" }
            .sorted()
            + context.fetch(FetchDescriptor<Renamed.Volume>()).map {
              "\($0.title) \($0.plain ?? "-") \($0.place ?? "-")"
            }.sorted()
        }
        let first = try lines()
        let rack = try #require(
          try context.fetch(FetchDescriptor<Renamed.Rack>(predicate: #Predicate { $0.label == "plain" })).first)
        rack.label = "ÄB"
        rack.volumes.append(Renamed.Volume("new", 99))
        try context.save()
        return try first + lines()
      }
      try fill()
      dumps.append(try derive() + rename())
    }
    #expect(dumps[0] == dumps[1])
    #expect(dumps[0].contains { $0.hasSuffix("cplain 1 PLAIN 10") } && dumps[0].contains("ÄB 4 99"), "\(dumps[0])")
  }
}
