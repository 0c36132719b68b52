import CSQLite
import Foundation
import Synchronization

/// Asks once whether a file's trees of pages have an end, when its statements take longer than rows of such a file should.
///
/// Shared by the connections of a store. Cost: a call per 250,000 instructions of SQLite's, and one walk over the file, see
/// ``BTreeValidator``; it never ends a statement on a sound file, however long that takes.
package final class StatementGuard: Sendable {
  private let path: String
  private let state: Mutex<State>

  private struct State {
    /// Instructions until the trees are looked at.
    var remaining: Int64
    var isDecided = false
    var damage: String?
  }

  fileprivate static let interval: Int32 = 250_000

  package init(path: String) {
    self.path = path
    let size = FileState(path: path)?.size ?? 0
    // A row of forty bytes may take two hundred instructions before anything is looked at.
    let (allowance, overflow) = size.multipliedReportingOverflow(by: 5)
    state = Mutex(State(remaining: overflow ? .max : max(allowance, 1_000_000)))
  }

  /// What is wrong with the file; `nil` while nothing is known to be.
  package var damage: String? { state.withLock(\.damage) }

  /// Looks at the trees now if it has not been done.
  ///
  /// For statements that nothing can end, such as the counting of a whole table, which is one instruction.
  package func decide() { state.withLock { decide(&$0) } }

  /// Hears of another 250,000 instructions: whether the statement may go on.
  fileprivate func mayGoOn() -> Bool {
    state.withLock { state in
      guard !state.isDecided else { return state.damage == nil }
      state.remaining -= Int64(StatementGuard.interval)
      if state.remaining <= 0 { decide(&state) }
      return state.damage == nil
    }
  }

  /// What cannot be looked at counts as whole: SQLite itself tells of other damage.
  private func decide(_ state: inout State) {
    guard !state.isDecided else { return }
    state.isDecided = true
    let (hasIndex, hasLog) = (exists("-shm"), exists("-wal"))
    do {
      // Where a log has no index, whoever reads it has locked the file, or may make none; a copy has an index of its own.
      let copy = hasLog && !hasIndex ? try DatabaseCopy(of: path) : nil
      // Where nobody has the file open, looking at it leaves no trace beside it.
      let mode: OpenMode = copy != nil ? .readWrite : hasIndex ? .readOnly : .immutable
      let connection = try Connection(path: copy?.path ?? path, mode: mode, busyTimeout: .zero)
      defer { connection.close() }
      // Nothing of a log is moved into the file while this reads. The pragma does not ask for the definitions, whose own tree
      // may be one without end.
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

  /// What is otherwise if pages that were looked at may have been of two states: a log that began anew, as one does of which
  /// everything is in the file; or, where no lock keeps others from it, a file that was written.
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
  /// Lets a watch end the statements of this connection where the file's trees do not end.
  package func watch(_ watch: StatementGuard) throws {
    statementGuard = watch
    sqlite3_progress_handler(
      try pointer(), StatementGuard.interval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
      }, Unmanaged.passUnretained(watch).toOpaque())
  }

  /// Refuses to go on where the trees are known, or found now, to have no end.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt``.
  package func requireTrees() throws {
    statementGuard?.decide()
    if let damage = statementGuard?.damage {
      throw SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, path: path)
    }
  }
}
