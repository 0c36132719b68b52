import DatabaseFiles
import SQLite

/// How a connection shares a store with other programs.
enum ReadingMode {
  /// It takes SQLite's locks, and may take the write lock.
  case shared
  /// It takes SQLite's locks, and may not write.
  case readOnly
  /// It takes no lock. With a write-ahead log, a lock needs files beside the store, which this user may not create.
  case unlocked
  /// It reads a temporary copy of the files.
  case copied
}

extension StoreFile {
  /// Calls `body` with a connection that reads the store, and writes nothing to the store or its log.
  ///
  /// - Throws: ``StoreError``, `SQLiteError`; the errors of `body`.
  func withReader<Result>(
    busyTimeout: Duration = .seconds(5), _ body: (Connection, ReadingMode) throws -> Result
  ) throws -> Result {
    let copy = needsCopy ? try self.copy() : nil
    let place = try copy.map { try StoreFile(self, in: $0) } ?? self
    return try withExtendedLifetime(copy) {
      let hasLog = (place.size(ofCompanion: "-wal") ?? 0) > 0
      let canShare = place.isWritable && place.isFolderWritable
      let mode: OpenMode = canShare ? .readWrite : hasLog ? .readOnly : .immutable
      let index = LogIndex(of: place)
      let connection = try Connection(path: place.resolvedPath, mode: mode, busyTimeout: busyTimeout)
      defer {
        connection.close()
        if canShare { index.removeIfUnused() }
      }
      try StoreFile.require(place.identity, of: connection)
      if canShare, hasLog { try connection.keepWriteAheadLogOnClose() }
      try connection.watch(StatementGuard(untrustedFile: place.resolvedPath))
      return try body(connection, copy != nil ? .copied : canShare ? .shared : hasLog ? .readOnly : .unlocked)
    }
  }
}
