import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A role's limits are for the statements of its programs, not for migrations, indexes and copies.
@Suite("Work that takes longer than a role allows", TestServer.condition)
struct RoleLimitTests {
  private static func entities(isIndexed: Bool) -> [EntityDescription] {
    let names = isIndexed ? ["number", "ratio"] : []
    return [
      EntityDescription(
        name: "Item", properties: [.attribute("number", .integer64), .attribute("ratio", .double)],
        fetchIndexes: names.map { FetchIndexDescription(name: $0, elements: [.init(subject: .property($0))]) })
    ]
  }

  private static let model = ModelDescription(entities: entities(isIndexed: true))

  let server: TestServer
  let store: EngineStore

  init() throws {
    server = try TestServer.required()
    store = try EngineStore(Self.entities(isIndexed: false))
    try store.insert("Item", [["number": .integer(1), "ratio": .real(0.5)]])
  }

  /// The address for sessions with settings such as `lock_timeout=50`.
  private func address(_ settings: String...) -> String {
    let options = settings.map { "-c%20" + $0.replacing("=", with: "%3D") }.joined(separator: "%20")
    return server.address + "&options=" + options
  }

  private func options(deadline: Double = 10) -> ServerOptions {
    var options = ServerOptions()
    options.schema = store.schema
    options.deadline = deadline
    return options
  }

  private func migrate(
    _ address: String, deadline: Double = 10, log: (@Sendable (String) -> Void)? = nil
  ) throws {
    try ServerMigrator(address, options: options(deadline: deadline), log: log).migrate(to: Self.model)
  }

  private var pending: [String] {
    get throws { try store.column("SELECT unnest(pending) FROM $_store ORDER BY 1") }
  }

  private var indexes: [String] {
    get throws {
      try store.column(
        "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '$item'::regclass AND indisvalid AND NOT indisprimary"
      )
    }
  }

  /// Another program's transaction.
  private final class Transaction: Sendable {
    /// Used by one thread at a time.
    nonisolated(unsafe) private let connection: Connection
    private let lockIsHeld = Mutex<Bool?>(nil)
    private let waiterWasSeen = Mutex(false)

    init(_ connection: Connection, _ statements: String) throws {
      self.connection = connection
      try connection.execute(statements)
    }

    func end() { _ = try? connection.execute("COMMIT") }

    /// Looks, after some seconds, whether somebody has a lock, and ends the transaction.
    func end(after seconds: Double, lookingFor lock: String) {
      Thread.detachNewThread { [self] in
        Thread.sleep(forTimeInterval: seconds)
        let attempt = "SELECT pg_try_advisory_xact_lock(hashtextextended('\(lock)', 0))"
        let answer = (try? connection.execute(attempt))?.text(0, 0)
        lockIsHeld.withLock { $0 = answer.map { $0 == "f" } }
        end()
      }
    }

    var hasFoundLock: Bool? { lockIsHeld.withLock { $0 } }

    var hasBeenWaitedFor: Bool { waiterWasSeen.withLock { $0 } }

    /// Ends the transaction when somebody has waited for its advisory lock for half a second.
    func endAfterWait() {
      Thread.detachNewThread { [self] in
        let waiting = """
          SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND (classid, objid, objsubid) IN
            (SELECT classid, objid, objsubid FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')
          """
        for _ in 0..<1000 {
          guard let rows = try? connection.execute(waiting) else { break }
          if rows.rowCount > 0 {
            waiterWasSeen.withLock { $0 = true }
            break
          }
          Thread.sleep(forTimeInterval: 0.01)
        }
        Thread.sleep(forTimeInterval: 0.5)
        end()
      }
    }
  }

  /// What waits for others that make or migrate the store.
  enum Work: CaseIterable { case migrating, opening, loading }

  @Test(
    "Who makes or migrates a store waits for another one for longer than the role waits for locks",
    arguments: Work.allCases)
  func waits(_ work: Work) throws {
    var options = options()
    if work != .migrating { options.schema += "_new" }
    let other = try Transaction(
      server.connect(), "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('SwiftData \(options.schema)', 0))")
    other.endAfterWait()
    let address = address("lock_timeout=50")
    switch work {
    case .migrating: try migrate(address)
    case .opening: _ = try ServerStore.open(address, options: options, model: Self.model)
    case .loading: _ = try ServerStore.make(address, options: options, model: Self.model, identifier: UUID()) { _ in }
    }
    #expect(other.hasBeenWaitedFor)
    let tables = try store.connect().run(
      "SELECT 1 FROM pg_indexes WHERE schemaname = $1 AND indexname = 'item_number_idx'", [.text(options.schema)])
    #expect(tables.rowCount == 1)
  }

  /// An index waits for the end of such a transaction.
  private func oldTransaction() throws -> Transaction {
    try Transaction(server.connect(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
  }

  @Test("Indexes are made for longer than a statement of the role lasts, and than its transactions are idle")
  func indexesOfLongStatements() throws {
    let old = try oldTransaction()
    let lock = "SwiftData \(store.schema) pending"
    let count = Count()
    try migrate(address("statement_timeout=1000", "idle_in_transaction_session_timeout=1000")) { sql in
      guard sql.hasPrefix("CREATE INDEX CONCURRENTLY"), count.next() == 1 else { return }
      old.end(after: 1.5, lookingFor: lock)
    }
    #expect(try pending == [] && indexes.count == 2)
    // No other program makes the same index meanwhile.
    #expect(old.hasFoundLock == true)
  }

  private final class Count: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  @Test("Indexes that wait for an old transaction for too long are left for the next program")
  func indexesBesideOldTransactions() throws {
    let old = try oldTransaction()
    let count = Count()
    try migrate(server.address, deadline: 1) { sql in
      if sql.hasPrefix("CREATE INDEX CONCURRENTLY") { _ = count.next() }
    }
    #expect(try pending == ["item_number_idx", "item_ratio_idx"] && indexes == [])
    // The second one was not waited for.
    #expect(count.next() == 2)
    old.end()
    _ = try store.reopened(Self.entities(isIndexed: true))
    #expect(try pending == [] && indexes.count == 2)
  }

  @Test("A copy may leave its transaction idle for longer than the role, from a server and to one")
  func copies() throws {
    let address = address("idle_in_transaction_session_timeout=50")
    let keys = try ServerStore.readSnapshot(address, options: options()) { snapshot, _, _ in
      Thread.sleep(forTimeInterval: 0.3)
      let rows = try snapshot.rows(FetchRequest(entityName: "Item"))
      var keys: [Int64] = []
      while try rows.next() { keys.append(rows.key) }
      return keys
    }
    #expect(keys == [1])
    var other = options()
    other.schema += "_copy"
    let waived = try ServerStore.make(address, options: other, model: Self.model, identifier: UUID()) { _ in
      Thread.sleep(forTimeInterval: 0.3)
    }
    #expect(waived.isEmpty)
  }
}
