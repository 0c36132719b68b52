import Foundation
import Glibc
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// What happens to connections that nobody uses.
@Suite("Idle connections", TestServer.condition)
struct IdleConnectionTests {
  @Model final class Note {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Test("Connections that the server has closed meanwhile are replaced, and no request fails")
  func restart() throws {
    let server = try #require(try TestServer.another())
    defer { withExtendedLifetime(server) {} }
    let configuration = PostgreSQLConfiguration(server.address, connectionLimit: 4)
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for number in 1...3 {
      context.insert(Note(number))
      try context.save()
      try server.crash()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == number)
      try server.crash()
    }
    context.insert(Note(4))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 4)
  }

  /// The options of the connection's own socket, as the operating system has them.
  private func options(_ address: String) throws -> [Int32] {
    let connection = try Connection(ServerAddress(address), deadline: 5)
    let port = try connection.run("SELECT inet_client_port()::bigint").integer(0, 0)
    let socket = try #require((0..<Int32(getdtablesize())).first { Self.localPort(of: $0) == Int(port) })
    let names = [
      (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPIDLE), (Int32(IPPROTO_TCP), TCP_KEEPINTVL),
      (Int32(IPPROTO_TCP), TCP_KEEPCNT), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT),
    ]
    return withExtendedLifetime(connection) {
      names.map { level, name in
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, name, &value, &size) == 0 ? value : -1
      }
    }
  }

  /// `nil` for a number that is no connected socket of TCP over IPv4.
  private static func localPort(of socket: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  @Test(
    "The operating system looks after half a minute whether the server is there, and gives up after a minute; an address may say otherwise",
    SecureServer.condition)
  func keepAlive() throws {
    let server = try #require(SecureServer.shared)
    let address = "postgresql://reader:hu%2Fsh%405%3A%25%C3%A9x@localhost:\(server.port)/postgres?hostaddr=127.0.0.1"
    #expect(try options(address) == [1, 30, 10, 3, 60_000])
    #expect(try options(address + "&keepalives_idle=7&tcp_user_timeout=5000") == [1, 7, 10, 3, 5000])
    #expect(try options(address + "&keepalives=0").first == 0)
  }

  @Test("A server that ends idle sessions does not end the one that listens")
  @MainActor func listening() async throws {
    let store = try TemporaryStore()
    let server = try #require(TestServer.shared)
    let address = server.address + "&application_name=\(store.databaseSchema)"
    // After this time the session asks whether the server is there, and no longer shows what it has asked before.
    let configuration = PostgreSQLConfiguration(
      address, databaseSchema: store.databaseSchema, connectionLimit: 2, deadline: 3600)
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let results = try ResultsObserver<Note, Never>(modelContext: container.mainContext)
    nonisolated(unsafe) let control = try server.connect()
    // The server shows what a session has asked last.
    let sql = "SELECT query FROM pg_stat_activity WHERE application_name = $1 AND query LIKE '%LISTEN%'"
    func listening() throws -> String? {
      let rows = try control.run(sql, [.text(store.databaseSchema)])
      return rows.rowCount == 1 ? rows.text(0, 0) : nil
    }
    try await eventually { (try? listening()) != nil }
    #expect(try listening()?.hasPrefix("SET SESSION idle_session_timeout = 0; LISTEN") == true)
    withExtendedLifetime(results) {}
  }
}
