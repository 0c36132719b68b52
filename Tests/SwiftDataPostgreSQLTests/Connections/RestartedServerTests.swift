import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite("A server that is away for a moment", TestServer.condition)
struct RestartedServerTests {
  /// Leads to the server's socket, as long as the link is there.
  private let folder: URL
  private let server: TestServer

  init() throws {
    server = try #require(TestServer.shared)
    // A socket's path has at most 107 bytes.
    folder = URL(fileURLWithPath: "/tmp/osd-away-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try comeBack()
  }

  private var socket: URL { folder.appendingPathComponent(".s.PGSQL.5432") }

  private func goAway() throws { try FileManager.default.removeItem(at: socket) }

  private func comeBack() throws {
    try FileManager.default.createSymbolicLink(
      at: socket, withDestinationURL: URL(fileURLWithPath: server.folder + "/.s.PGSQL.5432"))
  }

  private func pool(deadline: TimeInterval) throws -> ConnectionPool {
    ConnectionPool(
      try ServerAddress("postgresql://app@/postgres?host=\(folder.path)"), size: 2, deadline: deadline)
  }

  private func one(_ pool: ConnectionPool) throws -> Int64 {
    try pool.reading { try $0.run("SELECT 1::bigint").integer(0, 0) }
  }

  @Test("Requests wait for a server that restarts")
  func waiting() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = try pool(deadline: 60)
    defer { pool.close() }
    #expect(try one(pool) == 1)
    for isTransaction in [false, true] {
      pool.dropIdle()
      try goAway()
      nonisolated(unsafe) var failure: (any Error)?
      let returned = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.6)
        do { try comeBack() } catch { failure = error }
        returned.signal()
      }
      let found =
        try isTransaction ? pool.transaction { try $0.run("SELECT 1::bigint").integer(0, 0) } : one(pool)
      returned.wait()
      #expect(found == 1 && failure == nil)
    }
  }

  @Test("A request gives up at its deadline, and finds the server when it is back")
  func absent() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = try pool(deadline: 1)
    defer { pool.close() }
    #expect(try one(pool) == 1)
    pool.dropIdle()
    try goAway()
    for _ in 0..<2 {
      let error = try #require(throws: PostgreSQLError.self) { try one(pool) }
      #expect(error.isConnectionLost && error.remedy?.contains("check that the server runs") == true)
    }
    try comeBack()
    #expect(try one(pool) == 1)
  }

  @Test("Requests wait again after a moment that other connections have outlived")
  func secondTime() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = try pool(deadline: 2)
    defer { pool.close() }
    try pool.transaction { connection in
      try goAway()
      #expect(throws: PostgreSQLError.self) { try one(pool) }
      try comeBack()
      #expect(try connection.run("SELECT 1::bigint").integer(0, 0) == 1)
    }
    pool.dropIdle()
    try goAway()
    nonisolated(unsafe) var failure: (any Error)?
    let returned = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.6)
      do { try comeBack() } catch { failure = error }
      returned.signal()
    }
    defer { returned.wait() }
    #expect(try one(pool) == 1)
    #expect(failure == nil)
  }

  @Test("The first request fails where there is no server")
  func none() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try goAway()
    // It would wait for a day.
    let pool = try pool(deadline: 86_400)
    defer { pool.close() }
    #expect(throws: PostgreSQLError.self) { try one(pool) }
  }
}
