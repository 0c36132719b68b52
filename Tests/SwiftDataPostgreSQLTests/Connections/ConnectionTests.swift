import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite("Connections to a server", TestServer.condition)
struct ConnectionTests {
  @Test("A statement that runs again with parameters of other types is another statement")
  func types() throws {
    let connection = try #require(TestServer.shared).connect()
    for _ in 0..<3 {
      #expect(try connection.run("SELECT $1::text", [.integer(7)]).text(0, 0) == "7")
      #expect(try connection.run("SELECT $1::text", [.text("seven")]).text(0, 0) == "seven")
      #expect(try connection.run("SELECT $1::text", [.boolean(true)]).text(0, 0) == "true")
    }
  }

  @Test("Settings are those that the server's version has, and of two values the second one counts")
  func settings() {
    let settings: ServerSettings = .unlimited + .lockWait(milliseconds: 7)
    let old = settings.statements(for: .transaction, serverVersion: 160_004)
    #expect(old.contains("SET LOCAL statement_timeout = 0") && !old.contains("LOCAL transaction_timeout"))
    #expect(old.contains("SET LOCAL lock_timeout = 7") && !old.contains("lock_timeout = 0"))
    let new = settings.statements(for: .session, serverVersion: 170_000)
    #expect(new.contains("SET SESSION transaction_timeout = 0"))
  }

  @Test("A session that the server ends, since its transaction is idle, says so and names the setting")
  func idleTransaction() async throws {
    let server = try #require(TestServer.shared)
    let connection = try Connection(
      ServerAddress(server.address + "&options=-c%20idle_in_transaction_session_timeout%3D50"))
    let session = try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0)
    try connection.execute("BEGIN")
    nonisolated(unsafe) let control = try server.connect()
    let sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1"
    try await eventually { (try? control.run(sql, [.integer(session)]).rowCount) == 0 }
    let error = #expect(throws: PostgreSQLError.self) { _ = try connection.run("SELECT 1") }
    #expect(error?.isConnectionLost == true && error?.state == .idleInTransactionTimeout)
    #expect(error?.remedy?.contains("idle_in_transaction_session_timeout") == true)
  }

  @Test("A caller works while its statement runs; an error of either ends the transaction, not the connection")
  func overlapping() throws {
    struct Stop: Error {}
    let connection = try #require(TestServer.shared).connect()
    for _ in 0..<3 {
      let many = try connection.run("SELECT g FROM generate_series(1, $1::bigint) g", [.integer(50_000)]) { "made" }
      #expect(many.result.rowCount == 50_000 && many.value == "made")
      #expect(throws: Stop.self) {
        try connection.transaction {
          try connection.execute("CREATE TEMPORARY TABLE overlapping (number bigint)")
          _ = try connection.run("INSERT INTO overlapping SELECT $1::bigint", [.integer(1)]) { throw Stop() }
        }
      }
      var error = #expect(throws: PostgreSQLError.self) {
        _ = try connection.run("SELECT 1", []) { try connection.run("SELECT 2") }
      }
      #expect(error?.message == "another statement of the connection has not ended")
      error = #expect(throws: PostgreSQLError.self) {
        try connection.transaction { _ = try connection.run("SELECT 1 / $1::bigint", [.integer(0)]) { throw Stop() } }
      }
      #expect(error?.message.contains("division by zero") == true && !connection.isInTransaction)
      #expect(try connection.run("SELECT to_regclass('overlapping')::text").isNull(0, 0))
    }
  }

  @Test("Transactions that read over other connections do not wait for one another")
  func nestedReads() async throws {
    let address = try ServerAddress(try #require(TestServer.shared).address)
    // A pool has two connections at least.
    let pool = ConnectionPool(address, size: 1, deadline: 20)
    defer { pool.close() }
    let rounds = 10
    let sums = try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await onThread {
            try (0..<rounds).reduce(0) { sum, _ in
              try pool.transaction { _ in
                sum + (try pool.reading { try $0.run("SELECT 1::bigint").integer(0, 0) })
              }
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums == [Int64](repeating: Int64(rounds), count: 6))
  }

  @Test("Cursors leave a connection to a transaction and one to its reads", arguments: 1...5)
  func cursors(size: Int) throws {
    let pool = ConnectionPool(try ServerAddress(try #require(TestServer.shared).address), size: size, deadline: 20)
    defer { pool.close() }
    let lock = NSLock()
    nonisolated(unsafe) var cursors: [Connection] = []
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      if let connection = try? pool.takeForCursor() { lock.withLock { cursors.append(connection) } }
    }
    #expect(cursors.count == max(0, size - 2))
    let one = try pool.transaction { _ in try pool.reading { try $0.run("SELECT 1::bigint").integer(0, 0) } }
    #expect(one == 1)
    for cursor in cursors { pool.giveBackFromCursor(cursor) }
    let again = try pool.takeForCursor()
    #expect((again != nil) == (size > 2))
    if let again { pool.giveBackFromCursor(again) }
  }
}

/// Runs a closure that waits on a thread of its own, so that it takes none of the tasks' threads.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
