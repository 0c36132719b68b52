import CSQLite
import Dispatch
import Foundation
import Synchronization

/// Ends statements that would run for ever, because the b-trees of a damaged file lead in circles.
///
/// A statement that takes longer than the rows of such a file should makes the guard walk the trees, once per store; see
/// ``BTreeValidator``. It never ends a statement on a sound file, however long that takes. The connections of a store share
/// one guard. Cost: a call per 250,000 of SQLite's instructions, and a timer for the first run of each count.
package final class StatementGuard: Sendable {
  private let path: String
  /// How long the count of a table may take before the trees are walked.
  fileprivate let countAllowance: Duration
  private let state: Mutex<State>

  private struct State {
    /// Virtual-machine instructions until the b-trees are validated.
    var remaining: Int64
    var isDecided = false
    var damage: String?
    /// Texts of counts that have come to an end once.
    var finishedCounts: Set<String> = []
  }

  fileprivate static let interval: Int32 = 250_000
  private static let finishedCountLimit = 256

  /// - Parameter countAllowance: how long a count may take before the trees are walked; by default a quarter of a second,
  ///   and a second for each 200 MB of the file.
  package init(path: String, countAllowance: Duration? = nil) {
    self.path = path
    let size = FileState(path: path)?.size ?? 0
    self.countAllowance = countAllowance ?? .milliseconds(250) + .microseconds(size / 200)
    // A row of forty bytes may take two hundred instructions before anything is looked at.
    let (allowance, overflow) = size.multipliedReportingOverflow(by: 5)
    state = Mutex(State(remaining: overflow ? .max : max(allowance, 1_000_000)))
  }

  /// The damage found in the file; `nil` if none is known.
  package var damage: String? { state.withLock(\.damage) }

  /// Whether the trees have been walked.
  package var isDecided: Bool { state.withLock(\.isDecided) }

  /// Walks the trees now, unless they have been walked before.
  package func decide() { state.withLock { decide(&$0) } }

  /// Whether a count is to be interrupted after ``countAllowance``: nothing is known yet of the table that it counts.
  fileprivate func hasToTime(_ sql: String) -> Bool {
    state.withLock { !$0.isDecided && !$0.finishedCounts.contains(sql) }
  }

  fileprivate func noteFinishedCount(_ sql: String) {
    state.withLock { state in
      if state.finishedCounts.count >= StatementGuard.finishedCountLimit { state.finishedCounts.removeAll() }
      state.finishedCounts.insert(sql)
    }
  }

  /// Counts another 250,000 instructions. Returns whether the statement may go on.
  fileprivate func mayGoOn() -> Bool {
    state.withLock { state in
      guard !state.isDecided else { return state.damage == nil }
      state.remaining -= Int64(StatementGuard.interval)
      if state.remaining <= 0 { decide(&state) }
      return state.damage == nil
    }
  }

  /// Walks the trees. A file that cannot be read counts as sound: SQLite itself reports other damage.
  private func decide(_ state: inout State) {
    guard !state.isDecided else { return }
    state.isDecided = true
    let (hasIndex, hasLog) = (exists("-shm"), exists("-wal"))
    do {
      // If a WAL has no index (`-shm`), its reader has locked the file or cannot create an index. A copy has an index
      // of its own.
      let copy = hasLog && !hasIndex ? try DatabaseCopy(of: path) : nil
      // If no program has the file open, an immutable connection leaves no file beside it.
      let mode: OpenMode = copy != nil ? .readWrite : hasIndex ? .readOnly : .immutable
      let connection = try Connection(path: copy?.path ?? path, mode: mode, busyTimeout: .zero)
      defer { connection.close() }
      // The transaction keeps newer pages of the WAL out of the file during the walk. The pragma does not read the
      // schema, whose own b-tree may have no end.
      try connection.execute("BEGIN; PRAGMA user_version")
      for _ in 0..<3 {
        let before = marks(mode)
        let damage = try StatementGuard.damage(connection)
        if damage == nil || marks(mode) == before {
          state.damage = damage
          break
        }
      }
      withExtendedLifetime(copy) {}
    } catch {}
  }

  /// Detects a write between two reads: a restarted WAL or, in a mode without locks, a changed main file. A program
  /// restarts a WAL after all of its pages are in the main file.
  private func marks(_ mode: OpenMode) -> (log: Data?, file: FileState?) {
    (WALIndex.header(path: path + "-wal"), mode == .immutable ? FileState(path: path) : nil)
  }

  private func exists(_ suffix: String) -> Bool { FileManager.default.fileExists(atPath: path + suffix) }

  private static func damage(_ connection: Connection) throws -> String? {
    do {
      return try BTreeValidator(connection).damage.min { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    } catch let error as SQLiteError where error.code == .corrupt {
      return error.message
    }
  }
}

extension Connection {
  /// Lets a guard end the statements of this connection where the file's trees lead in circles.
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
  /// SQLite counts a table in one instruction. It calls no progress handler meanwhile, but looks at each page whether it has
  /// been interrupted. So a count that takes too long is interrupted, the trees are walked, and the count runs again where
  /// they are sound.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt`` where the trees lead in circles.
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
      // An interrupted count may end without an error, and with a number that is not right.
      statement.reset()
      if case .failure(let error) = result, (error as? SQLiteError)?.code != .interrupt { throw error }
      statementGuard.decide()
    }
    if let damage = statementGuard.damage {
      throw SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, sql: sql, path: path)
    }
    return try statement.step()
  }
}

/// Interrupts the statement of a connection when its time is over.
private final class InterruptTimer: Sendable {
  private struct State {
    /// `nil` once the statement has ended: the connection may be somebody else's then.
    var connection: Connection?
    var hasFired = false
  }

  private let state: Mutex<State>

  /// A serial queue gets a thread of its own from Dispatch. The threads of the global queue may all be busy with the very counts
  /// that have to be interrupted.
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

  /// Interrupts again and again: SQLite forgets an interruption from before the statement's first instruction.
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
