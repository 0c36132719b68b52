import Foundation
import SQLite

/// Connections for reading: each reading thread has its own, and the pool keeps idle connections for the next reader.
final class ConnectionPool: @unchecked Sendable {  // guarded by `lock`
  private let lock = NSLock()
  private var idle: [Connection] = []
  private var isClosed = false
  /// The store's file; `nil` in memory.
  private let path: String?
  private let open: @Sendable () throws -> Connection
  /// The largest number of idle connections; the pool closes further ones.
  private static let idleLimit = 8

  init(of path: String?, _ open: @escaping @Sendable () throws -> Connection) {
    self.path = path
    self.open = open
  }

  /// Runs `body` with a connection that no other reader uses at the same time.
  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    defer { giveBack(connection) }
    return try body(connection)
  }

  /// Returns a connection for one reader, until the reader gives it back.
  ///
  /// - Throws: ``StoreError/Kind/closed``; the errors of opening a connection.
  func take() throws -> Connection {
    let known = try lock.withLock {
      guard !isClosed else { throw StoreError(path: path, .closed) }
      return idle.popLast()
    }
    return try known ?? open()
  }

  func giveBack(_ connection: Connection) {
    let isKept = lock.withLock {
      guard !isClosed, idle.count < ConnectionPool.idleLimit else { return false }
      idle.append(connection)
      return true
    }
    if !isKept { connection.close() }
  }

  /// Closes the idle connections at once, and the other connections when their readers give them back.
  func close() {
    let connections = lock.withLock {
      isClosed = true
      defer { idle = [] }
      return idle
    }
    for connection in connections { connection.close() }
  }
}
