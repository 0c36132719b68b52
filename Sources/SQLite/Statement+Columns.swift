public import CSQLite
public import Foundation

/// The storage class of a value (https://www.sqlite.org/datatype3.html).
package enum StorageClass: Int32, Sendable, Hashable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}

/// The columns of a statement's current row.
///
/// It has no reference to the statement, which its user keeps alive: to count references for each column of each row would cost as
/// much as the read.
///
/// The code that reads rows inlines these functions, for the same reason. They are public only because the compiler does not inline
/// a `package` function into another module.
public struct StatementRow {
  @usableFromInline let pointer: OpaquePointer

  @inlinable @inline(__always)
  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// Whether the value is NULL.
  @inlinable @inline(__always)
  public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// The value as an integer, `nil` unless it is a number; a real number truncated.
  ///
  /// - Parameter isMisfit: set for `nil`: whether the value is not NULL.
  @inlinable @inline(__always)
  public func integerIfNumeric(_ column: Int, _ isMisfit: inout Bool) -> Int64? {
    // Looks up the column once for its type and its value, as in `text(_:)`.
    let value = sqlite3_column_value(pointer, Int32(truncatingIfNeeded: column))
    let type = sqlite3_value_type(value)
    if type == SQLITE_INTEGER || type == SQLITE_FLOAT { return sqlite3_value_int64(value) }
    isMisfit = type != SQLITE_NULL
    return nil
  }

  /// The value as a floating-point number, `nil` unless it is a number.
  ///
  /// - Parameter isMisfit: set for `nil`: whether the value is not NULL.
  @inlinable @inline(__always)
  public func doubleIfNumeric(_ column: Int, _ isMisfit: inout Bool) -> Double? {
    let value = sqlite3_column_value(pointer, Int32(truncatingIfNeeded: column))
    let type = sqlite3_value_type(value)
    if type == SQLITE_INTEGER || type == SQLITE_FLOAT { return sqlite3_value_double(value) }
    isMisfit = type != SQLITE_NULL
    return nil
  }

  package func type(_ column: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column))) ?? .null
  }

  /// The value as an integer; zero for NULL, a real number truncated.
  @inlinable @inline(__always)
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(truncatingIfNeeded: column)) }

  /// The value as a floating-point number; zero for NULL, integers converted (CD-5).
  @inlinable @inline(__always)
  public func double(_ column: Int) -> Double { sqlite3_column_double(pointer, Int32(truncatingIfNeeded: column)) }

  /// The value as text, `nil` for NULL; invalid UTF-8 is repaired with replacement characters.
  @inlinable @inline(__always)
  public func text(_ column: Int) -> String? {
    // Looks up the column once for its text and its length. This is safe without a mutex, because no other thread uses
    // the connection.
    let value = sqlite3_column_value(pointer, Int32(truncatingIfNeeded: column))
    guard let start = sqlite3_value_text(value) else { return nil }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The value's bytes, copied; `nil` for NULL, empty for an empty value.
  @inlinable @inline(__always)
  public func blob(_ column: Int) -> Data? {
    isNull(column) ? nil : withBlobBytes(column) { Data($0) }
  }

  /// Gives the value's bytes without a copy; they are valid during `body` only. Empty for NULL.
  @inlinable @inline(__always)
  public func withBlobBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    let index = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(pointer, index)
    return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, index))))
  }
}

extension Statement {
  /// The current row; valid while somebody holds the statement.
  @inlinable @inline(__always)
  public var row: StatementRow { StatementRow(raw.pointer) }

  package func isNull(_ column: Int) -> Bool { row.isNull(column) }
  package func type(_ column: Int) -> StorageClass { row.type(column) }
  package func integer(_ column: Int) -> Int64 { row.integer(column) }
  package func double(_ column: Int) -> Double { row.double(column) }
  package func text(_ column: Int) -> String? { row.text(column) }
  package func blob(_ column: Int) -> Data? { row.blob(column) }

  /// Gives the value's bytes without a copy; they are valid during `body` only. Empty for NULL.
  package func withBlobBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try row.withBlobBytes(column, body)
  }

  /// Whether the value is a text whose bytes are not UTF-8, so that ``text(_:)`` repairs it.
  package func hasInvalidText(_ column: Int) -> Bool {
    let value = sqlite3_column_value(raw.pointer, Int32(truncatingIfNeeded: column))
    guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return false }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    return String(validating: bytes, as: UTF8.self) == nil
  }

  /// Whether a text of the current row was read with U+FFFD in place of bytes that are not UTF-8.
  ///
  /// - Parameter text: the text as it was read from the column.
  package func isRepaired(_ text: String, _ column: Int) -> Bool {
    // U+FFFD begins with this byte in UTF-8. Most texts do not have it, so their bytes are not read again.
    text.utf8.contains(0xEF) && text.unicodeScalars.contains("\u{FFFD}") && hasInvalidText(column)
  }
}
