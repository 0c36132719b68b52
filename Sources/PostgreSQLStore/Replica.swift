import Foundation
import PostgreSQL
import Synchronization

/// A standby: a server with a copy of the database, which follows the saves and serves reads.
///
/// A store reads its own writes, and never an older state than before. For that it notes the last transaction that it has written or seen.
/// It reads in a session of the copy only when this session has that transaction too: the address may lead to several standbys.
///
/// No read waits for a copy that is away. One thread asks it, after pauses that grow, until it answers.
final class Replica: Sendable {
  let pool: ConnectionPool
  /// The statement that reads the number of the last transaction.
  private let question: String
  /// See ``ServerOptions/sharesSessions``.
  private let sharesSessions: Bool
  private let state = Mutex(State())

  private struct State {
    /// The last transaction that the store has written or seen.
    var required: Int64 = 0
    /// The copy is left alone until this moment.
    var pause = ContinuousClock.now
    /// How often in a row the copy did not answer.
    var failureCount = 0
    /// Whether a thread asks if the copy is back.
    var isAsking = false
  }

  /// A session of the copy lacks a transaction that the store has seen.
  struct Lag: Error {}

  private static let pauseOfLag = Duration.milliseconds(20)
  private static let pauseOfConflict = Duration.seconds(1)

  /// The pause after some failures in a row: from a tenth of a second to half a minute.
  static func pause(afterFailures count: Int) -> Duration {
    min(.milliseconds(100) * (1 << min(max(count - 1, 0), 20)), .seconds(30))
  }

  init(_ pool: ConnectionPool, table: String, sharesSessions: Bool = false) {
    self.pool = pool
    self.sharesSessions = sharesSessions
    question = "SELECT last_transaction FROM \(table)"
  }

  deinit { pool.close() }

  /// Demands a transaction of all later reads.
  func require(_ transaction: Int64) { state.withLock { $0.required = max($0.required, transaction) } }

  /// Runs a closure in a session that has all that the store has seen. Cost: at most one query before it, and two more round trips where a
  /// pooler shares the sessions.
  ///
  /// - Throws: ``Lag`` if the session has not; the closure's errors.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try pool.withConnection { connection in
      func checked() throws -> Result {
        try check(connection)
        return try body(connection)
      }
      guard sharesSessions else { return try checked() }
      return try connection.transaction("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY") { try checked() }
    }
  }

  /// - Throws: ``Lag`` if the connection's session lacks a transaction that the store has seen.
  func check(_ connection: Connection) throws {
    let required = state.withLock { $0.required }
    // Behind a pooler, the next transaction may be another session's.
    if !sharesSessions, let reached = connection.mark, reached >= required { return }
    let reached: Int64
    do {
      let result = try connection.run(question)
      reached = result.rowCount == 1 ? result.integer(0, 0) : -1
    } catch let error as PostgreSQLError where !error.isConnectionLost && error.state?.isTransient != true {
      // A new store has not come to the copy yet.
      reached = -1
    }
    connection.mark = reached
    guard reached >= required else {
      state.withLock { $0.pause = ContinuousClock.now + Self.pauseOfLag }
      throw Lag()
    }
  }

  // MARK: Absence

  /// Whether a read is to try the copy. If the copy did not answer, lets a thread of its own ask from time to time.
  var isWorthTrying: Bool {
    let (isWorthTrying, asks) = state.withLock { state -> (Bool, Bool) in
      guard ContinuousClock.now >= state.pause else { return (false, false) }
      guard state.failureCount > 0 else { return (true, false) }
      defer { state.isAsking = true }
      return (false, !state.isAsking)
    }
    if asks { Thread.detachNewThread { [weak self] in self?.ask() } }
    return isWorthTrying
  }

  private func ask() {
    let answers = (try? pool.withConnection { try $0.run("SELECT 1") }) != nil
    state.withLock { state in
      state.isAsking = false
      if answers { state.failureCount = 0 }
    }
    if !answers { rest() }
  }

  /// Leaves a copy alone that does not answer. Failures of several threads at a time count once.
  func rest() {
    pool.dropIdle()
    state.withLock { state in
      let now = ContinuousClock.now
      if state.failureCount > 0, now < state.pause { return }
      state.failureCount += 1
      state.pause = now + Self.pause(afterFailures: state.failureCount)
    }
  }

  /// Leaves a copy alone that has ended a statement, because it follows the server.
  fileprivate func yield() { state.withLock { $0.pause = ContinuousClock.now + Self.pauseOfConflict } }
}

/// The server, or a copy of it, that serves a read.
struct ReadPlace {
  let pool: ConnectionPool
  /// `nil` for the server itself.
  var replica: Replica?

  /// Runs a closure that only reads; over the server, once more if the connection was lost.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if let replica { return try replica.read(body) }
    return try pool.reading(body)
  }

  /// Runs a closure that takes connections of the pool; over the server, once more if the connection was lost.
  func retrying<Result>(_ body: () throws -> Result) throws -> Result {
    replica == nil ? try pool.retrying(body) : try body()
  }

  /// - Throws: ``Replica/Lag``
  func check(_ connection: Connection) throws { try replica?.check(connection) }
}

extension ServerStore {
  /// Runs a closure that only reads, over the copy if there is one that has all that the store has seen, else over the server.
  ///
  /// Cost, while a copy lags: two more queries.
  func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try choosingPlace { try $0.read(body) }
  }

  /// Runs a closure that only reads, at the place that ``reading(_:)`` reads from.
  func choosingPlace<Result>(_ body: (ReadPlace) throws -> Result) throws -> Result {
    guard let replica, !pool.isLending else { return try body(ReadPlace(pool: pool)) }
    if replica.isWorthTrying {
      do { return try body(ReadPlace(pool: replica.pool, replica: replica)) } catch is Replica.Lag {
      } catch let error as PostgreSQLError where error.isConnectionLost {
        replica.rest()
      } catch let error as PostgreSQLError where error.state?.isTransient == true {
        // The copy has removed rows that the statement reads.
        replica.yield()
      }
    }
    let result = try body(ReadPlace(pool: pool))
    // What this read may have seen.
    if let number = try lastTransaction() { replica.require(number) }
    return result
  }
}
