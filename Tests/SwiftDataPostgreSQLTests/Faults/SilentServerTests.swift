import Foundation
import Glibc
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore
@testable import SwiftData

/// Servers that are reached, and do not answer.
@Suite("Servers that do not answer", TestServer.condition)
struct SilentServerTests {
  @Model final class Note {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  let store: TemporaryStore
  let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  private func container(_ address: String, deadline: Double, readAddress: String? = nil) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      address, databaseSchema: store.databaseSchema, connectionLimit: 4, deadline: deadline, readAddress: readAddress)
    return try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
  }

  /// Accepts connections in the operating system only.
  private final class SilentSocket {
    let port: UInt16
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init() {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let listener = listener
      withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          _ = bind(listener, address, length)
          _ = listen(listener, 64)
          _ = getsockname(listener, address, &length)
        }
      }
      port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }
  }

  @Test("Fetches do not wait for a standby that does not answer")
  func standby() throws {
    let silent = SilentSocket()
    let container = try container(
      server.address, deadline: 2, readAddress: "postgresql://app@127.0.0.1:\(silent.port)/postgres")
    let context = ModelContext(container)
    context.insert(Note(1))
    try context.save()
    let start = ContinuousClock.now
    for _ in 0..<20 {
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
      Thread.sleep(forTimeInterval: 0.05)
    }
    #expect(ContinuousClock.now - start < .seconds(2.5))
  }

  @Test("The pauses before a standby is asked again grow, up to half a minute")
  func pauses() {
    let pauses = (1...40).map { Replica.pause(afterFailures: $0) }
    #expect(pauses.first == .milliseconds(100) && pauses.last == .seconds(30))
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 } && pauses[3] == .milliseconds(800))
  }

  @Test("What one session of a copy has says nothing about another session")
  func sessions() async throws {
    let server = try #require(TestServer.followed)
    _ = try container(server.address, deadline: 5)
    let standby = try TestStandby(of: server)
    let table = "\(Identifier(store.databaseSchema))._store"
    let (one, other, control) = (try server.connect(), try standby.connect(), try standby.connect())
    try await eventually { (try? control.run("SELECT 1 FROM \(table)").rowCount) == 1 }
    try control.execute("SELECT pg_wal_replay_pause()")
    try one.execute("UPDATE \(table) SET last_transaction = 5")
    let replica = Replica(
      ConnectionPool(try ServerAddress(standby.address), size: 2, deadline: 5, waitsForServer: false), table: table)
    try replica.check(other)
    replica.require(5)
    try replica.check(one)
    #expect(throws: Replica.Lag.self) { try replica.check(other) }
    #expect(throws: Replica.Lag.self) { try replica.read { _ in } }
    try replica.check(one)
    try control.execute("SELECT pg_wal_replay_resume()")
  }

  @Test("A connection that listens and hears nothing is made again")
  @MainActor func listening() async throws {
    let proxy = try CuttingProxy(to: server.folder)
    let container = try container("postgresql://app@/postgres?host=\(proxy.folder)", deadline: 1)
    let store = container.core.stores[0].engine
    let signs = Mutex(0)
    let watch = try #require(store as? any WatchableEngine).watch { signs.withLock { $0 += 1 } }
    try await eventually { signs.withLock { $0 } > 0 }
    proxy.freeze()
    let before = signs.withLock { $0 }
    try await eventually { signs.withLock { $0 } > before }
    #expect(signs.withLock { $0 } > before)
    withExtendedLifetime(watch) {}
  }
}
