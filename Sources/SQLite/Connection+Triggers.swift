import CSQLite

extension Connection {
  /// Turns the triggers that the database stores off or on, for this connection only. Temporary triggers always run.
  ///
  /// Statements are prepared again at their next use (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html,
  /// `SQLITE_DBCONFIG_ENABLE_TRIGGER`).
  package func enableTriggers(_ isEnabled: Bool) throws {
    _ = csqlite_set_flag(try pointer(), SQLITE_DBCONFIG_ENABLE_TRIGGER, isEnabled ? 1 : 0)
  }

  /// Whether temporary triggers run while stored ones are off: since SQLite 3.35.
  package static var keepsTemporaryTriggers: Bool { sqlite3_libversion_number() >= 3_035_000 }
}
