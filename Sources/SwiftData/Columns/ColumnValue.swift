public import Foundation
internal import ManagedModel
internal import StoreRequests

/// A type whose values one column holds, without conversion through `Codable`.
///
/// Each conforming type has an attribute type in Core Data (VH-9).
public protocol _ColumnValue: Sendable {
  /// The value of an attribute that has neither a stored value nor a default.
  static var _zero: Self { get }
  /// Reads the next column; `nil` for `NULL` and for a value of another type.
  static func _read(from row: inout _RowReader) -> Self?
  /// Writes the next column.
  static func _write(_ value: Self?, into row: inout _RowWriter) throws
  /// The raw value of Core Data's `NSAttributeType`.
  static var _attributeType: UInt32 { get }
  /// The value as a constant in an expression.
  var _columnConstant: _ColumnConstant { get }
}

/// A value in the form that a column holds.
public struct _ColumnConstant {
  let value: StoreValue

  init(_ value: StoreValue) { self.value = value }
}

extension _ColumnValue where Self: FixedWidthInteger {
  /// 0.
  public static var _zero: Self { 0 }
  /// Reads an integer; clamps a value that the type cannot hold to the nearest bound, and logs it.
  public static func _read(from row: inout _RowReader) -> Self? {
    guard let stored = row.integer() else { return nil }
    if let value = Self(exactly: stored) { return value }
    row.noteOutOfRange()
    return Self(clamping: stored)
  }
  /// Writes an integer; an unsigned value beyond `Int64.max` keeps its bit pattern.
  public static func _write(_ value: Self?, into row: inout _RowWriter) throws {
    try row.write(value.map { Int64(truncatingIfNeeded: $0) })
  }
  /// The integer as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.integer(Int64(truncatingIfNeeded: self))) }
}

extension Int: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer64.rawValue }
}

extension Int8: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer16.rawValue }
}

extension Int16: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer16.rawValue }
}

extension Int32: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer32.rawValue }
}

extension Int64: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer64.rawValue }
}

extension UInt8: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer16.rawValue }
}

extension UInt16: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer32.rawValue }
}

extension UInt32: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer64.rawValue }
}

extension UInt: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer64.rawValue }
  /// Reads the bit pattern.
  public static func _read(from row: inout _RowReader) -> UInt? { row.integer().map { UInt(truncatingIfNeeded: $0) } }
}

extension UInt64: _ColumnValue {
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.integer64.rawValue }
  /// Reads the bit pattern.
  public static func _read(from row: inout _RowReader) -> UInt64? { row.integer().map { UInt64(bitPattern: $0) } }
}

extension Bool: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: Bool { false }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.boolean.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> Bool? { row.boolean() }
  /// Writes the next column.
  public static func _write(_ value: Bool?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.integer(self ? 1 : 0)) }
}

extension Double: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: Double { 0 }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.double.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> Double? { row.double() }
  /// Writes the next column.
  public static func _write(_ value: Double?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.real(self)) }
}

extension Float: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: Float { 0 }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.float.rawValue }
  /// Reads the next column; a number that the type cannot hold is infinite, which is logged.
  public static func _read(from row: inout _RowReader) -> Float? {
    guard let stored = row.double() else { return nil }
    let value = Float(stored)
    if value.isInfinite, stored.isFinite { row.noteOutOfRange() }
    return value
  }
  /// Writes the next column.
  public static func _write(_ value: Float?, into row: inout _RowWriter) throws {
    try row.write(value.map { Double($0) })
  }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.real(Double(self))) }
}

extension CGFloat: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: CGFloat { 0 }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.double.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> CGFloat? { row.double().map { CGFloat($0) } }
  /// Writes the next column.
  public static func _write(_ value: CGFloat?, into row: inout _RowWriter) throws {
    try row.write(value.map { Double($0) })
  }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.real(Double(self))) }
}

extension String: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: String { "" }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.string.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> String? { row.text() }
  /// Writes the next column.
  public static func _write(_ value: String?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.text(self)) }
}

extension Date: _ColumnValue {
  /// 2001-01-01T00:00:00Z.
  public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.date.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> Date? { row.date() }
  /// Writes the next column.
  public static func _write(_ value: Date?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.real(timeIntervalSinceReferenceDate)) }
}

extension Data: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: Data { Data() }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.binary.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> Data? { row.blob() }
  /// Writes the next column.
  public static func _write(_ value: Data?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.blob(self)) }
}

extension UUID: _ColumnValue {
  /// All bits 0.
  public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.uuid.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> UUID? { row.uuid() }
  /// Writes the next column.
  public static func _write(_ value: UUID?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant {
    _ColumnConstant(.blob(Swift.withUnsafeBytes(of: uuid) { Data($0) }))
  }
}

extension Decimal: _ColumnValue {
  /// The value of an attribute without a stored value.
  public static var _zero: Decimal { 0 }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.decimal.rawValue }
  /// Reads the next column.
  public static func _read(from row: inout _RowReader) -> Decimal? { row.decimal() }
  /// Writes the next column.
  public static func _write(_ value: Decimal?, into row: inout _RowWriter) throws { try row.write(value) }
  /// The number as a column holds it: a whole number exactly, any other number as the nearest double (CD-5).
  public var _columnConstant: _ColumnConstant { _ColumnConstant(StoreValue(self)) }
}

extension URL: _ColumnValue {
  /// `about:blank`.
  public static var _zero: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
  /// The raw value of Core Data's attribute type.
  public static var _attributeType: UInt32 { AttributeType.uri.rawValue }
  /// Reads the absolute string; `nil` for text that is not a URL, which is logged.
  public static func _read(from row: inout _RowReader) -> URL? {
    guard let text = row.text() else { return nil }
    if let url = URL(string: text) { return url }
    row.noteMisfit()
    return nil
  }
  /// Writes the next column.
  public static func _write(_ value: URL?, into row: inout _RowWriter) throws { try row.write(value?.absoluteString) }
  /// The value as a constant.
  public var _columnConstant: _ColumnConstant { _ColumnConstant(.text(absoluteString)) }
}
