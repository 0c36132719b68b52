import ErrorReporting
package import Foundation

/// Connections to one database, of which each is used by one thread at a time.
package final class ConnectionPool: @unchecked Sendable {  // guarded by `condition`
  package let address: ServerAddress
  private let size: Int
  private let deadline: TimeInterval
  private let condition = NSCondition()
  private var idle: [Connection] = []
  private var count = 0
  private var isClosed = false
  /// Called with each statement before it runs.
  private let log: (@Sendable (String) -> Void)?

  /// - Parameters:
  ///   - size: the largest number of connections; at least 2, since a save may fetch while it reads its objects.
  ///   - deadline: the seconds that a thread waits for a connection.
  package init(
    _ address: ServerAddress, size: Int, deadline: TimeInterval, log: (@Sendable (String) -> Void)? = nil
  ) {
    self.address = address
    self.size = max(2, size)
    self.deadline = deadline
    self.log = log
  }

  /// Runs a closure with a connection, which is outside a transaction afterwards.
  ///
  /// - Throws: ``PostgreSQLError`` if there is no connection in time; the closure's errors.
  package func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    defer { giveBack(connection) }
    return try body(connection)
  }

  /// Runs a closure that only reads; once more, over a new connection, if the server has closed the connection meanwhile.
  package func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    do { return try withConnection(body) } catch let error as PostgreSQLError where error.isConnectionLost {
      dropIdle()
      return try withConnection(body)
    }
  }

  /// Runs a closure in a transaction; begins it over another connection if the server has closed the first one meanwhile.
  package func transaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    var hasBegun = false
    func run() throws -> Result {
      try withConnection { connection in
        try connection.transaction {
          hasBegun = true
          return try body(connection)
        }
      }
    }
    do { return try run() } catch let error as PostgreSQLError where error.isConnectionLost && !hasBegun {
      dropIdle()
      return try run()
    }
  }

  /// A connection for a reader that keeps it for some time, and gives it back; `nil` if too few would be left for others.
  package func takeForLong() throws -> Connection? {
    let isPossible = condition.withLock { count - idle.count + 2 < size }
    return isPossible ? try take() : nil
  }

  private func take() throws -> Connection {
    let limit = Date(timeIntervalSinceNow: deadline)
    condition.lock()
    defer { condition.unlock() }
    while true {
      guard !isClosed else { throw problem("the store is closed") }
      if let connection = idle.popLast() {
        if connection.isUsable { return connection }
        count -= 1
        continue
      }
      if count < size {
        count += 1
        condition.unlock()
        defer { condition.lock() }
        do {
          let connection = try Connection(address, deadline: Int(max(1, deadline)))
          connection.log = log
          return connection
        } catch {
          condition.lock()
          count -= 1
          condition.signal()
          condition.unlock()
          throw error
        }
      }
      guard condition.wait(until: limit) else {
        throw problem("all \(size) connections are in use, and none became free within \(deadline) seconds")
      }
    }
  }

  private func problem(_ message: String) -> PostgreSQLError {
    PostgreSQLError(message: message, database: "\(address)")
  }

  package func giveBack(_ connection: Connection) {
    // A closure may leave an error behind that ended neither its transaction nor the connection.
    if connection.isUsable, connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
    condition.withLock {
      if connection.isUsable, !connection.isInTransaction, !isClosed {
        idle.append(connection)
      } else {
        count -= 1
      }
      condition.signal()
    }
  }

  /// Closes the connections that nobody uses.
  package func dropIdle() {
    condition.withLock {
      count -= idle.count
      idle = []
      condition.broadcast()
    }
  }

  package func close() {
    condition.withLock { isClosed = true }
    dropIdle()
  }
}
