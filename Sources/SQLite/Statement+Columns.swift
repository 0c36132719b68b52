import CSQLite
package import Foundation

/// The storage class of a value (https://www.sqlite.org/datatype3.html).
package enum StorageClass: Int32, Sendable, Hashable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}

extension Statement {
  @inlinable
  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(raw.pointer, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  @inlinable
  package func type(_ column: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(raw.pointer, Int32(truncatingIfNeeded: column))) ?? .null
  }

  /// The value as an integer; zero for NULL, a real number truncated.
  @inlinable
  package func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(raw.pointer, Int32(truncatingIfNeeded: column))
  }

  /// The value as a floating-point number; zero for NULL, integers converted (CD-5).
  @inlinable
  package func double(_ column: Int) -> Double {
    sqlite3_column_double(raw.pointer, Int32(truncatingIfNeeded: column))
  }

  /// The value as text, `nil` for NULL; invalid UTF-8 is repaired with replacement characters.
  @inlinable
  package func text(_ column: Int) -> String? {
    let index = Int32(truncatingIfNeeded: column)
    guard let start = sqlite3_column_text(raw.pointer, index) else { return nil }
    let count = Int(sqlite3_column_bytes(raw.pointer, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The value's bytes, copied; `nil` for NULL, empty for an empty value.
  @inlinable
  package func blob(_ column: Int) -> Data? {
    isNull(column) ? nil : withBlobBytes(column) { Data($0) }
  }

  /// Gives the value's bytes without a copy; they are valid during `body` only. Empty for NULL.
  @inlinable
  package func withBlobBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    let index = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(raw.pointer, index)
    return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw.pointer, index))))
  }
}
