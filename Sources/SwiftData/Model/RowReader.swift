internal import CoreDataStore
public import Foundation

/// A row being read into an object; each call takes the next column.
public struct _RowReader: ~Copyable {
  var row: RowReader
  /// Whether the row has only some of its properties.
  @usableFromInline let isPart: Bool
  /// Whether properties that a part does not have are emptied, not left as they are.
  @usableFromInline var emptiesOthers = true
  /// Of a part: the places of its properties among its columns, in the order in which properties are read; −1 for one it does not have.
  private let places: [Int]
  private var nextPlace = 0
  private var firstColumn = 0

  /// - Parameter places: where a part of a row has its properties; `nil` for a row that has all.
  init(_ row: consuming RowReader, places: [Int]? = nil) {
    self.row = row
    self.places = places ?? []
    isPart = places != nil
  }

  /// Goes to the first of a row's columns.
  mutating func start(at column: Int) {
    row.start(at: column)
    firstColumn = column
    nextPlace = 0
  }

  /// Whether the row has the next property, which is to be read into the storage.
  @inlinable @inline(__always)
  mutating func offers<Storage: _PropertyStorage>(_ storage: inout Storage) -> Bool {
    if !isPart || goToNextProperty() { return true }
    if emptiesOthers { storage = Storage() }
    return false
  }

  @usableFromInline
  mutating func goToNextProperty() -> Bool {
    defer { nextPlace += 1 }
    guard places.indices.contains(nextPlace), places[nextPlace] >= 0 else { return false }
    row.start(at: firstColumn + places[nextPlace])
    return true
  }

  /// An integer; `nil` for `NULL`.
  public mutating func integer() -> Int64? { row.integer() }
  /// A truth value; `nil` for `NULL`.
  public mutating func boolean() -> Bool? { row.boolean() }
  /// A floating-point number; `nil` for `NULL`.
  public mutating func double() -> Double? { row.double() }
  /// A string; `nil` for `NULL`.
  public mutating func text() -> String? { row.text() }
  /// Bytes; `nil` for `NULL`.
  public mutating func blob() -> Data? { row.blob() }
  /// A UUID; `nil` for `NULL` and for what is not 16 bytes.
  public mutating func uuid() -> UUID? { row.uuid() }
  /// A moment; `nil` for `NULL`.
  public mutating func date() -> Date? { row.date() }
  /// A decimal number; `nil` for `NULL`.
  public mutating func decimal() -> Decimal? { row.decimal() }
}

/// A row being written from an object; each call binds the next parameter.
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
