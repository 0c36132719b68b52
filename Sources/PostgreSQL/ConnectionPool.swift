import ErrorReporting
package import Foundation

/// Connections to one database, of which each is used by one thread at a time.
///
/// A transaction or a cursor keeps its connection, while its thread may ask for a second one to read. So transactions and cursors keep
/// at most `size` − 1 connections. Readers share the last one, and never wait for another connection while they have it.
/// Threads get connections in the order in which they asked. A reader passes those who wait to keep one, if no more may be kept.
package final class ConnectionPool: @unchecked Sendable {  // guarded by `condition`
  package let address: ServerAddress
  private let size: Int
  /// The seconds that a thread waits for a connection.
  package let deadline: TimeInterval
  private let preparesStatements: Bool
  private let condition = NSCondition()
  private var idle: [Connection] = []
  /// The connections that are idle or in use.
  private var count = 0
  /// The connections that transactions and cursors keep.
  private var kept = 0
  /// The threads that wait for a connection, in the order in which they came; some of them to keep it.
  private var waiting: [(ticket: Int, keeps: Bool)] = []
  private var lastTicket = 0
  private var isClosed = false
  /// Whether a thread waits for a server that accepts no connections; see ``connect(keeping:until:)``.
  private let waitsForServer: Bool
  /// Whether the address has led to the server.
  private var hasConnected = false
  /// The time of the first attempt that found the server away; `nil` if a connection was made, or has worked, since.
  private var unreachableSince: ContinuousClock.Instant?
  /// Called with each statement before it runs.
  private let log: (@Sendable (String) -> Void)?
  /// See ``Connection/onStatementEnd``.
  private let onStatementEnd: (@Sendable (String, [Parameter], Duration) -> Void)?
  /// A connection in a transaction of somebody else, which all users of the pool share.
  private let lent: Connection?
  private let lending = NSRecursiveLock()

  /// - Parameters:
  ///   - size: the largest number of connections; at least 2.
  ///   - deadline: the seconds that a thread waits for a connection; at least 1, at most a year. Not-a-number is 10 seconds.
  ///   - preparesStatements: see ``Connection/init(_:deadline:preparesStatements:)``.
  ///   - waitsForServer: whether threads wait while the server restarts. All of them give up at the same time: when the deadline has
  ///     passed since the first failed attempt.
  package init(
    _ address: ServerAddress, size: Int, deadline: TimeInterval, preparesStatements: Bool = true,
    waitsForServer: Bool = true,
    log: (@Sendable (String) -> Void)? = nil,
    onStatementEnd: (@Sendable (_ sql: String, _ parameters: [Parameter], _ duration: Duration) -> Void)? = nil
  ) {
    self.address = address
    self.size = max(2, size)
    self.deadline = deadline.isNaN ? 10 : min(max(deadline, 1), 31_536_000)
    self.preparesStatements = preparesStatements
    self.waitsForServer = waitsForServer
    self.log = log
    self.onStatementEnd = onStatementEnd
    lent = nil
  }

  /// A pool over one connection, whose transaction the caller begins and ends. A transaction of the pool is a savepoint.
  package init(lending connection: Connection) {
    address = connection.address
    size = 1
    deadline = 0
    preparesStatements = true
    waitsForServer = false
    log = nil
    onStatementEnd = nil
    lent = connection
  }

  /// The number of threads that wait for a connection.
  package var waitingCount: Int { condition.withLock { waiting.count } }

  /// Whether the pool lends a connection that is in a transaction of somebody else.
  package var isLending: Bool { lent != nil }

  private func lend<Result>(_ connection: Connection, _ body: (Connection) throws -> Result) throws -> Result {
    try lending.withLock {
      guard !condition.withLock({ isClosed }) else { throw problem("the stage of the migration has ended") }
      return try body(connection)
    }
  }

  /// Runs a closure with a connection, which is outside a transaction afterwards. The closure asks for no other connection.
  ///
  /// - Throws: ``PostgreSQLError`` if there is no connection in time; the closure's errors.
  package func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if let lent { return try lend(lent, body) }
    let connection = try take(keeping: false)
    defer { giveBack(connection, wasKept: false) }
    return try body(connection)
  }

  /// Runs a closure that only reads. Runs it again over a new connection if the server has closed the first one.
  package func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try retrying { try withConnection(body) }
  }

  /// Runs a closure that only reads, over connections of the pool. Runs it again over new ones if the server has closed the first one.
  package func retrying<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PostgreSQLError where error.isWorthAnotherConnection {
      dropIdle()
      return try body()
    }
  }

  /// Runs a closure whose statements read one state of the database. Cost: two more round trips than ``reading(_:)``.
  ///
  /// In the transaction of somebody else, the statements read what this transaction has written.
  package func readingOneState<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !isLending else { return try withConnection(body) }
    return try reading { connection in
      try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { try body(connection) }
    }
  }

  /// Runs a closure in a transaction. Begins it over another connection if the server has closed the first one.
  ///
  /// The closure may read over other connections, and begins no other transaction.
  ///
  /// - Parameter beginsLate: see ``Connection/transaction(_:with:beginsLate:_:)``. What the closure does up to the answer to its first
  ///   statement may be done twice.
  package func transaction<Result>(beginsLate: Bool = false, _ body: (Connection) throws -> Result) throws -> Result {
    if let lent { return try lend(lent) { connection in try connection.savepoint { try body(connection) } } }
    var hasBegun = false
    func run() throws -> Result {
      let connection = try take(keeping: true)
      defer { giveBack(connection, wasKept: true) }
      return try connection.transaction(beginsLate: beginsLate) {
        defer { hasBegun = connection.beginWasAnswered }
        return try body(connection)
      }
    }
    do { return try run() } catch let error as PostgreSQLError where error.isWorthAnotherConnection && !hasBegun {
      dropIdle()
      return try run()
    }
  }

  /// Runs a closure in a transaction. Runs it again over a new connection if the first one is lost at any time: the closure has the same
  /// effect twice as once.
  package func repeating<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !isLending else { return try transaction(body) }
    return try retrying { try transaction(body) }
  }

  /// A connection for a cursor; the caller gives it back by ``giveBackFromCursor(_:)``. `nil` if cursors already keep all
  /// connections but two, of which transactions need one.
  package func takeForCursor() throws -> Connection? {
    guard !isLending else { return nil }
    let isPossible = condition.withLock {
      guard kept + 2 < size else { return false }
      kept += 1
      return true
    }
    guard isPossible else { return nil }
    do { return try take(keeping: false) } catch {
      stopKeeping()
      throw error
    }
  }

  package func giveBackFromCursor(_ connection: Connection) { giveBack(connection, wasKept: true) }

  private func stopKeeping() {
    condition.withLock {
      kept -= 1
      condition.broadcast()
    }
  }

  /// The pause, in seconds, before a thread asks a server again that has refused a connection.
  private static let refusalPause = 0.25

  private func take(keeping: Bool) throws -> Connection {
    let limit = Date(timeIntervalSinceNow: deadline)
    condition.lock()
    defer { condition.unlock() }
    lastTicket += 1
    let ticket = lastTicket
    waiting.append((ticket, keeping))
    defer { leave(ticket) }
    var isLate = false
    var refusal: PostgreSQLError?
    var mayConnectAgain = false
    while true {
      guard !isClosed else { throw problem("the store is closed") }
      // The turn is that of the first thread that may have a connection.
      if waiting.first(where: { !$0.keeps || kept < size - 1 })?.ticket == ticket {
        if let connection = idle.popLast() {
          guard connection.isUsable else {
            count -= 1
            continue
          }
          if keeping { kept += 1 }
          return connection
        }
        if count < size, refusal == nil || count == 0 || mayConnectAgain {
          mayConnectAgain = false
          count += 1
          if keeping { kept += 1 }
          // Others may connect meanwhile. A thread that the server has refused keeps its place: if a connection of the pool becomes free,
          // nobody takes it first.
          if refusal == nil { leave(ticket) }
          do { return try connect(keeping: keeping, until: limit) } catch let error as PostgreSQLError
            where error.state == .tooManyConnections && count > 0
          {
            // The server allows fewer connections now. One of the pool's, or a place at the server, may become free.
            refusal = error
            if !waiting.contains(where: { $0.ticket == ticket }) {
              waiting.insert((ticket, keeping), at: waiting.firstIndex { $0.ticket > ticket } ?? waiting.endIndex)
            }
            continue
          }
        }
      }
      guard !isLate else {
        if let refusal { throw refusal }
        throw PostgreSQLError(
          message: "all \(size) connections are in use, and none became free in time (\(deadline) seconds)",
          database: "\(address)",
          advice: "allow more connections (connectionLimit), or a longer wait (deadline), in the configuration")
      }
      // A connection may have become free in the last moment.
      let pause = refusal == nil ? limit : min(limit, Date(timeIntervalSinceNow: Self.refusalPause))
      mayConnectAgain = !condition.wait(until: pause)
      isLate = mayConnectAgain && Date() >= limit
    }
  }

  /// Ends a thread's wait. The next one may have its turn.
  private func leave(_ ticket: Int) {
    waiting.removeAll { $0.ticket == ticket }
    if !waiting.isEmpty { condition.broadcast() }
  }

  /// Makes a connection that is counted already. Unlocks the condition meanwhile.
  ///
  /// A server that has accepted a connection before may be restarting. Then the thread tries again, until its own limit. All threads
  /// give up when the deadline has passed since the first failed attempt. So if the server stays away, later requests fail at once.
  private func connect(keeping: Bool, until limit: Date) throws -> Connection {
    condition.unlock()
    defer { condition.lock() }
    do {
      while true {
        do { return try connect() } catch let error as PostgreSQLError
          where error.isOfAbsentServer && mayWaitForServer(until: limit)
        { Thread.sleep(forTimeInterval: Self.refusalPause) }
      }
    } catch {
      condition.withLock {
        count -= 1
        if keeping { kept -= 1 }
        condition.broadcast()
      }
      throw error
    }
  }

  private func connect() throws -> Connection {
    let connection = try Connection(
      address, deadline: Int(deadline.rounded(.up)), preparesStatements: preparesStatements)
    connection.log = log
    connection.onStatementEnd = onStatementEnd
    condition.withLock {
      hasConnected = true
      unreachableSince = nil
    }
    return connection
  }

  private func mayWaitForServer(until limit: Date) -> Bool {
    condition.withLock {
      guard waitsForServer, hasConnected, !isClosed else { return false }
      let since = unreachableSince ?? .now
      unreachableSince = since
      return ContinuousClock.now + .seconds(Self.refusalPause) < since + .seconds(deadline)
        && Date(timeIntervalSinceNow: Self.refusalPause) < limit
    }
  }

  private func problem(_ message: String) -> PostgreSQLError {
    PostgreSQLError(message: message, database: "\(address)")
  }

  private func giveBack(_ connection: Connection, wasKept: Bool) {
    // A closure may leave an error behind that ended neither its transaction nor the connection.
    if connection.isUsable, connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
    condition.withLock {
      if wasKept { kept -= 1 }
      if connection.isUsable { unreachableSince = nil }
      if connection.isUsable, !connection.isInTransaction, !isClosed {
        idle.append(connection)
      } else {
        count -= 1
      }
      condition.broadcast()
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

extension PostgreSQLError {
  /// Whether a second attempt over another connection may succeed. The pool has already waited for a server that refuses connections.
  fileprivate var isWorthAnotherConnection: Bool { isConnectionLost && state != .tooManyConnections }

  /// Whether no server answers at the address, or the server is starting or shutting down.
  fileprivate var isOfAbsentServer: Bool {
    isConnectionLost && (state.map { SQLState.shutdowns.contains($0) } ?? true)
  }
}
