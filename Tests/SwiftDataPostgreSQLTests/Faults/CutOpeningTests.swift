import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Connections that are cut at the messages of an opening", TestServer.condition)
struct CutOpeningTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self, Book.self] }

    @Model final class Page {
      var title: String
      var number: Int
      var book: Book?
      init(_ number: Int) {
        title = "Page \(number)"
        self.number = number
      }
    }

    @Model final class Book {
      var name: String
      @Relationship(inverse: \Page.book) var pages: [Page] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// Renames, converts, adds and makes unique.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self, Book.self, Remark.self] }

    @Model final class Page {
      #Index<Page>([\.heading])
      @Attribute(.unique, originalName: "title") var heading: String
      var number: Double
      var slug: String = "none"
      var book: Book?
      init(_ heading: String) {
        self.heading = heading
        number = 0
      }
    }

    @Model final class Book {
      var name: String
      @Relationship(inverse: \Page.book) var pages: [Page] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Remark {
      var text: String
      init(_ text: String) { self.text = text }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
          didMigrate: { context in
            for page in try context.fetch(FetchDescriptor<V2.Page>()) { page.slug = page.heading.lowercased() }
            context.insert(V2.Remark("migrated"))
          })
      ]
    }
  }

  /// How a store is opened.
  enum Opening: CaseIterable { case new, inferred, planned }

  private static let count = 5
  private let server: TestServer
  private let proxy: CuttingProxy

  init() throws {
    server = try #require(TestServer.shared)
    proxy = try CuttingProxy(to: server.folder)
  }

  private func container(
    _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil, _ store: TemporaryStore,
    isCut: Bool = true
  ) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      isCut ? "postgresql://app@/postgres?host=\(proxy.folder)" : server.address,
      databaseSchema: store.databaseSchema, connectionLimit: 4)
    return try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration])
  }

  private func fill(_ store: TemporaryStore) throws {
    let context = ModelContext(try container(V1.self, store, isCut: false))
    let book = V1.Book("Book")
    context.insert(book)
    for number in 0..<Self.count {
      let page = V1.Page(number)
      context.insert(page)
      page.book = book
    }
    try context.save()
  }

  private func expectWhole(_ opening: Opening, _ container: ModelContainer, _ comment: Comment) throws {
    let context = ModelContext(container)
    let pages = try context.fetch(FetchDescriptor<V2.Page>(sortBy: [SortDescriptor(\.number)]))
    #expect(pages.map(\.heading) == (opening == .new ? [] : (0..<Self.count).map { "Page \($0)" }), comment)
    let slugs = pages.map { opening == .planned ? $0.heading.lowercased() : "none" }
    #expect(pages.map(\.slug) == slugs && pages.allSatisfy { $0.book?.name == "Book" }, comment)
    let remarks = try context.fetch(FetchDescriptor<V2.Remark>()).map(\.text)
    #expect(remarks == (opening == .planned ? ["migrated"] : []), comment)
    context.insert(V2.Page("Page 0"))
    try context.save()
    let found = try context.fetchCount(FetchDescriptor<V2.Page>())
    #expect(found == max(pages.count, 1), comment)
  }

  @Test(
    "The store is the old one or the new one, and the next opening makes the new one",
    arguments: Opening.allCases, CuttingProxy.Cut.allCases)
  func opens(_ opening: Opening, _ cut: CuttingProxy.Cut) throws {
    var (messages, failures) = (0, 0)
    while true {
      let store = try TemporaryStore()
      if opening != .new { try fill(store) }
      let comment: Comment = "message \(messages)"
      func open() throws -> ModelContainer {
        try container(V2.self, plan: opening == .planned ? Plan.self : nil, store)
      }
      proxy.cut(after: messages, cut)
      do { try expectWhole(opening, open(), comment) } catch let error as SwiftDataError {
        failures += 1
        #expect("\(error as any Error)".contains("database postgres on \(proxy.folder)"), "\(error as any Error)")
        _ = proxy.stop()
        try expectWhole(opening, open(), comment)
      }
      let connection = try server.connect()
      let schema = store.databaseSchema
      #expect(try connection.run("SELECT unnest(pending) FROM \(schema)._store").rowCount == 0, comment)
      try connection.execute("DROP SCHEMA \(schema) CASCADE")
      guard proxy.stop() else { break }
      messages += FullTests.areWanted ? 1 : 41
    }
    #expect(messages > 20 && (failures > 0 || !FullTests.areWanted))
  }

  @Test("A watch that is cut before or after any message hears of later saves", arguments: CuttingProxy.Cut.allCases)
  @MainActor func listening(_ cut: CuttingProxy.Cut) async throws {
    let store = try TemporaryStore()
    try fill(store)
    let (container, other) = (try container(V1.self, store), try container(V1.self, store, isCut: false))
    for messages in 0..<4 {
      proxy.cut(after: messages, cut)
      let results = try ResultsObserver<V1.Page, Never>(modelContext: container.mainContext)
      let context = ModelContext(other)
      let number = 100 + messages
      context.insert(V1.Page(number))
      try context.save()
      try await eventually { results.results.contains { $0.number == number } }
      #expect(results.results.contains { $0.number == number }, "message \(messages)")
      _ = proxy.stop()
    }
  }
}
