import CSQLite
import Foundation

extension Connection {
  /// Does all work of a COMMIT that may fail, so that a caller can commit several databases one after the other.
  ///
  /// Writes the changed pages to the WAL, where no reader sees them before the commit. Reserves space on the disk for the page
  /// and the commit mark that COMMIT appends. No statement may be between two rows. Does nothing in memory.
  /// (https://www.sqlite.org/c3ref/db_cacheflush.html, fallocate(2))
  /// - Throws: ``SQLiteError``: ``ResultCode/full`` if the disk has too little space.
  package func prepareCommit() throws {
    let pointer = try pointer()
    guard isInTransaction else { throw lostTransaction }
    let code = sqlite3_db_cacheflush(pointer)
    guard code == SQLITE_OK else { throw failure(code) }
    guard let path, csqlite_log_size(pointer) >= 0 else { return }
    let log = open(path + "-wal", O_WRONLY | O_CLOEXEC)
    guard log >= 0 else { return }
    defer { Foundation.close(log) }
    var status = stat()
    guard fstat(log, &status) == 0 else { return }
    // A file system without reservations leaves the failure to COMMIT.
    if csqlite_reserve(log, Int64(status.st_size), Self.commitSize) == ENOSPC { throw failure(SQLITE_FULL) }
  }

  /// The header of a WAL and some of the largest pages, in bytes.
  private static let commitSize: Int64 = 4 * 65_536
}
