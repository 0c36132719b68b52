import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

/// A pool of two connections, of which a test keeps one: the other goes from thread to thread.
@Suite("Threads that wait for a connection", TestServer.condition)
struct PoolOrderTests {
  let pool: ConnectionPool

  init() throws {
    // A busy test process may look after minutes whether a thread waits.
    pool = ConnectionPool(try ServerAddress(try #require(TestServer.shared).address), size: 2, deadline: 3600)
  }

  /// The names of threads in the order in which they got their connections. A thread has its connection while it writes its name.
  private final class Turns: Sendable {
    private let names = Mutex<[String]>([])
    private let failures = Mutex<[String]>([])

    func take(_ name: String) { names.withLock { $0.append(name) } }
    func fail(_ error: any Error) { failures.withLock { $0.append("\(error)") } }

    var all: [String] { names.withLock { $0 } }
    var errors: [String] { failures.withLock { $0 } }
  }

  /// What a thread needs a connection for.
  private enum Use {
    case reading, transaction

    func run(_ pool: ConnectionPool, _ body: () -> Void) throws {
      switch self {
      case .reading: try pool.withConnection { _ in body() }
      case .transaction: try pool.transaction { _ in body() }
      }
    }
  }

  /// A thread that has a connection until it is told to end.
  private final class Holder: Sendable {
    private let isHolding = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)

    /// Returns when the thread has its connection.
    init(_ pool: ConnectionPool, _ use: Use, _ turns: Turns, then next: (@Sendable () throws -> Void)? = nil) {
      let (isHolding, mayEnd) = (isHolding, mayEnd)
      Thread.detachNewThread {
        do {
          try use.run(pool) {
            isHolding.signal()
            mayEnd.wait()
          }
          try next?()
        } catch {
          turns.fail(error)
          isHolding.signal()
        }
      }
      isHolding.wait()
    }

    func end() { mayEnd.signal() }
  }

  /// Starts a thread that takes its turn once, and returns when it waits.
  private func queue(_ name: String, _ use: Use, _ turns: Turns, in other: ConnectionPool? = nil) async throws {
    let pool = other ?? self.pool
    let before = pool.waitingCount
    Thread.detachNewThread {
      do { try use.run(pool) { turns.take(name) } } catch { turns.fail(error) }
    }
    try await eventually { pool.waitingCount == before + 1 }
    try #require(pool.waitingCount == before + 1, "\(name) does not wait: \(turns.all) \(turns.errors)")
  }

  @Test("Readers and transactions get connections in the order in which they asked")
  func order() async throws {
    let turns = Turns()
    let kept = Holder(pool, .reading, turns)
    let passed = Holder(pool, .reading, turns)
    let names = (0..<12).map { "\($0)" }
    for (number, name) in names.enumerated() {
      try await queue(name, number % 3 == 1 ? .transaction : .reading, turns)
    }
    #expect(turns.all.isEmpty)
    passed.end()
    try await eventually { turns.all.count == names.count }
    #expect(turns.all == names)
    kept.end()
    #expect(turns.errors.isEmpty)
  }

  @Test("A thread that gives a connection back and asks again comes after those that waited", arguments: 1...3)
  func rounds(waiting: Int) async throws {
    let turns = Turns()
    let kept = Holder(pool, .reading, turns)
    for round in 0..<20 {
      let pool = pool
      let greedy = Holder(pool, .reading, turns) { try pool.withConnection { _ in turns.take("greedy \(round)") } }
      let late = (0..<waiting).map { "late \(round) \($0)" }
      for name in late { try await queue(name, .reading, turns) }
      let before = turns.all.count
      greedy.end()
      try await eventually { turns.all.count == before + waiting + 1 }
      #expect(Array(turns.all.dropFirst(before)) == late + ["greedy \(round)"])
    }
    kept.end()
    #expect(turns.errors.isEmpty)
  }

  @Test("A reader passes transactions that wait for one that runs, and they go on in their order")
  func passing() async throws {
    let turns = Turns()
    let running = Holder(pool, .transaction, turns)
    for name in ["first", "second"] { try await queue(name, .transaction, turns) }
    // Transactions keep all connections but one.
    for number in 0..<3 { try pool.withConnection { _ in turns.take("reader \(number)") } }
    #expect(turns.all == ["reader 0", "reader 1", "reader 2"] && pool.waitingCount == 2)
    running.end()
    try await eventually { turns.all.count == 5 }
    #expect(turns.all.suffix(2) == ["first", "second"] && turns.errors.isEmpty)
  }

  @Test("A thread that gives up waiting says the way out, and does not stand in the way of others")
  func givingUp() async throws {
    let impatient = ConnectionPool(pool.address, size: 2, deadline: 1)
    defer { impatient.close() }
    let turns = Turns()
    let held = [Holder(impatient, .reading, turns), Holder(impatient, .reading, turns)]
    for use in [Use.reading, .transaction] {
      let error = #expect(throws: PostgreSQLError.self) { try use.run(impatient) { turns.take("impatient") } }
      #expect(error?.message.contains("all 2 connections are in use") == true)
      #expect(error?.remedy?.contains("connectionLimit") == true && error?.remedy?.contains("deadline") == true)
      #expect(impatient.waitingCount == 0)
    }
    for holder in held { holder.end() }
    try Use.transaction.run(impatient) { turns.take("patient") }
    #expect(turns.all == ["patient"] && turns.errors.isEmpty)
  }

  @Test("Threads that the server refuses a further connection wait for one that the pool has, in their order")
  func refusals() async throws {
    let server = try #require(TestServer.shared)
    let role = "few_\(UInt32.random(in: 0...UInt32.max))"
    try server.connect().execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1")
    let address = try ServerAddress(server.address(user: role))
    let few = ConnectionPool(address, size: 3, deadline: 3600)
    defer { few.close() }
    let turns = Turns()
    let held = Holder(few, .reading, turns)
    try await queue("reader", .reading, turns, in: few)
    try await queue("transaction", .transaction, turns, in: few)
    #expect(turns.all.isEmpty)
    // Without a connection of its own, a pool has nothing to wait for.
    let other = ConnectionPool(address, size: 3, deadline: 3600)
    let error = #expect(throws: PostgreSQLError.self) { try other.withConnection { _ in } }
    #expect(error?.state == .tooManyConnections && error?.remedy?.contains("max_connections") == true)
    held.end()
    try await eventually { turns.all.count == 2 }
    #expect(turns.all == ["reader", "transaction"] && turns.errors.isEmpty)
  }

  @Test("A thread that asks the server again after a refusal keeps its place among those that wait")
  func askingAgain() async throws {
    let server = try #require(TestServer.shared)
    let proxy = try CuttingProxy(to: server.folder)
    let role = "few_\(UInt32.random(in: 0...UInt32.max))"
    try server.connect().execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1")
    let few = ConnectionPool(
      try ServerAddress("postgresql://\(role)@/postgres?host=\(proxy.folder)"), size: 3, deadline: 3600)
    defer { few.close() }
    let turns = Turns()
    let held = Holder(few, .reading, turns)
    try await queue("reader", .reading, turns, in: few)
    // The reader's next question to the server gets no answer before a connection of the pool is free.
    proxy.hold()
    try await eventually { proxy.heldCount == 1 }
    try await queue("transaction", .transaction, turns, in: few)
    held.end()
    proxy.accept()
    try await eventually { turns.all.count == 2 }
    #expect(turns.all == ["reader", "transaction"] && turns.errors.isEmpty)
  }

  @Test("A thread that waits for a connection in vain says that the server refuses more")
  func refusalInVain() throws {
    let server = try #require(TestServer.shared)
    let role = "few_\(UInt32.random(in: 0...UInt32.max))"
    try server.connect().execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 1")
    let few = ConnectionPool(try ServerAddress(server.address(user: role)), size: 3, deadline: 1)
    defer { few.close() }
    let turns = Turns()
    let held = Holder(few, .reading, turns)
    let error = #expect(throws: PostgreSQLError.self) { try few.reading { _ in } }
    #expect(error?.state == .tooManyConnections && few.waitingCount == 0)
    held.end()
    #expect(turns.errors.isEmpty)
  }

  @Test("A pool that is closed wakes the threads that wait, and says so")
  func closing() async throws {
    let turns = Turns()
    let held = [Holder(pool, .reading, turns), Holder(pool, .reading, turns)]
    try await queue("late", .reading, turns)
    pool.close()
    try await eventually { !turns.errors.isEmpty }
    #expect(turns.all.isEmpty && turns.errors.count == 1 && turns.errors.first?.contains("closed") == true)
    #expect(pool.waitingCount == 0)
    for holder in held { holder.end() }
  }
}
