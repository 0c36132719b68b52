import ErrorReporting
import Foundation
import PostgreSQL
package import StoreRequests
import Synchronization

extension ServerStore: TransactionalEngine {
  package var commitsRemotely: Bool { true }
  package var place: String? { "\(pool.address)" }

  /// Writes a change set in one transaction, or writes nothing.
  ///
  /// It tries again in six cases:
  /// - The server has ended the transaction because of another transaction. The attempts end at the deadline of the configuration.
  /// - Somebody has inserted rows with the unique values of new rows. The next attempt overwrites these rows.
  /// - Somebody has inserted rows with the keys of new rows. The next attempt takes other keys.
  /// - Somebody has changed a row that one of many insertions overwrites. The next attempt locks such rows when it finds them.
  /// - A foreign key that is checked at once refused a statement. The next attempt writes the rows in the order of the foreign keys.
  /// - The connection was lost, and the server has not committed the transaction. It tries a few times.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, ``StoreProblem``, ``PostgreSQLError``, or an error of a source.
  package func save(_ changes: ChangeSet) throws -> SaveResult {
    guard !changes.isEmpty else { return SaveResult() }
    return try write(changes, beforeCommit: nil)
  }

  /// As ``save(_:)``. Checks deferred constraints before the closure, and does not try again after it.
  package func save(_ changes: ChangeSet, beforeCommit: (SaveResult) throws -> Void) throws -> SaveResult {
    guard !changes.isEmpty else {
      try beforeCommit(SaveResult())
      return SaveResult()
    }
    return try withoutActuallyEscaping(beforeCommit) { try write(changes, beforeCommit: $0) }
  }

  /// What the failed attempts have come to.
  private struct Attempts {
    var strategy: SaveStrategy
    var repetition: Repetition
    /// `false` once a closure has done work that cannot be done again.
    var mayRepeat = true
    /// What the last attempt wrote before its commit.
    var written: (result: SaveResult, transaction: RecordedTransaction)?
  }

  private func write(_ changes: ChangeSet, beforeCommit: ((SaveResult) throws -> Void)?) throws -> SaveResult {
    try requireWriting()
    let strategy = SaveStrategy(
      changes, isLent: pool.isLending, ordersByReference: checksAtOnce.withLock { $0 }, isContended: contention.isHigh)
    var attempts = Attempts(strategy: strategy, repetition: Repetition(until: .now + .seconds(pool.deadline)))
    while true {
      attempts.written = nil
      do {
        let result = try noticingChanges { try write(changes, &attempts, beforeCommit) }
        if let number = result.transaction { replica?.require(number) }
        return result
      } catch is OverwrittenRowChanged {
        attempts.strategy.locksOverwritten = true
      } catch let error as PostgreSQLError {
        if let result = try resultOfLostCommit(error, attempts) { return result }
        try prepareNextAttempt(after: error, changes, &attempts)
      }
    }
  }

  /// Writes the changes in one transaction.
  private func write(
    _ changes: ChangeSet, _ attempts: inout Attempts, _ beforeCommit: ((SaveResult) throws -> Void)?
  ) throws -> SaveResult {
    try pool.transaction(beginsLate: true) { connection in
      // A migration's transaction checks at once; rows of a save may refer to rows that it writes later.
      if pool.isLending { try connection.execute("SET CONSTRAINTS ALL DEFERRED") }
      var transaction = SaveTransaction(
        changes, connection: connection, layout: layout, keys: keys, strategy: attempts.strategy)
      attempts.written = try transaction.run(state)
      guard let written = attempts.written else { throw try changedError(connection) }
      if pool.isLending || beforeCommit != nil { try connection.execute("SET CONSTRAINTS ALL IMMEDIATE") }
      if let beforeCommit {
        attempts.mayRepeat = false
        try beforeCommit(written.result)
      }
      return written.result
    }
  }

  /// The result of a save whose connection was lost at the commit; `nil` if nothing has been committed.
  ///
  /// - Throws: an error if nobody can tell.
  private func resultOfLostCommit(_ error: PostgreSQLError, _ attempts: Attempts) throws -> SaveResult? {
    guard error.isConnectionLost, !pool.isLending, let written = attempts.written,
      let number = written.transaction.number
    else { return nil }
    pool.dropIdle()
    guard let isSaved = hasCommitted(written.transaction) else { throw unknownOutcome }
    guard isSaved else { return nil }
    replica?.require(number)
    return written.result
  }

  /// Waits until the next attempt may begin, which has another strategy if that helps.
  ///
  /// - Throws: the error, in the words of the model, if there is to be no other attempt.
  private func prepareNextAttempt(
    after error: PostgreSQLError, _ changes: ChangeSet, _ attempts: inout Attempts
  ) throws {
    if let constraint = immediateConstraint(error) {
      guard attempts.mayRepeat, !attempts.strategy.ordersByReference else {
        throw layout.phrasedAtOnce(error, constraint)
      }
      attempts.strategy.ordersByReference = true
      // The next saves need not fail first.
      checksAtOnce.withLock { $0 = true }
      return
    }
    if let refusal = refusal(error, changes) { throw refusal }
    let isTransient = error.state?.isTransient == true
    if error.state == .deadlock { contention.noteDeadlock() }
    let named = namingClashes(phrased(error), changes)
    guard attempts.mayRepeat, isWorthTrying(error, named, changes), attempts.repetition.next(isBounded: !isTransient)
    else { throw named }
    if isTransient { attempts.strategy.runAlone() }
  }

  /// - Parameter named: the error in the words of the model.
  private func isWorthTrying(_ error: PostgreSQLError, _ named: any Error, _ changes: ChangeSet) -> Bool {
    if error.isConnectionLost { return !pool.isLending }
    guard let state = error.state else { return false }
    if state.isTransient { return true }
    return state == .uniqueViolation && !pool.isLending
      && (mayFindRow(error, named, changes) || takesNewKeys(after: error, changes))
  }

  /// Lets the next attempt take other keys if a program has inserted a row with one of these keys.
  private func takesNewKeys(after error: PostgreSQLError, _ changes: ChangeSet) -> Bool {
    guard !changes.insertions.isEmpty, let table = layout.table(named: error), let constraint = error.constraint,
      !table.uniqueConstraints.contains(where: { $0.name.name == constraint })
    else { return false }
    // A user who may not move the sequence gets the error, whose remedy has the statement.
    do { return try pool.withConnection { try keys.renew(table, after: constraint, over: $0) } } catch {
      ServerLog.warn("\(pool.address): the sequence of the table \(quoted(table.name.name)) was not moved: \(error)")
      return false
    }
  }

  /// Whether the next attempt may find the row of somebody else that has the unique values of an insertion.
  private func mayFindRow(_ error: PostgreSQLError, _ named: any Error, _ changes: ChangeSet) -> Bool {
    // A clash of an update stays one.
    guard case SaveError.notUnique(_, _, let clashes) = named, clashes.isEmpty,
      let table = layout.table(named: error),
      let constraint = table.uniqueConstraints.first(where: { $0.name.name == error.constraint })
    else { return false }
    return changes.insertions.contains { insertion in
      layout.entities.entity(numbered: insertion.entity)?.lineage.contains(constraint.entity.name) == true
        && Set(insertion.columns.map(\.propertyName)).isSuperset(of: constraint.propertyNames)
    }
  }
}

/// The repetitions of a save, with pauses between them.
private struct Repetition {
  private let limit: ContinuousClock.Instant
  private var count = 0

  private static let boundedCount = 5
  private static let longestPause = 0.5

  init(until limit: ContinuousClock.Instant) { self.limit = limit }

  /// Waits before the next attempt: about twice as long as before the last one, for a random time, so that two saves do not meet
  /// again.
  ///
  /// - Parameter isBounded: whether only a few attempts are allowed, because each may last until the deadline, or because
  ///   every attempt may fail.
  /// - Returns: `false` if there is to be no other attempt.
  mutating func next(isBounded: Bool) -> Bool {
    count += 1
    if isBounded, count > Self.boundedCount { return false }
    let longest = min(0.005 * Double(1 << min(count, 10)), Self.longestPause)
    let pause = Double.random(in: longest / 4...longest)
    guard ContinuousClock.now + .seconds(pause) < limit else { return false }
    Thread.sleep(forTimeInterval: pause)
    return true
  }
}
