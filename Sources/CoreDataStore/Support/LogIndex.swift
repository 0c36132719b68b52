import DatabaseFiles
import Foundation
import SQLite

/// The index of a store's log: the `-shm` file. SQLite makes it to read the log, and removes it together with the log.
///
/// A connection that only reads keeps the log, so SQLite leaves the index behind.
struct LogIndex: Sendable {
  private let path: String
  private let identity: StoreFile.Identity?
  private let wasThere: Bool

  /// Notes whether the index is there, before a connection makes it.
  init(of file: StoreFile) {
    path = file.resolvedPath
    identity = file.identity
    wasThere = file.isInUse
  }

  /// Removes the index, unless it was there before, or a connection of any process has the store open.
  ///
  /// Call it after this process's connections are closed. Without an index, the next connection reads the whole log to make one.
  func removeIfUnused() {
    guard !wasThere, FileState(path: path + "-shm") != nil else { return }
    do {
      let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
      defer { connection.close() }
      try StoreFile.require(identity, of: connection)
      try connection.keepWriteAheadLogOnClose()
      // In this mode, the first read of a log locks the whole file: nobody has the index open, and nobody can open it.
      // https://www.sqlite.org/wal.html#noshm
      try connection.setPragma("locking_mode", "EXCLUSIVE")
      _ = try connection.schemaVersion()
      unlink(path + "-shm")
    } catch {
      // Somebody has opened the store, and the index is theirs; or the file has been replaced.
    }
  }
}
