import Foundation
import PostgreSQL
import StoreRequests

/// A sink that takes values in the binary forms of their columns.
protocol FormSink: ParameterSink {
  /// Lets a closure write the form of a value, in a type; does nothing for a value that has no column.
  func put(_ index: Int, _ write: (DataType, inout [UInt8]) throws -> Void) throws
}

extension FormSink {
  func bind(_ value: Int64, at index: Int) throws { try put(index) { try ColumnForm.append(value, as: $0, to: &$1) } }
  func bind(_ value: Double, at index: Int) throws { try put(index) { try ColumnForm.append(value, as: $0, to: &$1) } }
  func bind(_ value: String, at index: Int) throws { try put(index) { try ColumnForm.append(value, as: $0, to: &$1) } }
  func bind(_ value: Data, at index: Int) throws {
    try put(index) { type, bytes in try value.withUnsafeBytes { try ColumnForm.append($0, as: type, to: &bytes) } }
  }
  func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
    try put(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
  func bind(_ value: Decimal, at index: Int) throws { try put(index) { try ColumnForm.append(value, as: $0, to: &$1) } }
}

/// Takes the values of many rows.
final class ColumnSink: FormSink {
  /// The forms of the values of a row; `nil` for a value that has no column.
  private let types: [DataType?]
  private var values: [ColumnValues?]

  init(_ columns: [ColumnLayout?]) {
    types = columns.map { $0?.form }
    values = columns.map { $0.map { ColumnValues($0.type) } }
  }

  /// The values of each column, in the order of the columns.
  var columns: [ColumnValues] { values.compactMap(\.self) }

  /// The size of all values.
  var byteCount: Int { values.reduce(0) { $0 + ($1?.byteCount ?? 0) } }

  /// The form of a value of the last row; `nil` for `NULL`.
  func last(_ index: Int) -> ArraySlice<UInt8>? { values[index]?.last }

  func bindNull(at index: Int) { values[index - 1]?.appendNull() }

  func put(_ index: Int, _ write: (DataType, inout [UInt8]) throws -> Void) throws {
    guard values.indices.contains(index - 1), let type = types[index - 1] else { return }
    try values[index - 1]?.append { try write(type, &$0) }
  }
}

/// Takes the values of one row.
final class RowSink: FormSink {
  private let types: [DataType?]
  /// By column; `nil` for `NULL`.
  private(set) var forms: [[UInt8]?]

  init(_ columns: [ColumnLayout?]) {
    types = columns.map { $0?.form }
    forms = columns.map { _ in nil }
  }

  /// Forgets the row.
  func clear() { for index in forms.indices { forms[index] = nil } }

  func bindNull(at index: Int) {}

  func put(_ index: Int, _ write: (DataType, inout [UInt8]) throws -> Void) throws {
    guard types.indices.contains(index - 1), let type = types[index - 1] else { return }
    var bytes: [UInt8] = []
    try write(type, &bytes)
    forms[index - 1] = bytes
  }
}
