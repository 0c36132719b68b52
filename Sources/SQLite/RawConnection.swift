import CSQLite

/// Owns a `sqlite3 *` and closes it when released.
///
/// `sqlite3_close_v2` keeps the memory until the last statement is finalized. So a statement that outlives its
/// connection is useless but harmless.
@usableFromInline
package struct RawConnection: ~Copyable {
  @usableFromInline let pointer: OpaquePointer

  /// The first read ends SQLite's count of the process's memory; `false` if the process has used SQLite before.
  ///
  /// The count has one lock, which every allocation takes. Threads would wait for it, although each has its own connection.
  private static let countsNoMemory = csqlite_stop_counting_memory() == SQLITE_OK

  /// - Throws: ``SQLiteError`` if the file cannot be opened; in this case nothing stays open.
  init(path: String, flags: Int32, reportedPath: String?) throws {
    _ = Self.countsNoMemory
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard code == SQLITE_OK, let pointer else {
      let error = SQLiteError(
        extendedCode: pointer.map(sqlite3_extended_errcode) ?? code,
        message: pointer.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code)),
        path: reportedPath)
      sqlite3_close_v2(pointer)
      throw error
    }
    self.pointer = pointer
    sqlite3_extended_result_codes(pointer, 1)
  }

  deinit {
    // A statement that is finalized later asks no handler, which may be gone.
    sqlite3_busy_handler(pointer, nil, nil)
    sqlite3_close_v2(pointer)
  }
}
