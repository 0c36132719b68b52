import CSQLite

extension Connection {
  /// Copies the committed state of this database over another connection's database, in one step.
  ///
  /// - Throws: ``SQLiteError``; in this case the destination keeps its content.
  package func backup(to destination: Connection) throws {
    let target = try destination.pointer()
    guard let backup = sqlite3_backup_init(target, "main", try pointer(), "main") else {
      throw destination.failure(sqlite3_extended_errcode(target))
    }
    let step = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    if step != SQLITE_DONE { throw destination.failure(step) }
    if end != SQLITE_OK { throw destination.failure(end) }
  }
}
