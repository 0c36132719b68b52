public import Foundation
public import SQLite
package import StoreRequests

/// Reads one row's values in order, without boxing or allocating a container.
///
/// Each call reads one column and advances to the next. The row is the current row of a statement, or a row of
/// another engine. Inlined code reads a statement: this is the hot path from a row to an object, and the reason why
/// the type is `public`. A method returns `nil` for `NULL`, and for a value that does not have the wanted kind (a
/// `UUID` whose length is not 16 bytes).
public struct RowReader: ~Copyable {
  /// The current row of a statement; `nil` if the reader reads another engine's row.
  @usableFromInline let row: StatementRow?
  /// Keeps the statement alive.
  private let statement: Statement?
  /// The row of another engine; `nil` if the reader reads a statement.
  private let values: (any RowValues)?
  /// The result column that the next call reads.
  @usableFromInline package var column: Int

  /// Whether the last value that was read as `nil` is not `NULL`.
  @usableFromInline package var isMisfit = false

  /// Makes a reader of the statement's current row, which starts at a result column.
  public init(_ statement: Statement, startingAt column: Int) {
    self.statement = statement
    row = statement.row
    values = nil
    self.column = column
  }

  /// Makes a reader of another engine's row, which starts at the first column.
  package init(_ values: any RowValues) {
    statement = nil
    row = nil
    self.values = values
    column = 0
  }

  /// Whether the next column is `NULL`; does not advance.
  @inlinable @inline(__always)
  public var isNull: Bool { row?.isNull(column) ?? isNullInValues() }

  /// Moves to a result column, for example at the beginning of the next row.
  @inlinable @inline(__always)
  public mutating func start(at column: Int) { self.column = column }

  /// Skips columns.
  @inlinable @inline(__always)
  public mutating func skip(_ count: Int = 1) { column += count }

  /// A whole number.
  @inlinable @inline(__always)
  public mutating func integer() -> Int64? {
    defer { column += 1 }
    return if let row { row.integerIfNumeric(column, &isMisfit) } else { integerInValues() }
  }

  /// Whether the number is not 0.
  @inlinable @inline(__always)
  public mutating func boolean() -> Bool? {
    integer().map { $0 != 0 }
  }

  /// A floating-point number.
  ///
  /// Converts an integer, because the column's affinity may have turned a floating-point number into an integer
  /// (CD-5).
  @inlinable @inline(__always)
  public mutating func double() -> Double? {
    defer { column += 1 }
    return if let row { row.doubleIfNumeric(column, &isMisfit) } else { doubleInValues() }
  }

  /// A text.
  @inlinable @inline(__always)
  public mutating func text() -> String? {
    defer { column += 1 }
    // A statement gives each value but `NULL` as text, and as bytes.
    guard let row else { return textInValues() }
    if let text = row.text(column) { return text }
    isMisfit = false
    return nil
  }

  /// Bytes, copied.
  @inlinable @inline(__always)
  public mutating func blob() -> Data? {
    defer { column += 1 }
    guard let row else { return blobInValues() }
    if let bytes = row.blob(column) { return bytes }
    isMisfit = false
    return nil
  }

  /// A UUID from its 16 bytes in RFC 4122 order (CD-5).
  @inlinable @inline(__always)
  public mutating func uuid() -> UUID? {
    defer { column += 1 }
    guard let row else { return uuidInValues() }
    let uuid = row.withBlobBytes(column) { bytes in
      // An empty value is not told from `NULL`.
      isMisfit = !bytes.isEmpty
      return bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
    return uuid
  }

  /// A date, which the column stores as seconds since 2001-01-01T00:00:00Z (CD-5).
  @inlinable @inline(__always)
  public mutating func date() -> Date? {
    double().map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// A decimal number.
  ///
  /// A stored double gives the shortest decimal that converts back to the same double.
  package mutating func decimal() -> Decimal? {
    guard let values else {
      let stored = value()
      let number = Decimal(stored)
      if number == nil { isMisfit = stored != .null }
      return number
    }
    defer { column += 1 }
    return noting(values.decimal(column))
  }

  /// The object key that a to-one relationship refers to, from two columns: the row's key and the entity's number.
  package mutating func object() -> ObjectKey? {
    guard let key = integer() else {
      skip()
      return nil
    }
    return ObjectKey(entity: Int32(truncatingIfNeeded: integer() ?? 0), key: key)
  }

  /// The stored value of the column; for tools and tests.
  package mutating func value() -> StoreValue {
    defer { column += 1 }
    guard let row else { return values?.value(column) ?? .null }
    return switch row.type(column) {
    case .null: .null
    case .integer: .integer(row.integer(column))
    case .real: .real(row.double(column))
    case .text: .text(row.text(column) ?? "")
    case .blob: .blob(row.blob(column) ?? Data())
    }
  }
}

// These functions read another engine's row. They are not inlined, so that the code that reads a statement stays
// small.
extension RowReader {
  @usableFromInline @inline(never) func isNullInValues() -> Bool { values?.isNull(column) ?? true }
  @usableFromInline @inline(never) mutating func integerInValues() -> Int64? { noting(values?.integer(column)) }
  @usableFromInline @inline(never) mutating func doubleInValues() -> Double? { noting(values?.double(column)) }
  @usableFromInline @inline(never) mutating func textInValues() -> String? { noting(values?.text(column)) }
  /// Whether the bytes of the next column are made of JSON.
  package var isJSON: Bool { values?.isJSON(column) ?? false }

  @usableFromInline @inline(never) mutating func blobInValues() -> Data? { noting(values?.blob(column)) }

  @usableFromInline @inline(never)
  mutating func uuidInValues() -> UUID? {
    guard let bytes = values?.blob(column), bytes.count == 16 else { return noting(nil) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private mutating func noting<Value>(_ value: Value?) -> Value? {
    if value == nil { isMisfit = !isNullInValues() }
    return value
  }
}
