import Foundation
import SQLite

/// Connections for reading, one for each thread that reads at the moment; idle ones are kept for the next.
final class ConnectionPool: @unchecked Sendable {  // guarded by `lock`
  private let lock = NSLock()
  private var idle: [Connection] = []
  private var isClosed = false
  private let open: @Sendable () throws -> Connection
  /// More than that many idle connections are closed.
  private static let idleLimit = 8

  init(_ open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// Runs `body` with a connection that nobody else uses meanwhile.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    defer { giveBack(connection) }
    return try body(connection)
  }

  /// A connection for one reader alone, until it gives it back.
  func take() throws -> Connection {
    try lock.withLock { isClosed ? nil : idle.popLast() } ?? open()
  }

  func giveBack(_ connection: Connection) {
    let isKept = lock.withLock {
      guard !isClosed, idle.count < ConnectionPool.idleLimit else { return false }
      idle.append(connection)
      return true
    }
    if !isKept { connection.close() }
  }

  /// Closes the idle connections at once, the others as they come back.
  func close() {
    let connections = lock.withLock {
      isClosed = true
      defer { idle = [] }
      return idle
    }
    for connection in connections { connection.close() }
  }
}
