import Foundation
package import SQLite

extension BTreeValidator {
  /// The first damage of the b-trees of a file, as `table problem`; `nil` if they are sound.
  ///
  /// Opens a connection of its own. It works while other programs write the file, and makes no file beside it. A file that
  /// cannot be read counts as sound, because SQLite itself reports any other damage.
  package static func damage(ofFileAt path: String) -> String? {
    func exists(_ suffix: String) -> Bool { FileManager.default.fileExists(atPath: path + suffix) }
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
      return try withExtendedLifetime(copy) {
        for _ in 0..<3 {
          let before = marks(path, mode)
          let damage = try damage(connection)
          if damage == nil || marks(path, mode) == before { return damage }
        }
        return nil
      }
    } catch { return nil }
  }

  /// Detects a write between two reads: a restarted WAL or, in a mode without locks, a changed main file. A program
  /// restarts a WAL after all of its pages are in the main file.
  private static func marks(_ path: String, _ mode: OpenMode) -> (log: Data?, file: FileState?) {
    (WALIndex.header(path: path + "-wal"), mode == .immutable ? FileState(path: path) : nil)
  }

  private static func damage(_ connection: Connection) throws -> String? {
    do {
      return try BTreeValidator(connection).damage.min { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    } catch let error as SQLiteError where error.code == .corrupt {
      return error.message
    }
  }
}

extension StatementGuard {
  /// A guard for connections to a file that any program may have written.
  ///
  /// - Parameter countAllowance: as in ``init(fileSize:countAllowance:findDamage:)``
  package convenience init(untrustedFile path: String, countAllowance: Duration? = nil) {
    self.init(fileSize: FileState(path: path)?.size ?? 0, countAllowance: countAllowance) {
      BTreeValidator.damage(ofFileAt: path)
    }
  }
}
