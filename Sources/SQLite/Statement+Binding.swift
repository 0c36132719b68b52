import CSQLite
package import Foundation

extension Statement {
  package func bind(_ value: Int64, at index: Int) throws {
    let code = sqlite3_bind_int64(raw.pointer, Int32(truncatingIfNeeded: index), value)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Binds a number; NaN becomes NULL, because SQLite has no NaN.
  package func bind(_ value: Double, at index: Int) throws {
    let code = sqlite3_bind_double(raw.pointer, Int32(truncatingIfNeeded: index), value)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Binds the text as UTF-8 with its length: a NUL character inside does not end it.
  package func bind(_ value: String, at index: Int) throws {
    var value = value
    let code = value.withUTF8 {
      csqlite_bind_text(raw.pointer, Int32(truncatingIfNeeded: index), $0.baseAddress, $0.count)
    }
    if code != SQLITE_OK { throw failure(code) }
  }

  package func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
    let code = csqlite_bind_blob(raw.pointer, Int32(truncatingIfNeeded: index), value.baseAddress, value.count)
    if code != SQLITE_OK { throw failure(code) }
  }

  package func bind(_ value: Data, at index: Int) throws {
    try value.withUnsafeBytes { try bind($0, at: index) }
  }

  package func bindNull(at index: Int) throws {
    let code = sqlite3_bind_null(raw.pointer, Int32(truncatingIfNeeded: index))
    if code != SQLITE_OK { throw failure(code) }
  }
}
