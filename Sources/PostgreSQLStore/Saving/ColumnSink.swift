import Foundation
import PostgreSQL
import StoreRequests

/// Takes the values of many rows, an array of the column's type for each column.
final class ColumnSink: ParameterSink {
  /// The types of the values of a row; `nil` for a value that has no column.
  private let types: [DataType?]
  private var arrays: [ParameterArray?]

  init(_ types: [DataType?]) {
    self.types = types
    arrays = types.map { $0.map { ParameterArray($0) } }
  }

  /// An array for each column, in the order of the columns.
  var parameters: [Parameter] { arrays.compactMap { $0?.parameter } }

  func bindNull(at index: Int) { arrays[index - 1]?.appendNull() }

  private func append(_ index: Int, _ write: (DataType, inout [UInt8]) throws -> Void) throws {
    guard arrays.indices.contains(index - 1), let type = types[index - 1] else { return }
    try arrays[index - 1]?.append { try write(type, &$0) }
  }

  func bind(_ value: Int64, at index: Int) throws {
    try append(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
  func bind(_ value: Double, at index: Int) throws {
    try append(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
  func bind(_ value: String, at index: Int) throws {
    try append(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
  func bind(_ value: Data, at index: Int) throws {
    try append(index) { type, bytes in
      try value.withUnsafeBytes { try ColumnForm.append($0, as: type, to: &bytes) }
    }
  }
  func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
    try append(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
  func bind(_ value: Decimal, at index: Int) throws {
    try append(index) { try ColumnForm.append(value, as: $0, to: &$1) }
  }
}

/// Takes the values of one row, in binary form.
final class RowSink: ParameterSink {
  private let types: [DataType?]
  /// By column; `nil` for `NULL`.
  private(set) var forms: [[UInt8]?]

  init(_ types: [DataType?]) {
    self.types = types
    forms = types.map { _ in nil }
  }

  func bindNull(at index: Int) {}

  private func put(_ index: Int, _ write: (DataType, inout [UInt8]) throws -> Void) throws {
    guard types.indices.contains(index - 1), let type = types[index - 1] else { return }
    var bytes: [UInt8] = []
    try write(type, &bytes)
    forms[index - 1] = bytes
  }

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

/// The binary form of a value that a source binds, in the type of its column.
enum ColumnForm {
  static func append(_ value: Int64, as type: DataType, to bytes: inout [UInt8]) throws {
    func check(_ range: ClosedRange<Int64>) throws {
      guard range.contains(value) else { throw UnstorableValue.outOfRange(range) }
    }
    switch type {
    case .integer64: BinaryForm.append(value, to: &bytes)
    case .integer32:
      try check(Int64(Int32.min)...Int64(Int32.max))
      BinaryForm.append(Int32(truncatingIfNeeded: value), to: &bytes)
    case .integer16:
      try check(Int64(Int16.min)...Int64(Int16.max))
      BinaryForm.append(Int16(truncatingIfNeeded: value), to: &bytes)
    case .boolean:
      try check(0...1)
      bytes.append(UInt8(value))
    case .single, .double, .moment: try append(Double(value), as: type, to: &bytes)
    case .numeric: Numeric.append(Decimal(value), to: &bytes)
    case .text, .bytes, .uuid: throw UnstorableValue.wrongKind(expected: type.valueKind)
    }
  }

  static func append(_ value: Double, as type: DataType, to bytes: inout [UInt8]) throws {
    switch type {
    case .double: BinaryForm.append(value, to: &bytes)
    case .single: BinaryForm.append(Float(value), to: &bytes)
    case .moment:
      guard let moment = BinaryForm.microseconds(value) else { throw UnstorableValue.dateOutOfRange }
      BinaryForm.append(moment, to: &bytes)
    case .numeric:
      guard let number = Decimal(.real(value)) else { throw UnstorableValue.tooLarge }
      Numeric.append(number, to: &bytes)
    case .integer64, .integer32, .integer16, .boolean, .text, .bytes, .uuid:
      throw UnstorableValue.wrongKind(expected: type.valueKind)
    }
  }

  static func append(_ value: String, as type: DataType, to bytes: inout [UInt8]) throws {
    if type == .numeric, value == "NaN" { return Numeric.append(.nan, to: &bytes) }
    guard type == .text else { throw UnstorableValue.wrongKind(expected: type.valueKind) }
    guard !value.utf8.contains(0) else { throw UnstorableValue.nulCharacter }
    bytes.append(contentsOf: value.utf8)
  }

  static func append(_ value: UnsafeRawBufferPointer, as type: DataType, to bytes: inout [UInt8]) throws {
    switch type {
    case .bytes: break
    case .uuid: if value.count != 16 { throw UnstorableValue.wrongLength(bytes: 16) }
    default: throw UnstorableValue.wrongKind(expected: type.valueKind)
    }
    bytes.append(contentsOf: value)
  }

  static func append(_ value: Decimal, as type: DataType, to bytes: inout [UInt8]) throws {
    guard type == .numeric else { throw UnstorableValue.wrongKind(expected: type.valueKind) }
    Numeric.append(value, to: &bytes)
  }
}

extension DataType {
  /// The kind of value that a column of the type holds, with an article.
  fileprivate var valueKind: String {
    switch self {
    case .integer16, .integer32, .integer64: "an integer"
    case .boolean: "a truth value, 0 or 1"
    case .single, .double, .numeric: "a number"
    case .moment: "a date, in seconds since 2001"
    case .text: "a text"
    case .uuid, .bytes: "bytes"
    }
  }
}
