import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

/// A save and another transaction wait for one another, until the server ends the save.
@Suite("Deadlocks of a save", TestServer.condition)
struct DeadlockTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(name: "Account", properties: [.attribute("amount", .integer64), .attribute("note", .string)])
  ])
  private static let column = [ColumnSelection(entityName: "Account", propertyName: "amount")]

  private final class Attempts: Sendable {
    let count = Atomic<Int>(0)
    /// The attempts that run alone.
    let alone = Atomic<Int>(0)
  }

  let server: TestServer
  private let temporary: TemporaryStore
  private let attempts = Attempts()

  init() throws {
    server = try #require(TestServer.shared)
    temporary = try TemporaryStore()
  }

  private var schema: Identifier { Identifier(temporary.databaseSchema) }

  /// A store whose connections look for a deadlock after they have waited 1.5 seconds.
  private func open(deadline: Double) throws -> ServerStore {
    var options = ServerOptions()
    options.schema = temporary.databaseSchema
    options.deadline = deadline
    return try ServerStore.open(
      server.address + "&options=-c%20deadlock_timeout%3D1500ms", options: options, model: Self.model
    ) { [attempts] sql in
      if sql.hasPrefix("BEGIN") { attempts.count.add(1, ordering: .relaxed) }
      if sql.hasPrefix("SELECT pg_advisory_xact_lock(hashtextextended('SwiftData saves ") {
        attempts.alone.add(1, ordering: .relaxed)
      }
    }
  }

  private func update(_ object: ObjectKey, _ property: String, _ value: StoreValue) -> ChangeSet.Update {
    ChangeSet.Update(
      object: object, version: nil, columns: [ColumnSelection(entityName: "Account", propertyName: property)],
      changedProperties: [property], source: StoreValuesRow(values: [property: value]))
  }

  private func set(_ amount: Int64, of object: ObjectKey, in store: ServerStore) throws {
    var changes = ChangeSet()
    changes.updates = [update(object, "amount", .integer(amount))]
    _ = try store.save(changes)
  }

  private func amount() throws -> Int64 {
    try server.connect().run("SELECT amount FROM \(schema).account").integer(0, 0)
  }

  /// Saves while another transaction runs: one statement of it before the save, and one when the save waits for it.
  ///
  /// - Returns: the error of the save, and how often it began.
  private func save(
    after first: String, before second: String, _ body: () throws -> Void
  ) throws -> (error: (any Error)?, attempts: Int) {
    let other = try server.connect()
    // The save finds the deadlock first.
    try other.execute("SET deadlock_timeout = '30s'")
    try other.execute("BEGIN")
    try other.execute(first)
    let failure = Mutex<String?>(nil)
    let end = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let unshared = other
    let (server, schema) = (server, schema)
    Thread.detachNewThread {
      defer { end.signal() }
      do {
        let control = try server.connect()
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1"
        for _ in 0..<1000 {
          if try control.run(waiting, [.text("%\(schema.name)%")]).integer(0, 0) > 0 { break }
          Thread.sleep(forTimeInterval: 0.01)
        }
        try unshared.execute(second)
        try unshared.execute("COMMIT")
      } catch { failure.withLock { $0 = "\(error)" } }
    }
    let before = attempts.count.load(ordering: .relaxed)
    var found: (any Error)?
    do { try body() } catch { found = error }
    end.wait()
    #expect(failure.withLock { $0 } == nil)
    return (found, attempts.count.load(ordering: .relaxed) - before)
  }

  /// Saves 7 while another transaction sets 5: the save has the account, the other has the row that each save changes at its end.
  private func save(to store: ServerStore, _ object: ObjectKey) throws -> (error: (any Error)?, attempts: Int) {
    try save(
      after: "UPDATE \(schema)._store SET last_transaction = last_transaction",
      before: "UPDATE \(schema).account SET amount = 5"
    ) { try set(7, of: object, in: store) }
  }

  @Test(
    "A save locks the rows that it updates in the order of their keys, whatever properties it changes",
    arguments: ["note", "amount"])
  func order(changing property: String) throws {
    let store = try open(deadline: 20)
    let objects = [try account(in: store), try account(in: store)]
    try #require(objects[0].key < objects[1].key)
    // The server finds the changed row after the other one.
    try set(3, of: objects[0], in: store)
    var changes = ChangeSet()
    changes.updates = [
      update(objects[1], property, property == "note" ? .text("own") : .integer(8)),
      update(objects[0], "amount", .integer(7)),
    ]
    let (error, attempts) = try save(
      after: "UPDATE \(schema).account SET amount = 5 WHERE _id = \(objects[0].key)",
      before: "UPDATE \(schema).account SET note = 'other' WHERE _id = \(objects[1].key)"
    ) { _ = try store.save(changes) }
    #expect(error == nil && attempts == 1)
    let rows = try server.connect().run("SELECT amount, note FROM \(schema).account ORDER BY _id")
    #expect(rows.integer(0, 0) == 7)
    #expect(property == "note" ? rows.text(1, 1) == "own" : rows.integer(1, 0) == 8 && rows.text(1, 1) == "other")
  }

  private func account(in store: ServerStore) throws -> ObjectKey {
    var changes = ChangeSet()
    changes.insertions = [
      ChangeSet.Insertion(
        entity: try store.entities.existingEntity("Account").number, columns: Self.column,
        source: StoreValuesRow(values: ["amount": .integer(1)]))
    ]
    return try store.save(changes).inserted[0].object
  }

  @Test("Before the deadline, the save begins again, alone, and is done; so do the next saves")
  func repeated() throws {
    let store = try open(deadline: 20)
    let object = try account(in: store)
    func alone() -> Int { attempts.alone.load(ordering: .relaxed) }
    #expect(alone() == 0)
    let (error, count) = try save(to: store, object)
    #expect(error == nil && count == 2 && alone() == 1)
    #expect(try amount() == 7)
    try set(8, of: object, in: store)
    #expect(alone() == 2)
  }

  @Test("After the deadline, the error is that of the deadlock, nothing is saved, and the save can be done again")
  func late() throws {
    let store = try open(deadline: 1)
    let object = try account(in: store)
    let (error, attempts) = try save(to: store, object)
    let refusal = try #require(error as? PostgreSQLError)
    #expect(refusal.state == .deadlock && attempts == 1)
    #expect("\(refusal)".contains("database postgres on \(server.folder)"), "\(refusal)")
    #expect(refusal.remedy?.contains("try again") == true, "\(refusal)")
    #expect(try amount() == 5)
    try set(7, of: object, in: store)
    #expect(try amount() == 7)
  }
}
