import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Derived attributes whose tables and columns, joined by underscores, have one name: `a` and `book_count`, `a_book` and `count`.
@Suite("Names of the triggers of derived attributes in a PostgreSQL store", TestServer.condition)
struct DerivationNamesTests {
  enum One: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [A.self, ABook.self, Page.self] }

    @Model final class A {
      var name: String
      @Attribute(.derived("pages.@count")) var bookCount: Int = 0
      @Relationship(inverse: \Page.a) var pages: [Page] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class ABook {
      var name: String
      @Attribute(.derived("pages.@count")) var count: Int = 0
      @Relationship(inverse: \Page.book) var pages: [Page] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Page {
      var a: A?
      var book: ABook?
      init() {}
    }
  }

  /// Without the class that has the name first.
  enum Two: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [ABook.self, Page.self] }

    @Model final class ABook {
      @Attribute(originalName: "name") var label: String
      @Attribute(.derived("pages.@count")) var count: Int = 0
      @Relationship(inverse: \Page.book) var pages: [Page] = []
      init(_ label: String) { self.label = label }
    }

    @Model final class Page {
      var book: ABook?
      init() {}
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: One.self, toVersion: Two.self)] }
  }

  private func functions(_ store: TravelStore) throws -> [String] {
    try store.column(
      "SELECT proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = '\(store.schema)' ORDER BY 1"
    )
  }

  @Test(
    "Each attribute has triggers of its own; a migration drops them, and makes them under the names of the new model")
  func names() throws {
    let store = try TravelStore()
    let context = ModelContext(try store.open(One.self))
    let (a, book) = (One.A("a"), One.ABook("b"))
    context.insert(a)
    context.insert(book)
    a.pages = [One.Page(), One.Page()]
    book.pages = [One.Page()]
    try context.save()
    #expect(a.bookCount == 2 && book.count == 1)
    // The first attribute has the names that it has in stores of earlier versions.
    let first = (1...4).map { "_derive_1_a_book_count_\($0)" }
    #expect(try functions(store) == (first + (1...4).map { "_derive_1_a_book_count_2_\($0)" }).sorted())

    let migrated = ModelContext(try store.open(Two.self, plan: Plan.self))
    #expect(try functions(store) == first)
    let kept = try #require(try migrated.fetch(FetchDescriptor<Two.ABook>()).first)
    #expect(kept.label == "b" && kept.count == 1)
    kept.pages.append(Two.Page())
    try migrated.save()
    #expect(kept.count == 2)
  }
}
