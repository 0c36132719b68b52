internal import CoreDataStore
public import Foundation
internal import StoreRequests

/// A row that fills an object; each call reads the next column.
public struct _RowReader: ~Copyable {
  var row: RowReader
  /// Whether the row has only some of the properties.
  @usableFromInline let isPart: Bool
  /// Whether properties that a partial row lacks are emptied; if not, they keep their values.
  @usableFromInline var emptiesOthers = true
  /// For a partial row: each property's place among the columns, in reading order; −1 for a property that it lacks.
  private let places: [Int]
  private var nextPlace = 0
  private var firstColumn = 0
  /// Where the rows come from; `nil` if values that do not fit are not logged.
  private let origin: (any RowOrigin)?

  /// - Parameters:
  ///   - places: the places of the properties in a partial row; `nil` for a complete row.
  ///   - origin: the rows, if they are those of objects.
  init(_ row: consuming RowReader, places: [Int]? = nil, origin: (any RowOrigin)? = nil) {
    self.row = row
    self.origin = origin
    self.places = places ?? []
    isPart = places != nil
  }

  /// Goes to the first of a row's columns.
  mutating func start(at column: Int) {
    row.start(at: column)
    firstColumn = column
    nextPlace = 0
  }

  /// Goes back to the first of the row's columns.
  mutating func restart() { start(at: firstColumn) }

  /// Goes to the next property of a partial row; `false` if the row lacks it.
  @usableFromInline
  mutating func goToNextProperty() -> Bool {
    defer { nextPlace += 1 }
    guard places.indices.contains(nextPlace), places[nextPlace] >= 0 else { return false }
    row.start(at: firstColumn + places[nextPlace])
    return true
  }

  // Each logs a value of another type.

  /// An integer; `nil` for `NULL`, and for a value of another type.
  public mutating func integer() -> Int64? { noting(row.integer()) }
  /// A truth value; `nil` for `NULL`, and for a value of another type.
  public mutating func boolean() -> Bool? { noting(row.boolean()) }
  /// A floating-point number; `nil` for `NULL`, and for a value of another type.
  public mutating func double() -> Double? { noting(row.double()) }
  /// A string; `nil` for `NULL`, and for a value of another type.
  public mutating func text() -> String? { noting(row.text()) }
  /// Bytes; `nil` for `NULL`, and for a value of another type.
  public mutating func blob() -> Data? { noting(row.blob()) }
  /// A UUID; `nil` for `NULL` and for a value other than 16 bytes.
  public mutating func uuid() -> UUID? { noting(row.uuid()) }
  /// A moment; `nil` for `NULL`, and for a value of another type.
  public mutating func date() -> Date? { noting(row.date()) }
  /// A decimal number; `nil` for `NULL`, and for a value that is no number, or none that the type holds.
  public mutating func decimal() -> Decimal? { noting(row.decimal()) }

  /// Logs the last column if it was read as `nil` and is not `NULL`.
  @inline(__always)
  private func noting<Value>(_ value: Value?) -> Value? {
    if value == nil, row.isMisfit { noteMisfit() }
    return value
  }

  /// A value with a raw value; `nil` for `NULL`, and for an unknown raw value, which is logged.
  @inlinable
  mutating func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> Value? where Value.RawValue: _ColumnValue {
    guard let stored = Value.RawValue._read(from: &self) else { return nil }
    if let value = Value(rawValue: stored) { return value }
    noteMisfit()
    return nil
  }

  /// The place of the next column.
  var place: ValuePlace { ValuePlace(origin: origin, column: row.column) }

  private var lastPlace: ValuePlace { ValuePlace(origin: origin, column: row.column - 1) }

  /// Logs the last column: its value gives none of the property's type.
  @usableFromInline @inline(never)
  func noteMisfit() { if origin != nil { lastPlace.reportMisfit() } }

  /// Logs the last column: its number is beyond the bounds of the property's type.
  @inline(never)
  func noteOutOfRange() { lastPlace.reportOutOfRange() }
}

/// A row made from an object; each call binds the next parameter.
public struct _RowWriter: ~Copyable {
  var row: RowBinder

  init(_ row: consuming RowBinder) { self.row = row }

  /// Writes an integer, or `NULL`.
  public mutating func write(_ value: Int64?) throws { try row.bind(value) }
  /// Writes a truth value, or `NULL`.
  public mutating func write(_ value: Bool?) throws { try row.bind(value) }
  /// Writes a floating-point number, or `NULL`.
  public mutating func write(_ value: Double?) throws { try row.bind(value) }
  /// Writes a string, or `NULL`.
  public mutating func write(_ value: String?) throws { try row.bind(value) }
  /// Writes bytes, or `NULL`.
  public mutating func write(_ value: Data?) throws { try row.bind(value) }
  /// Writes a UUID, or `NULL`.
  public mutating func write(_ value: UUID?) throws { try row.bind(value) }
  /// Writes a moment, or `NULL`.
  public mutating func write(_ value: Date?) throws { try row.bind(value) }
  /// Writes a decimal number, or `NULL`.
  public mutating func write(_ value: Decimal?) throws { try row.bind(value) }
}
