import CSQLite

extension Connection {
  /// Copies another connection's whole database over this one, in one transaction: other connections see the old content or the new.
  ///
  /// The page sizes have to agree. See https://www.sqlite.org/backup.html.
  /// - Parameter isAllowed: is asked when this database is locked for writing, before its first page changes; `false` leaves it as
  ///   it was.
  /// - Returns: whether the content was replaced.
  /// - Throws: ``SQLiteError``; the content is the old one then.
  @discardableResult
  package func replaceContent(from source: Connection, ifAllowed isAllowed: () throws -> Bool = { true }) throws -> Bool
  {
    let destination = try pointer()
    guard let backup = sqlite3_backup_init(destination, "main", try source.pointer(), "main") else {
      throw failure(sqlite3_errcode(destination))
    }
    do {
      // No pages: this takes the lock only.
      let locked = sqlite3_backup_step(backup, 0)
      guard locked == SQLITE_OK || locked == SQLITE_DONE else { throw failure(locked) }
      guard try isAllowed() else {
        sqlite3_backup_finish(backup)
        return false
      }
      let code = sqlite3_backup_step(backup, -1)
      guard code == SQLITE_DONE else { throw failure(code) }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw failure(code) }
    return true
  }
}
