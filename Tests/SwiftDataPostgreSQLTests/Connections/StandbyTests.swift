import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Reads from a standby", TestServer.condition)
struct StandbyTests {
  @Model final class Note {
    var number: Int
    var text: String = ""
    init(_ number: Int) { self.number = number }
  }

  let store: TemporaryStore
  let server: TestServer
  let standby: TestStandby

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.followed)
    standby = try TestStandby(of: server)
  }

  private func container(reading address: String? = nil) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      server.address, databaseSchema: store.databaseSchema, connectionLimit: 4, deadline: 5,
      readAddress: address ?? standby.address)
    return try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
  }

  /// The sessions of a server whose last statement reads notes.
  private func readers(_ connection: Connection) throws -> Int {
    try connection.run(
      "SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1",
      [.text("%\(store.databaseSchema)%note%")]
    ).rowCount
  }

  /// Waits until the standby has all that the server has.
  private func follow() async throws {
    let (own, other) = (try server.connect(), try standby.connect())
    let sql = "SELECT last_transaction FROM \(Identifier(store.databaseSchema))._store"
    nonisolated(unsafe) let (one, two) = (own, other)
    try await eventually { (try? one.run(sql).integer(0, 0)) == (try? two.run(sql).integer(0, 0)) }
    // A store that has found the standby behind leaves it alone for 20 milliseconds.
    try await Task.sleep(for: .milliseconds(60))
  }

  @Test("Fetches go to the standby, and a store reads its own saves and what it has seen while the standby lags")
  func lag() async throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Note(1))
    try context.save()
    try await follow()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.number) == [1])
    let control = try standby.connect()
    #expect(try readers(control) > 0)

    try control.execute("SELECT pg_wal_replay_pause()")
    for number in 2...6 {
      context.insert(Note(number))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == number)
    }
    // Another program's save, which this store has seen on the server, is not forgotten again.
    let other = ModelContext(try self.container())
    other.insert(Note(7))
    try other.save()
    for _ in 0..<3 { #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 7) }
    #expect(try control.run("SELECT count(*) FROM \(Identifier(store.databaseSchema)).note").integer(0, 0) == 1)
    try control.execute("SELECT pg_wal_replay_resume()")
    try await follow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 7)
  }

  @Test("The cursor of a fetch of many rows is opened on the standby")
  func cursors() async throws {
    let context = ModelContext(try container())
    let count = 4200
    for number in 0..<count { context.insert(Note(number)) }
    try context.save()
    try await follow()
    let name = store.databaseSchema
    let configuration = PostgreSQLConfiguration(
      "\(server.address)&application_name=\(name)", databaseSchema: name, connectionLimit: 4, deadline: 5,
      readAddress: "\(standby.address)&application_name=\(name)")
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    for _ in 0..<2 { #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).count == count) }
    // A cursor's transaction ends so; nothing else of a fetch does.
    let sql = "SELECT 1 FROM pg_stat_activity WHERE query = 'ROLLBACK' AND application_name = $1"
    #expect(try standby.connect().run(sql, [.text(name)]).rowCount == 1)
    #expect(try server.connect().run(sql, [.text(name)]).rowCount == 0)
  }

  @Test("Changes of another container appear by their notification, also through the standby")
  @MainActor func liveResults() async throws {
    let (own, other) = (try container(), try container())
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Note>(sortBy: [SortDescriptor(\.number)]), modelContext: own.mainContext)
    #expect(observer.results.isEmpty)
    let context = ModelContext(other)
    for number in 1...5 {
      context.insert(Note(number))
      try context.save()
      try await eventually { observer.results.count == number }
      #expect(observer.results.count == number)
    }
  }

  @Test("A container whose only server is a standby follows the saves that come to it")
  @MainActor func watching() async throws {
    let writing = ModelContext(try container())
    writing.insert(Note(1))
    try writing.save()
    try await follow()
    let configuration = PostgreSQLConfiguration(
      standby.address, allowsSave: false, databaseSchema: store.databaseSchema, connectionLimit: 4, deadline: 5)
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Note>(sortBy: [SortDescriptor(\.number)]), modelContext: container.mainContext)
    #expect(observer.results.map(\.number) == [1])
    for number in 2...3 {
      writing.insert(Note(number))
      try writing.save()
      try await eventually { observer.results.count == number }
      #expect(observer.results.count == number)
    }
  }

  @Test("A standby that is away does not stop reads")
  func away() async throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Note(1))
    try context.save()
    try await follow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    standby.end()
    for number in 2...4 {
      context.insert(Note(number))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == number)
    }
    #expect(try ModelContext(try self.container()).fetchCount(FetchDescriptor<Note>()) == 4)
  }

  @Test("A server with another store is refused as a standby")
  func otherStore() throws {
    _ = try container()
    let other = try #require(try TestServer.another())
    _ = try ModelContainer(
      for: Schema([Note.self]),
      configurations: [PostgreSQLConfiguration(other.address, databaseSchema: store.databaseSchema)])
    let error = #expect(throws: SwiftDataError.self) { _ = try container(reading: other.address) }
    #expect("\(String(describing: error))".contains("another store"), "\(String(describing: error))")
  }
}
