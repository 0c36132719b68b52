import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// The store of a server whose history grows old.
struct RetentionWorld {
  static let condition = TestServer.condition
  private let store: TemporaryStore
  private let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  func container(_ schema: Schema, retention: Duration?) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      server.address, databaseSchema: store.databaseSchema, connectionLimit: 4, historyRetention: retention)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// Makes transactions older.
  func age(_ numbers: ClosedRange<Int>, days: Int) throws {
    try server.connect().run(
      "UPDATE \(store.databaseSchema)._store_transactions SET committed = committed - interval '\(days) days' "
        + "WHERE number BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)")
  }

  /// No reader is left.
  func check() throws {
    #expect(try server.connect().run("SELECT 1 FROM \(store.databaseSchema)._store_readers").rowCount == 0)
  }
}
