import CSQLite

/// A prepared statement: bind by index, step, read by index.
///
/// Binding and stepping allocate nothing; only the values that are read do. As in SQLite, indexes of placeholders start
/// at 1 and indexes of columns at 0. A statement belongs to the owner of its ``Connection``, and is useless without it.
public final class Statement {
  @usableFromInline let raw: RawStatement
  private let path: String?
  private let statementGuard: StatementGuard?

  init(_ raw: consuming RawStatement, path: String?, statementGuard: StatementGuard?) {
    self.raw = raw
    self.path = path
    self.statementGuard = statementGuard
  }

  /// Runs to the next row: `true` if there is one, `false` at the end.
  ///
  /// - Throws: ``SQLiteError``; the statement is then reset and may run again.
  package func step() throws -> Bool {
    let code = sqlite3_step(raw.pointer)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw stepFailure(code)
  }

  /// Runs a statement to its end and resets it. Use it for an insert, an update or a delete.
  package func run() throws {
    let code = sqlite3_step(raw.pointer)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw stepFailure(code) }
    sqlite3_reset(raw.pointer)
  }

  /// Makes the statement ready to run again; bound values stay bound.
  package func reset() { sqlite3_reset(raw.pointer) }

  /// Binds NULL to every placeholder.
  package func clearBindings() { sqlite3_clear_bindings(raw.pointer) }

  /// Whether the statement is between two of its rows.
  package var isBusy: Bool { sqlite3_stmt_busy(raw.pointer) != 0 }
  /// Whether SQLite has prepared the statement anew since this property was last read, because a definition had changed.
  package var wasPreparedAnew: Bool { sqlite3_stmt_status(raw.pointer, SQLITE_STMTSTATUS_REPREPARE, 1) > 0 }
  /// Whether the statement writes nothing to the database file.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(raw.pointer) != 0 }
  package var columnCount: Int { Int(sqlite3_column_count(raw.pointer)) }
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(raw.pointer)) }
  /// The text it was prepared from.
  package var sql: String { sqlite3_sql(raw.pointer).map { String(cString: $0) } ?? "" }

  /// The name of a result column; empty if there is no such column.
  package func columnName(_ column: Int) -> String {
    sqlite3_column_name(raw.pointer, Int32(clamping: column)).map { String(cString: $0) } ?? ""
  }

  /// Reads the error, then resets the statement. The reset returns the error a second time, which is ignored.
  func stepFailure(_ code: Int32) -> SQLiteError {
    let error = failure(code)
    sqlite3_reset(raw.pointer)
    return error
  }

  func failure(_ code: Int32) -> SQLiteError {
    if code & 0xff == SQLITE_INTERRUPT, let damage = statementGuard?.damage {
      return SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, sql: sql, path: path)
    }
    let database = sqlite3_db_handle(raw.pointer)
    let message = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    return SQLiteError(extendedCode: code, message: message, sql: sql, path: path)
  }
}
