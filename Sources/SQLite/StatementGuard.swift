import CSQLite
import Foundation
import Synchronization

/// Validates a file's b-trees once, when statements on it run longer than the size of the file explains.
///
/// The connections of a store share one guard. Cost: one call per 250,000 virtual-machine instructions, and one walk
/// over the file (see ``BTreeValidator``). The guard never ends a statement on a sound file, however long the statement
/// runs.
package final class StatementGuard: Sendable {
  private let path: String
  private let state: Mutex<State>

  private struct State {
    /// Virtual-machine instructions until the b-trees are validated.
    var remaining: Int64
    var isDecided = false
    var damage: String?
  }

  fileprivate static let interval: Int32 = 250_000

  package init(path: String) {
    self.path = path
    let size = FileState(path: path)?.size ?? 0
    // Five instructions per byte: a row of forty bytes may take 200 instructions before the b-trees are validated.
    let (allowance, overflow) = size.multipliedReportingOverflow(by: 5)
    state = Mutex(State(remaining: overflow ? .max : max(allowance, 1_000_000)))
  }

  /// The damage found in the file; `nil` if none is known.
  package var damage: String? { state.withLock(\.damage) }

  /// Validates the b-trees now, if this has not been done.
  ///
  /// Use it for statements that the guard cannot interrupt. For example, the count of a whole table is one instruction.
  package func decide() { state.withLock { decide(&$0) } }

  /// Called every 250,000 virtual-machine instructions; returns `false` to interrupt the statement.
  fileprivate func mayGoOn() -> Bool {
    state.withLock { state in
      guard !state.isDecided else { return state.damage == nil }
      state.remaining -= Int64(StatementGuard.interval)
      if state.remaining <= 0 { decide(&state) }
      return state.damage == nil
    }
  }

  /// A file that cannot be read counts as sound, because SQLite itself reports other damage.
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
  /// Lets the guard interrupt this connection's statements if the file's b-trees have no end.
  package func watch(_ watch: StatementGuard) throws {
    statementGuard = watch
    sqlite3_progress_handler(
      try pointer(), StatementGuard.interval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
      }, Unmanaged.passUnretained(watch).toOpaque())
  }

  /// Validates the b-trees, if this has not been done, and throws if they have no end.
  /// - Throws: ``SQLiteError``; ``ResultCode/corrupt``.
  package func requireTrees() throws {
    statementGuard?.decide()
    if let damage = statementGuard?.damage {
      throw SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, path: path)
    }
  }
}
