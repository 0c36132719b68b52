import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A store behind PgBouncer in its transaction mode, with `sessions: .shared`.
///
/// All shared suites run so with `OPENSWIFTDATA_POOLER=1`.
@Suite("A store behind a pooler of transactions", TestServer.condition, TestPooler.condition)
struct PoolerTests {
  @Model final class Shelf {
    @Attribute(.unique) var name: String
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Volume {
    var title: String
    var shelf: Shelf?
    init(_ title: String) { self.title = title }
  }

  let store: TemporaryStore
  let pooler: TestPooler

  init() throws {
    store = try TemporaryStore()
    pooler = try #require(TestPooler.shared)
  }

  private var configuration: PostgreSQLConfiguration {
    PostgreSQLConfiguration(
      pooler.address, databaseSchema: store.databaseSchema, connectionLimit: 4, sessions: .shared)
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(for: Schema([Shelf.self]), configurations: [configuration])
  }

  @Test("A tool finds out whether a pooler stands before the server, whatever others have left in the sessions")
  func noticed() throws {
    try pooler.leavePreparedStatements()
    let server = try #require(TestServer.shared)
    var options = ServerOptions()
    options.schema = store.databaseSchema
    #expect(try ServerMigrator(pooler.address, options: options).isBehindPooler())
    #expect(try !ServerMigrator(server.address, options: options).isBehindPooler())
    _ = try container()
    options.sharesSessions = true
    let model = try #require(try ServerMigrator(pooler.address, options: options).version()?.model)
    #expect(
      try ServerMigrator(pooler.address, options: options).plan(to: model, keepsOtherEntities: false)?.isUpToDate
        == true)
  }

  @Test("The pooler gives the transactions of one connection several sessions") func sessions() async throws {
    let address = try ServerAddress(pooler.address)
    let connection = try Connection(address, preparesStatements: false)
    nonisolated(unsafe) let unshared = connection
    var seen: Set<Int64> = []
    // The pooler opens its other sessions a moment after the first one.
    try await eventually {
      seen.formUnion((0..<6).compactMap { _ in try? unshared.run("SELECT pg_backend_pid()::bigint").integer(0, 0) })
      return seen.count > 1
    }
    #expect(seen.count > 1)
  }

  @Test("Saves, upserts, fetches, cursors, batches and history of many contexts at once succeed")
  func everything() async throws {
    let container = try container()
    let tasks = 4
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          let context = ModelContext(container)
          for round in 0..<8 {
            // Each task inserts the same shelf again, which is an upsert.
            let shelf = Shelf("shelf \(round % 3)")
            context.insert(shelf)
            for number in 0..<3 { shelf.volumes.append(Volume("\(task) \(round) \(number)")) }
            try context.save()
            let name = shelf.name
            let found = try context.fetch(FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name }))
            #expect(found.count == 1)
            _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
          }
        }
      }
      try await group.waitForAll()
    }
    let context = ModelContext(container)
    var count = 0
    try context.enumerate(FetchDescriptor<Volume>(), batchSize: 10) { _ in count += 1 }
    #expect(count == tasks * 24)
    try context.update(model: Shelf.self) { $0.set(\.number, to: 7) }
    try context.delete(model: Volume.self, where: #Predicate { $0.title.starts(with: "0") })
    try context.save()
    let reading = ModelContext(container)
    #expect(try reading.fetch(FetchDescriptor<Shelf>()).map(\.number) == [7, 7, 7])
    #expect(try reading.fetchCount(FetchDescriptor<Volume>()) == (tasks - 1) * 24)
    #expect(try reading.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == tasks * 8 + 1)
  }

  @Test("Live results follow another container without LISTEN")
  @MainActor func liveResults() async throws {
    let (own, others) = (try container(), try container())
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]), modelContext: own.mainContext)
    #expect(observer.results.isEmpty)
    let context = ModelContext(others)
    for name in ["a", "b"] {
      context.insert(Shelf(name))
      try context.save()
      try await eventually { observer.results.last?.name == name }
      #expect(observer.results.last?.name == name)
    }
    let listening = try #require(TestServer.shared).connect().run(
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND query LIKE $1",
      [.text("%\(store.databaseSchema)%")])
    #expect(listening.rowCount == 0)
  }

  @Test("A watch that finds a pooler before the server hears of saves, although the store does not know of the pooler")
  func unknownPooler() async throws {
    let world = try EngineStore([EntityDescription(name: "Item", properties: [.attribute("number", .integer64)])])
    let address = try ServerAddress(pooler.address)
    #expect(try Connection(address, preparesStatements: false).isBehindPooler())
    #expect(try !world.connect().isBehindPooler())
    let store = ServerStore(
      identifier: UUID(), version: 1, layout: world.store.layout,
      pool: ConnectionPool(address, size: 2, deadline: 10, preparesStatements: false), isReadOnly: false)
    let signs = Mutex(0)
    let watch = store.watch { signs.withLock { $0 += 1 } }
    try await eventually { signs.withLock { $0 } > 0 }
    for number in 1...3 {
      let before = signs.withLock { $0 }
      try world.insert("Item", [["number": .integer(Int64(number))]])
      try await eventually { signs.withLock { $0 } > before }
      #expect(signs.withLock { $0 } > before)
    }
    withExtendedLifetime((watch, store)) {}
  }

  @Test("A migration runs through the pooler, with the indexes that it leaves for later")
  func migration() throws {
    let first = try ModelContainer(
      for: Schema(versionedSchema: TravelV1.self), configurations: [configuration])
    try TravelStore.fill(ModelContext(first))
    _ = try ModelContainer(for: Schema(versionedSchema: TravelV2.self), configurations: [configuration])
    let pending = try #require(TestServer.shared).connect().run(
      "SELECT cardinality(pending)::bigint, version FROM \(Identifier(store.databaseSchema))._store")
    #expect(pending.integer(0, 0) == 0 && pending.integer(0, 1) == 2)
  }

  @Test("A prepared statement that another session lacks is an error that names the option")
  func advice() throws {
    let connection = try #require(TestServer.shared).connect()
    for _ in 0..<2 { _ = try connection.run("SELECT 1::bigint") }
    try connection.execute("DEALLOCATE ALL")
    let error = #expect(throws: PostgreSQLError.self) { _ = try connection.run("SELECT 1::bigint") }
    #expect(error?.remedy?.contains("sessions: .shared") == true)
  }
}
