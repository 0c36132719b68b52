import CSQLiteBare
import Foundation

/// A connection through SQLite's own interface.
final class BareDatabase {
  struct Failure: Error { var message: String }

  private var handle: OpaquePointer?

  init(_ url: URL) throws {
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { throw Failure(message: "cannot open \(url.path)") }
    try execute("PRAGMA synchronous = NORMAL")
    uniteBits()
  }

  deinit { sqlite3_close(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Registers the function of this package's batch updates that unites two bitmaps of changed columns.
  private func uniteBits() {
    sqlite3_create_function_v2(
      handle, "OSD_UNITE_BITS", 2, SQLITE_UTF8, nil,
      { context, _, arguments in
        let bits = (0..<2).map { index in
          UnsafeRawBufferPointer(
            start: sqlite3_value_blob(arguments?[index]), count: Int(sqlite3_value_bytes(arguments?[index])))
        }
        let united = zip(bits[0], bits[1]).map { $0 | $1 }
        sqlite3_result_blob(context, united, Int32(united.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }, nil, nil, nil)
  }

  func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    return statement
  }

  /// Runs a statement to its end, and makes it ready for the next run.
  func run(_ statement: OpaquePointer?) throws {
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW { code = sqlite3_step(statement) }
    guard code == SQLITE_DONE else { throw failure }
    sqlite3_reset(statement)
  }

  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}

/// Binds a text, copied, or `NULL`.
func bind(_ value: String?, to statement: OpaquePointer?, at index: Int32) {
  guard var value else {
    sqlite3_bind_null(statement, index)
    return
  }
  value.withUTF8 { bytes in
    _ = bytes.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text(
        statement, index, $0.baseAddress, Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }
}
