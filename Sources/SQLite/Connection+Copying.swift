import CSQLite

extension Connection {
  /// Copies the whole database over another connection's database, a part at a time.
  ///
  /// Call it inside a transaction of this connection that has read something: the copy has the state that the transaction reads, also if
  /// other connections write meanwhile. See https://www.sqlite.org/backup.html.
  /// - Parameters:
  ///   - destination: a connection to a database that nobody else uses.
  ///   - progress: is called after each part with the pages that are copied and the pages that there are. Its error ends the copy.
  /// - Throws: ``SQLiteError``; ``CopyReadingError`` if this database cannot be read; the errors of `progress`.
  package func copyContent(
    to destination: Connection, pagesPerStep: Int32 = 1024, progress: (_ done: Int, _ total: Int) throws -> Void
  ) throws {
    let target = try destination.pointer()
    guard let backup = sqlite3_backup_init(target, "main", try pointer(), "main") else {
      throw destination.failure(sqlite3_errcode(target))
    }
    do {
      // No pages: this locks the destination, for which its header is read. From then on it is only written.
      var code = sqlite3_backup_step(backup, 0)
      guard code == SQLITE_OK || code == SQLITE_DONE else { throw destination.failure(code) }
      repeat {
        code = sqlite3_backup_step(backup, pagesPerStep)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
          let error = destination.failure(code)
          throw error.isOfReading ? CopyReadingError(error: error) : error
        }
        let total = Int(sqlite3_backup_pagecount(backup))
        try progress(total - Int(sqlite3_backup_remaining(backup)), total)
      } while code != SQLITE_DONE
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw destination.failure(code) }
  }
}

/// The database that is copied cannot be read.
package struct CopyReadingError: Error {
  package let error: SQLiteError
}
