import Foundation
import Metrics
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataMetrics
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// The examples of the article on servers. `ArticleExamplesTests` compares the article with this file, line for line.
@Suite("Examples of the article on servers", TestServer.condition)
struct ServerArticleTests {
  @Model final class Book {
    var title: String
    init(_ title: String) { self.title = title }
  }

  enum LibraryMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TravelV1.self, TravelV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: TravelV1.self, toVersion: TravelV2.self)] }
  }

  @Test("The printed statements of a preview bring a store to the plan's last version")
  func preview() throws {
    let store = try TravelStore()
    try TravelStore.fill(ModelContext(try store.open(TravelV1.self)))
    let configuration = store.configuration()
    let schema = Schema(versionedSchema: TravelV2.self)
    var printed: [String] = []
    func print(_ statement: String) { printed.append(statement) }

    let plan = try configuration.migrationPreview(for: schema, migrationPlan: LibraryMigrationPlan.self)
    for statement in plan?.statements ?? [] { print(statement + ";") }

    #expect(!printed.isEmpty)
    let connection = try store.server.connect()
    try connection.transaction {
      try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
      for statement in printed { try connection.execute(statement) }
    }
    #expect(try store.column("SELECT count(*)::text FROM \(store.schema).journey") == ["20"])
  }

  /// The article's address leads to no server, so these lines are compiled only.
  private func opening() throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration("postgresql://app@db.example/library")
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    return container
  }

  /// The program's backend can be set once in a process, so these lines are compiled only.
  private func counting(_ backend: any MetricsFactory, _ configuration: PostgreSQLConfiguration) throws {
    MetricsSystem.bootstrap(backend)  // for example Prometheus
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    container.reportMetrics(dimensions: [("store", "library")])  // swiftdata_saves_total, swiftdata_faults_total, …
  }
}
