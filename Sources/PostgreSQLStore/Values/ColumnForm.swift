import Foundation
import PostgreSQL
import StoreRequests

/// The binary form of a value that a source binds, in the type of its column.
///
/// For a column of the type `jsonb`, the type `json` marks the bytes of a keyed archive; the form is that of `jsonb`.
enum ColumnForm {
  /// The most bytes of a value: the server takes a message of 1 GB at most, which has more than the value.
  static let longestValue = Connection.largestStatement

  static func checkLength(_ count: Int) throws {
    guard count <= longestValue else { throw UnstorableValue.tooLong }
  }

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
    default: throw UnstorableValue.wrongKind(expected: type.valueKind)
    }
  }

  static func append(_ value: Double, as type: DataType, to bytes: inout [UInt8]) throws {
    switch type {
    case .double: BinaryForm.append(value, to: &bytes)
    case .single:
      let number = Float(value)
      guard number.isFinite || !value.isFinite else { throw UnstorableValue.beyondSinglePrecision }
      BinaryForm.append(number, to: &bytes)
    case .moment:
      guard let moment = BinaryForm.microseconds(value) else { throw UnstorableValue.dateOutOfRange }
      BinaryForm.append(moment, to: &bytes)
    case .numeric:
      guard let number = Decimal(.real(value)) else { throw UnstorableValue.tooLarge }
      Numeric.append(number, to: &bytes)
    default: throw UnstorableValue.wrongKind(expected: type.valueKind)
    }
  }

  static func append(_ value: String, as type: DataType, to bytes: inout [UInt8]) throws {
    if type == .numeric, let number = StoreValue.text(value).allDigits { return Numeric.append(number, to: &bytes) }
    guard type == .text else { throw UnstorableValue.wrongKind(expected: type.valueKind) }
    try checkLength(value.utf8.count)
    guard !value.utf8.contains(0) else { throw UnstorableValue.nulCharacter }
    bytes.append(contentsOf: value.utf8)
  }

  static func append(_ value: UnsafeRawBufferPointer, as type: DataType, to bytes: inout [UInt8]) throws {
    try checkLength(value.count)
    switch type {
    case .bytes: break
    case .json, .jsonb: return try JSONForm.append(value, isArchive: type == .json, to: &bytes)
    case .uuid: if value.count != 16 { throw UnstorableValue.wrongLength(bytes: 16) }
    default:
      guard let element = type.element else { throw UnstorableValue.wrongKind(expected: type.valueKind) }
      return try ArrayForm.append(value, of: element, to: &bytes)
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
  var valueKind: String {
    switch self {
    case .integer16, .integer32, .integer64: "an integer"
    case .boolean: "a truth value, 0 or 1"
    case .single, .double, .numeric: "a number"
    case .moment: "a date, in seconds since 2001"
    case .text: "a text"
    case .uuid, .bytes, .json, .jsonb: "bytes"
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      "an array of the type \(sql)"
    }
  }
}

extension DataType {
  /// The same form for all values that the server takes as equal.
  func equalForm(_ form: [UInt8]) -> [UInt8] {
    switch self {
    // Zero has two signs.
    case .double, .single:
      return form.first == 0x80 && form.dropFirst().allSatisfy { $0 == 0 } ? form.map { _ in 0 } : form
    // A number may have zeros at its end.
    case .numeric:
      guard let number = form.withUnsafeBytes({ Numeric.text($0) }).flatMap(Numeric.decimal) else {
        return form
      }
      var result: [UInt8] = []
      Numeric.append(number, to: &result)
      return result
    case .jsonb: return JSONForm.equal(form)
    case .boolean, .bytes, .json, .integer64, .integer16, .integer32, .text, .moment, .uuid, .booleans, .byteStrings,
      .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments, .numerics, .uuids:
      guard let element else { return form }
      return ArrayForm.mapping(form, of: element) { element.equalForm($0) }
    }
  }
}
