import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A derived attribute whose expression stays, but whose properties mean something else.
@Suite("A derived attribute that depends on what a migration changes", TestServer.condition)
struct StaleDerivationTests {
  enum Before: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Shelf.self, Book.self, Film.self] }

    @Model final class Shelf {
      var name: String
      @Attribute(.derived("books.@count")) var size: Int = 0
      @Attribute(.derived("sum:(books.pages)")) var amount: Double = 0
      @Attribute(.derived("lowercase:(name)")) var plain: String?
      @Attribute(.derived("now()")) var saved: Date = Date.distantPast
      @Relationship(inverse: \Book.shelf) var books: [Book] = []
      @Relationship(inverse: \Film.shelf) var films: [Film] = []
      var label: String = ""
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var pages: Double
      var shelf: Shelf?
      init(_ pages: Double) { self.pages = pages }
    }

    @Model final class Film {
      var pages: Double = 100
      var shelf: Shelf?
      init() {}
    }
  }

  /// Other properties have the names of the old ones.
  enum After: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Shelf.self, Book.self, Film.self] }

    @Model final class Shelf {
      @Attribute(originalName: "label") var name: String
      @Attribute(.derived("books.@count")) var size: Int = 0
      @Attribute(.derived("sum:(books.pages)")) var amount: Double = 0
      @Attribute(.derived("lowercase:(name)")) var plain: String?
      @Attribute(.derived("now()")) var saved: Date = Date.distantPast
      @Relationship(originalName: "films", inverse: \Film.shelf) var books: [Film] = []
      @Relationship(originalName: "books", inverse: \Book.shelf) var volumes: [Book] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Book {
      var pages: Double
      var shelf: Shelf?
      init(_ pages: Double) { self.pages = pages }
    }

    @Model final class Film {
      var pages: Double = 100
      var shelf: Shelf?
      init() {}
    }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func open(_ version: any VersionedSchema.Type, inFile: Bool) throws -> ModelContext {
    ModelContext(try inFile ? store.openFile(version) : store.open(version))
  }

  @Test("It is computed anew from the properties that it names now", arguments: [false, true])
  func renamedProperties(inFile: Bool) throws {
    let old = try open(Before.self, inFile: inFile)
    let shelf = Before.Shelf("OLD")
    shelf.label = "LABEL"
    old.insert(shelf)
    shelf.books = [Before.Book(1.5), Before.Book(2)]
    shelf.films = [Before.Film()]
    try old.save()
    let saved = try #require(try open(Before.self, inFile: inFile).fetch(FetchDescriptor<Before.Shelf>()).first).saved

    let new = try #require(try open(After.self, inFile: inFile).fetch(FetchDescriptor<After.Shelf>()).first)
    #expect(new.size == 1 && new.amount == 100 && new.plain == "label")
    #expect(new.name == "LABEL" && new.saved == saved)
  }
}
