import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// The right that a stage with both sides needs: it keeps the old rows in a schema of its own.
@Suite("Rights of a migration", TestServer.condition)
struct MigrationRightsTests {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }

    @Model final class Page {
      var title: String
      init(_ title: String) { self.title = title }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }

    @Model final class Page {
      var length: Int = 0
      init(_ length: Int) { self.length = length }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .sideBySide(fromVersion: V1.self, toVersion: V2.self) { old, new in
          let titles = try old.fetch(FetchDescriptor<V1.Page>()).map(\.title)
          try new.delete(model: V2.Page.self)
          for title in titles { new.insert(V2.Page(title.count)) }
        }
      ]
    }
  }

  @Test("A stage with both sides needs CREATE on the database, and says so; the store stays as it was until then")
  func bothSides() throws {
    let server = try #require(TestServer.shared)
    let store = try TemporaryStore()
    let (schema, role) = (Identifier(store.databaseSchema), Identifier("owner_\(store.databaseSchema)"))
    let administrator = try server.connect()
    try administrator.execute("CREATE ROLE \(role) LOGIN; CREATE SCHEMA \(schema) AUTHORIZATION \(role)")
    func open(
      _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
      let configuration = PostgreSQLConfiguration(
        server.address(user: role.name), databaseSchema: schema.name, connectionLimit: 2)
      return ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration]))
    }
    let context = try open(V1.self)
    context.insert(V1.Page("twelve"))
    try context.save()
    let error = try #require(throws: SwiftDataError.self) { _ = try open(V2.self, Plan.self) }
    let grant = "GRANT CREATE ON DATABASE \"postgres\" TO \(role)"
    #expect("\(error as any Error)".contains(grant), "\(error as any Error)")
    #expect(try open(V1.self).fetch(FetchDescriptor<V1.Page>()).map(\.title) == ["twelve"])
    try administrator.execute(grant)
    #expect(try open(V2.self, Plan.self).fetch(FetchDescriptor<V2.Page>()).map(\.length) == [6])
    let copies = "SELECT 1 FROM pg_namespace WHERE nspowner = $1::regrole AND nspname <> $2::name"
    #expect(try administrator.run(copies, [.text(role.description), .text(schema.name)]).rowCount == 0)
  }
}
