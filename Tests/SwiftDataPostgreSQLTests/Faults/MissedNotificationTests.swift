import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// A container whose server goes away, and comes back when another container has saved.
@Suite("Saves of others while the server was away", TestServer.condition)
struct MissedNotificationTests {
  @Model final class Note {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  let store: TemporaryStore
  let server: TestServer
  let proxy: CuttingProxy

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
    proxy = try CuttingProxy(to: server.folder)
  }

  private func container(
    _ address: String, _ sessions: PostgreSQLConfiguration.Sessions = .own
  ) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      address, databaseSchema: store.databaseSchema, connectionLimit: 4, sessions: sessions)
    return try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
  }

  /// A container that reaches the server through the proxy, by the name of its schema.
  private func remote(_ sessions: PostgreSQLConfiguration.Sessions) throws -> ModelContainer {
    try container(
      "postgresql://app@/postgres?host=\(proxy.folder)&application_name=\(store.databaseSchema)", sessions)
  }

  /// Saves a note by another container, which has connections of its own.
  private func saveElsewhere(_ number: Int) throws {
    let context = ModelContext(try container(server.address))
    context.insert(Note(number))
    try context.save()
  }

  /// The server's sessions of the remote container.
  private func sessions() throws -> Int {
    try server.connect().run(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [.text(store.databaseSchema)]
    ).rowCount
  }

  /// Ends all sessions of the remote container, and lets it make no new one. Returns when it has tried.
  private func cutOff() async throws {
    proxy.refuse()
    try server.connect().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [.text(store.databaseSchema)])
    try await eventually { (try? sessions()) == 0 && proxy.refusedCount > 0 }
    try #require(sessions() == 0 && proxy.refusedCount > 0)
  }

  @Test(
    "A connection that is made again gives a sign, although nobody was told of the save",
    arguments: [PostgreSQLConfiguration.Sessions.own, .shared])
  func sign(_ sessions: PostgreSQLConfiguration.Sessions) async throws {
    let container = try remote(sessions)
    let engine = try #require(container.core.stores[0].engine as? any WatchableEngine)
    let signs = Mutex(0)
    let watch = engine.watch { signs.withLock { $0 += 1 } }
    try await eventually { signs.withLock { $0 } > 0 }
    try #require(signs.withLock { $0 } > 0)
    for round in 0..<3 {
      try await cutOff()
      let before = signs.withLock { $0 }
      try saveElsewhere(round)
      #expect(signs.withLock { $0 } == before, "nobody can have heard of the save")
      proxy.accept()
      try await eventually { signs.withLock { $0 } > before }
      #expect(signs.withLock { $0 } > before)
    }
    withExtendedLifetime((watch, container)) {}
  }

  @Test(
    "Results show what was saved while the server was away, and go on to follow others",
    arguments: [PostgreSQLConfiguration.Sessions.own, .shared])
  @MainActor func results(_ sessions: PostgreSQLConfiguration.Sessions) async throws {
    let container = try remote(sessions)
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Note>(sortBy: [SortDescriptor(\.number)]), modelContext: container.mainContext)
    try saveElsewhere(0)
    try await eventually { observer.results.map(\.number) == [0] }
    #expect(observer.results.map(\.number) == [0])
    try await cutOff()
    try saveElsewhere(1)
    #expect(observer.results.map(\.number) == [0])
    proxy.accept()
    try await eventually { observer.results.map(\.number) == [0, 1] }
    #expect(observer.results.map(\.number) == [0, 1])
    // The new connection listens.
    try saveElsewhere(2)
    try await eventually { observer.results.map(\.number) == [0, 1, 2] }
    #expect(observer.results.map(\.number) == [0, 1, 2])
  }
}
