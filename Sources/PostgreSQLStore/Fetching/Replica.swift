import Foundation
import PostgreSQL
import Synchronization

/// A standby: a server with a copy of the database, which follows the saves and serves reads.
///
/// A store reads its own writes, and never an older state than before. For that it notes the last transaction that it has written or seen.
/// It reads from the copy only when the copy has that transaction too.
final class Replica: Sendable {
  let pool: ConnectionPool
  /// The table with the number of the last transaction, with its schema.
  private let table: String
  private let state = Mutex(State())

  private struct State {
    /// The last transaction that the store has written or seen.
    var required: Int64 = 0
    /// The last transaction that the copy had when it was asked.
    var reached: Int64 = -1
    /// The copy is not asked before this moment.
    var pause = ContinuousClock.now
  }

  /// How long a copy that lags, or does not answer, is left alone.
  private static let pause = Duration.milliseconds(20)

  init(_ pool: ConnectionPool, table: String) {
    self.pool = pool
    self.table = table
  }

  deinit { pool.close() }

  /// Demands a transaction of all later reads.
  func require(_ transaction: Int64) { state.withLock { $0.required = max($0.required, transaction) } }

  /// Whether the copy has all that the store has seen. Cost: at most one query.
  var isCurrent: Bool {
    let (isKnown, mayAsk) = state.withLock { state in
      (state.reached >= state.required, ContinuousClock.now >= state.pause)
    }
    if isKnown { return true }
    guard mayAsk else { return false }
    let number = try? pool.reading { try $0.run("SELECT last_transaction FROM \(table)").integer(0, 0) }
    return state.withLock { state in
      if let number { state.reached = max(state.reached, number) }
      if state.reached < state.required { state.pause = ContinuousClock.now + Self.pause }
      return state.reached >= state.required
    }
  }

  /// Leaves the copy alone for a while.
  func rest() {
    state.withLock {
      $0.pause = ContinuousClock.now + Self.pause * 50; $0.reached = -1
    }
  }
}

extension ServerStore {
  /// Runs a closure that only reads, over the copy if there is one that has all that the store has seen, else over the server.
  ///
  /// Cost, while a copy lags: two more queries.
  func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try readingPool { try $0.reading(body) }
  }

  /// Runs a closure that only reads, over the pool that ``reading(_:)`` reads from.
  func readingPool<Result>(_ body: (ConnectionPool) throws -> Result) throws -> Result {
    guard let replica, !pool.isLending else { return try body(pool) }
    if replica.isCurrent {
      do { return try body(replica.pool) } catch let error as PostgreSQLError
        where error.isConnectionLost || error.state?.isTransient == true
      {
        // The copy is away, or has removed rows that the statement reads.
        replica.rest()
      }
    }
    let result = try body(pool)
    // What this read may have seen.
    if let number = try lastTransaction() { replica.require(number) }
    return result
  }
}
