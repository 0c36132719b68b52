public import Foundation
public import SQLite

/// Reads one row's values in order; each call takes one column and advances, without boxing or allocating a container.
///
/// Concrete, inlinable and for that `public`: the hot path from a row to an object. A value is `nil` for `NULL`, and for a value that is not of
/// the kind asked for where there is no sensible reading of it (a `UUID` that is not 16 bytes). What it reads is the row that
/// the statement is at.
public struct RowReader: ~Copyable {
  @usableFromInline let statement: Statement
  /// The result column that the next call reads.
  @usableFromInline var column: Int

  /// Reads the statement's row from a result column on.
  @inlinable @inline(__always)
  public init(_ statement: Statement, startingAt column: Int) {
    self.statement = statement
    self.column = column
  }

  /// Whether the next column is `NULL`; does not advance.
  @inlinable @inline(__always)
  public var isNull: Bool { statement.isNull(column) }

  /// Goes to a result column, as at the beginning of the next row.
  @inlinable @inline(__always)
  public mutating func start(at column: Int) { self.column = column }

  /// Passes over columns.
  @inlinable @inline(__always)
  public mutating func skip(_ count: Int = 1) { column += count }

  /// A whole number.
  @inlinable @inline(__always)
  public mutating func integer() -> Int64? {
    defer { column += 1 }
    return statement.integerIfNumeric(column)
  }

  /// Whether the number is not 0.
  @inlinable @inline(__always)
  public mutating func boolean() -> Bool? {
    integer().map { $0 != 0 }
  }

  /// A floating-point number; integers, which the column's affinity may have made of it, are converted (CD-5).
  @inlinable @inline(__always)
  public mutating func double() -> Double? {
    defer { column += 1 }
    return statement.doubleIfNumeric(column)
  }

  /// A text.
  @inlinable @inline(__always)
  public mutating func text() -> String? {
    defer { column += 1 }
    return statement.text(column)
  }

  /// Bytes, copied.
  @inlinable @inline(__always)
  public mutating func blob() -> Data? {
    defer { column += 1 }
    return statement.blob(column)
  }

  /// A UUID from its 16 bytes in RFC 4122 order (CD-5).
  @inlinable @inline(__always)
  public mutating func uuid() -> UUID? {
    defer { column += 1 }
    return statement.withBlobBytes(column) { bytes in
      bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
  }

  /// A moment, stored as seconds since 2001-01-01T00:00:00Z (CD-5).
  @inlinable @inline(__always)
  public mutating func date() -> Date? {
    double().map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// A decimal number; a stored double gives the shortest decimal that reads back as it.
  package mutating func decimal() -> Decimal? {
    Decimal(value())
  }

  /// The row a to-one relationship leads to: two columns, its key and its entity's number.
  package mutating func object() -> ObjectKey? {
    defer { column += 1 }
    guard let key = integer() else { return nil }
    return ObjectKey(entity: Int32(truncatingIfNeeded: statement.integer(column)), key: key)
  }

  /// The value as it is stored; for tools and tests.
  package mutating func value() -> StoreValue {
    defer { column += 1 }
    return switch statement.type(column) {
    case .null: .null
    case .integer: .integer(statement.integer(column))
    case .real: .real(statement.double(column))
    case .text: .text(statement.text(column) ?? "")
    case .blob: .blob(statement.blob(column) ?? Data())
    }
  }
}
