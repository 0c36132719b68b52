import CSQLite
import Foundation

extension Connection {
  /// Moves the log into the database's file, waits until the file is on the disk, and closes the connection.
  ///
  /// Call it before a file that was written under another name takes its own name. ``close()`` does not tell whether all of the log
  /// came into the file: on a full disk it does not.
  /// - Throws: ``SQLiteError``; ``ResultCode/busy`` if another connection still uses the file. The connection is closed in each case.
  package func finish() throws {
    defer { close() }
    do {
      let statement = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
      // The columns: whether the checkpoint was stopped, the number of pages in the log, and how many of them are in the file.
      guard try statement.step(), statement.integer(0) == 0, statement.integer(1) == statement.integer(2) else {
        throw SQLiteError(
          extendedCode: ResultCode.busy.rawValue, message: "another connection still uses the file", path: path)
      }
    }
    close()
    guard let path else { return }
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(path) }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw systemError(path) }
  }

  private func systemError(_ path: String) -> SQLiteError {
    let isFull = errno == ENOSPC || errno == EDQUOT
    let message = String(cString: strerror(errno))
    return SQLiteError(extendedCode: isFull ? SQLITE_FULL : SQLITE_IOERR, message: message, path: path)
  }
}
