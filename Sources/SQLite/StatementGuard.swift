import CSQLite
import Dispatch
import Synchronization

/// Interrupts statements that would run for ever because the b-trees of a damaged file are cyclic.
///
/// SQLite trusts the shape of b-trees. If a statement outlasts the rows that a file of this size can have, the guard
/// validates the b-trees, once per guard. It never ends a statement on a sound file, however long that takes. All
/// connections of a store share one guard. Cost: a call per 250,000 of SQLite's instructions, and a timer for the first
/// run of each count.
package final class StatementGuard: Sendable {
  /// How long the count of a table may take before the b-trees are validated.
  fileprivate let countAllowance: Duration
  private let findDamage: @Sendable () -> String?
  private let state: Mutex<State>

  private struct State {
    /// Virtual-machine instructions until the b-trees are validated.
    var remaining: Int64
    var isValidated = false
    var damage: String?
    /// Texts of counts that have finished once.
    var finishedCounts: Set<String> = []
  }

  fileprivate static let interval: Int32 = 250_000
  private static let finishedCountLimit = 256

  /// - Parameters:
  ///   - fileSize: bytes of the file, for the number of rows that it can have.
  ///   - countAllowance: how long a count may take before the b-trees are validated; by default a quarter of a second,
  ///     and a second for each 200 MB of the file.
  ///   - findDamage: validates the b-trees of the file, and returns their damage. It must not use a guarded connection.
  package init(fileSize: Int64, countAllowance: Duration? = nil, findDamage: @escaping @Sendable () -> String?) {
    self.findDamage = findDamage
    self.countAllowance = countAllowance ?? .milliseconds(250) + .microseconds(fileSize / 200)
    // A row of forty bytes may take two hundred instructions.
    let (allowance, overflow) = fileSize.multipliedReportingOverflow(by: 5)
    state = Mutex(State(remaining: overflow ? .max : max(allowance, 1_000_000)))
  }

  /// The damage found in the file; `nil` if none is known.
  package var damage: String? { state.withLock(\.damage) }

  /// Whether the b-trees have been validated.
  package var isValidated: Bool { state.withLock(\.isValidated) }

  /// Validates the b-trees now, unless they have been validated before.
  package func validate() { state.withLock { validate(&$0) } }

  /// Whether a count has to be interrupted after ``countAllowance``: it has not finished before, and the b-trees are not validated.
  fileprivate func hasToTime(_ sql: String) -> Bool {
    state.withLock { !$0.isValidated && !$0.finishedCounts.contains(sql) }
  }

  fileprivate func noteFinishedCount(_ sql: String) {
    state.withLock { state in
      if state.finishedCounts.count >= StatementGuard.finishedCountLimit { state.finishedCounts.removeAll() }
      state.finishedCounts.insert(sql)
    }
  }

  /// Called every 250,000 virtual-machine instructions; returns false to interrupt the statement.
  fileprivate func mayGoOn() -> Bool {
    state.withLock { state in
      guard !state.isValidated else { return state.damage == nil }
      state.remaining -= Int64(StatementGuard.interval)
      if state.remaining <= 0 { validate(&state) }
      return state.damage == nil
    }
  }

  private func validate(_ state: inout State) {
    guard !state.isValidated else { return }
    state.isValidated = true
    state.damage = findDamage()
  }
}

extension Connection {
  /// Lets a guard end the statements of this connection if the b-trees of its file lead in circles.
  package func watch(_ statementGuard: StatementGuard) throws {
    self.statementGuard = statementGuard
    sqlite3_progress_handler(
      try pointer(), StatementGuard.interval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
      }, Unmanaged.passUnretained(statementGuard).toOpaque())
  }

  /// Takes the first step of a statement that may count a whole table.
  ///
  /// SQLite counts a table in one instruction. Meanwhile it calls no progress handler, but at each page it checks for an
  /// interruption. So a count that takes too long is interrupted, the b-trees are validated, and the count runs
  /// again if they are sound.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt`` if the b-trees lead in circles.
  package func step(counting statement: Statement) throws -> Bool {
    guard let statementGuard else { return try statement.step() }
    let sql = statement.sql
    if statementGuard.hasToTime(sql) {
      let timer = InterruptTimer(self, after: statementGuard.countAllowance)
      let result = Result { try statement.step() }
      guard timer.end() else {
        statementGuard.noteFinishedCount(sql)
        return try result.get()
      }
      // An interrupted count may end without an error, but with a wrong number.
      statement.reset()
      if case .failure(let error) = result, (error as? SQLiteError)?.code != .interrupt { throw error }
      statementGuard.validate()
    }
    if let damage = statementGuard.damage {
      throw SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, sql: sql, path: path)
    }
    return try statement.step()
  }
}

/// Interrupts a connection's statement after a delay.
private final class InterruptTimer: Sendable {
  private struct State {
    /// `nil` after the statement has ended, when the connection may have another owner.
    var connection: Connection?
    var hasFired = false
  }

  private let state: Mutex<State>

  /// A serial queue has a thread of its own. All threads of the global queue may be busy with the counts that the timer
  /// has to interrupt.
  private static let queue = DispatchQueue(label: "SQLite.InterruptTimer")

  init(_ connection: Connection, after allowance: Duration) {
    state = Mutex(State(connection: connection))
    schedule(after: allowance)
  }

  /// Stops the timer. Returns whether it has interrupted the connection.
  func end() -> Bool {
    state.withLock { state in
      state.connection = nil
      return state.hasFired
    }
  }

  /// Interrupts repeatedly: SQLite ignores an interrupt that comes before the statement's first instruction.
  private func schedule(after delay: Duration) {
    let (seconds, attoseconds) = delay.components
    let time = DispatchTime.now() + Double(seconds) + Double(attoseconds) / 1e18
    Self.queue.asyncAfter(deadline: time) { [self] in
      let isRunning = state.withLock { state in
        guard let connection = state.connection else { return false }
        state.hasFired = true
        connection.interrupt()
        return true
      }
      if isRunning { schedule(after: .milliseconds(20)) }
    }
  }
}
