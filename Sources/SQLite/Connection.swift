import CSQLite

/// A connection to one SQLite database.
///
/// A connection and its statements belong to one owner at a time (a lock, a pool, an executor), which hands them to one
/// thread at a time. SQLite's own mutexes are off. Only ``interrupt()`` may be called from any thread.
///
/// The class is `@unchecked Sendable`, because the owner keeps this rule and the compiler cannot check it.
package final class Connection: @unchecked Sendable {
  /// The file as it was named on opening; `nil` for a database in memory.
  package let path: String?
  private var raw: RawConnection?
  private var statements: [String: Statement] = [:]
  private var statementLimit = 200
  /// The number of open ``savepoint(_:)`` blocks, which gives each block its name.
  var savepointDepth = 0
  /// The recorder that ``onStatement(isExpanded:_:)`` installed. The connection keeps it, because SQLite does not
  /// retain it.
  var recorder: StatementRecorder?
  /// The timer that ``onStatementEnd(isExpanded:_:)`` installed, kept for the same reason.
  var timer: StatementTimer?
  /// The authorizer that ``authorize(_:)`` installed, kept for the same reason.
  var authorizer: Authorizer?
  /// What waits for other connections' locks, kept for the same reason.
  private var busyHandler: BusyHandler?
  /// The error that a function threw last, of which a statement's error has only the text.
  package internal(set) var functionError: (any Error)?
  /// The guard that ``watch(_:)`` installed, kept for the same reason.
  package internal(set) var statementGuard: StatementGuard?

  /// Opens a file.
  ///
  /// Reads nothing yet. If the file is not a database, the first statement fails.
  ///
  /// - Parameter busyTimeout: how long a statement waits for another connection's lock before it fails as ``ResultCode/busy``.
  /// - Throws: ``SQLiteError``
  package convenience init(path: String, mode: OpenMode, busyTimeout: Duration = .seconds(5)) throws {
    guard !path.utf8.contains(0) else {
      throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path contains a NUL byte", path: path)
    }
    try self.init(name: mode.name(for: path), flags: mode.flags, path: path)
    setBusyTimeout(busyTimeout)
  }

  /// Opens a private database in memory, which lives as long as the connection.
  package static func inMemory() throws -> Connection {
    try Connection(name: ":memory:", flags: OpenMode.create.flags, path: nil)
  }

  /// Opens a private database in a temporary file without a name. The file disappears with the connection or the
  /// process.
  package static func temporary() throws -> Connection {
    try Connection(name: "", flags: OpenMode.create.flags, path: nil)
  }

  private init(name: String, flags: Int32, path: String?) throws {
    let raw = try RawConnection(path: name, flags: flags, reportedPath: path)
    Connection.harden(raw.pointer)
    self.raw = consume raw
    self.path = path
  }

  /// Treats the file as untrusted. Its schema may call only functions that were registered as innocuous. A name in
  /// double quotes is never a string. No SQL can write to the tables that hold the schema.
  private static func harden(_ pointer: OpaquePointer) {
    _ = csqlite_set_flag(pointer, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = csqlite_set_flag(pointer, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = csqlite_set_flag(pointer, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // A trigger of a derived attribute fires only a few other triggers. SQLite's own limit is a depth of 1,000.
    sqlite3_limit(pointer, SQLITE_LIMIT_TRIGGER_DEPTH, 64)
  }

  /// Trusts the file's schema: its triggers may use virtual tables such as R*Trees. Call this only after each trigger
  /// was compared with its expected text.
  ///
  /// - Parameter isTrusted: `false` takes the trust back.
  package func trustSchema(_ isTrusted: Bool = true) throws {
    _ = csqlite_set_flag(try pointer(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, isTrusted ? 1 : 0)
  }

  /// Closes the database; any later use of the connection throws ``ResultCode/misuse``. Closing twice is allowed.
  ///
  /// Statements that are still referenced must not be used any more.
  package func close() {
    statements.removeAll()
    raw = nil
  }

  package var isOpen: Bool { raw != nil }

  /// The handle, for the extensions of this class.
  func pointer() throws -> OpaquePointer {
    guard raw != nil, let pointer = raw?.pointer else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the connection is closed", path: path)
    }
    return pointer
  }

  /// Sets how long a statement waits for another connection's lock; zero fails at once.
  package func setBusyTimeout(_ timeout: Duration) {
    guard let pointer = try? pointer() else { return }
    let handler = BusyHandler(timeout: timeout)
    handler.install(on: pointer)
    busyHandler = handler
  }

  /// Runs a closure whose statements fail at once where another connection has a lock.
  package func withoutWaiting<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    busyHandler?.isPaused = true
    defer { busyHandler?.isPaused = false }
    return try body(self)
  }

  /// Waits on this thread, as SQLite does between two attempts to take a lock.
  package static func wait(milliseconds: Int32) { sqlite3_sleep(milliseconds) }

  /// Makes the statements that are running now fail as ``ResultCode/interrupt``; safe from any thread while the
  /// connection is open.
  package func interrupt() {
    if let pointer = try? pointer() { sqlite3_interrupt(pointer) }
  }

  /// Keeps the `-wal` file as it is when the last connection closes, instead of moving its content to the main file.
  package func keepWriteAheadLogOnClose() throws {
    let code = csqlite_set_flag(try pointer(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if code != SQLITE_OK { throw failure(code) }
  }

  // MARK: Statements

  /// The statement with this text, prepared once per connection and kept. It is reset, and no value is bound.
  ///
  /// If the kept statement is between two rows, the call prepares another one, so that nested use of one text is safe.
  /// The cost of a repeated call is one dictionary look-up.
  /// - Parameter check: runs after the call has prepared a statement, with the tables' present definitions.
  /// - Throws: ``SQLiteError``, or the error of `check`.
  package func statement(_ sql: String, check: () throws -> Void = {}) throws -> Statement {
    if let statement = statements[sql] {
      guard !statement.isBusy else {
        let other = try prepare(sql)
        try check()
        return other
      }
      statement.reset()
      statement.clearBindings()
      return statement
    }
    let statement = try prepare(sql, persistent: true)
    try check()
    if statements.count >= statementLimit { statements.removeAll(keepingCapacity: true) }
    statements[sql] = statement
    return statement
  }

  /// Prepares a statement that the caller keeps.
  ///
  /// - Throws: ``SQLiteError``; text with more than one statement, or with none, is an error.
  package func prepare(_ sql: String, persistent: Bool = false) throws -> Statement {
    let pointer = try pointer()
    var sql = sql
    var result: OpaquePointer?
    var hasTail = false
    let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sql.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text -> Int32 in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(pointer, text.baseAddress, Int32(clamping: text.count), flags, &result, &tail)
        if code == SQLITE_OK, let start = text.baseAddress, var tail {
          hasTail = Connection.holdsStatement(pointer, &tail, start + text.count)
        }
        return code
      }
    }
    guard code == SQLITE_OK else { throw failure(code, sql: sql) }
    guard let result else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "no statement", sql: sql, path: path)
    }
    let statement = Statement(RawStatement(result), path: path, statementGuard: statementGuard)
    guard !hasTail else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "more than one statement", sql: sql, path: path)
    }
    return statement
  }

  /// Whether the text holds more than blanks, comments and semicolons. Text that cannot be parsed counts as a
  /// statement.
  private static func holdsStatement(
    _ pointer: OpaquePointer, _ text: inout UnsafePointer<CChar>, _ end: UnsafePointer<CChar>
  ) -> Bool {
    while text < end {
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(pointer, text, Int32(clamping: end - text), 0, &statement, &tail)
      sqlite3_finalize(statement)
      // SQLite stops at a NUL character, so text that remains counts as a statement.
      guard code == SQLITE_OK, statement == nil, let tail, tail > text else { return true }
      text = tail
    }
    return false
  }

  /// Runs one or more statements and ignores their rows.
  /// - Throws: ``SQLiteError`` of the first statement that fails; earlier statements have run.
  package func execute(_ script: String) throws {
    let pointer = try pointer()
    guard !script.utf8.contains(0) else {
      throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the text contains a NUL character", path: path)
    }
    let code = sqlite3_exec(pointer, script, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, sql: script) }
  }

  /// The first column of the first row as an integer; `nil` if there is no row or the value is NULL.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }

  /// The first column of the first row as text; `nil` if there is no row or the value is NULL.
  package func text(_ sql: String) throws -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// The number of rows that the last statement inserted, changed or deleted, without the changes of triggers.
  package var changes: Int64 { (try? pointer()).map { sqlite3_changes64($0) } ?? 0 }

  /// The error SQLite last reported on this connection.
  func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
    // Preparing a statement reads the schema, so the guard may interrupt it too.
    if code & 0xff == SQLITE_INTERRUPT, let damage = statementGuard?.damage {
      return SQLiteError(extendedCode: SQLITE_CORRUPT, message: damage, sql: sql, path: path)
    }
    guard let pointer = try? pointer() else {
      return SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql, path: path)
    }
    // Some functions return a code without noting it at the connection, whose message is then of an earlier call.
    let isNoted = sqlite3_errcode(pointer) & 0xff == code & 0xff
    let message: UnsafePointer<CChar>? = isNoted ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)
    return SQLiteError(
      extendedCode: code, message: message.map { String(cString: $0) } ?? "", sql: sql, path: path)
  }
}
