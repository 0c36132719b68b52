package import Foundation
package import ManagedModel
import PostgreSQL
import PropertyLists
import StoreRequests

/// The form of a keyed archive in a column of an array type.
package enum ArrayForm {
  /// - Throws: ``UnstorableValue`` for an archive of another value, and for an element that a column of its type does not keep.
  static func append(_ archive: UnsafeRawBufferPointer, of element: DataType, to bytes: inout [UInt8]) throws {
    guard case .list(let items, .array)? = try? ArchivedValue(archive: Data(archive)) else { throw wrongKind(element) }
    var array = ParameterArray(element)
    for item in items { try array.append { try append(item, as: element, to: &$0) } }
    bytes += array.form
  }

  /// The array of an archive as an SQL literal; `nil` for an archive of another value.
  static func literal(_ archive: Data, of element: DataType) -> String? {
    guard case .list(let items, .array)? = try? ArchivedValue(archive: archive), let type = element.array else {
      return nil
    }
    let literals = items.map { literal($0, of: element) }
    guard literals.allSatisfy({ $0 != nil }) else { return nil }
    return "ARRAY[\(literals.compactMap(\.self).joined(separator: ", "))]::\(type.sql)"
  }

  private static func literal(_ item: ArchivedValue, of element: DataType) -> String? {
    let value: AttributeValue? =
      switch item {
      case .boolean(let flag): .boolean(flag)
      case .integer(let number): Int64(exactly: number).map { .integer($0) }
      case .real(let number): .double(number)
      case .decimal(let number): .decimal(number)
      case .date(let seconds): .date(seconds)
      case .string(let text, false): .string(text)
      case .data(let data, false): .binary(data)
      case .uuid(let uuid): .uuid(uuid)
      default: nil
      }
    return value?.literal(element)
  }

  private static func wrongKind(_ element: DataType) -> UnstorableValue {
    .wrongKind(expected: (element.array ?? element).valueKind)
  }

  private static func append(_ item: ArchivedValue, as element: DataType, to bytes: inout [UInt8]) throws {
    switch (element, item) {
    case (.boolean, .boolean(let flag)): bytes.append(flag ? 1 : 0)
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)):
      guard let number = Int64(exactly: number) else { throw UnstorableValue.outOfRange(Int64.min...Int64.max) }
      try ColumnForm.append(number, as: element, to: &bytes)
    case (.single, .real(let number)), (.double, .real(let number)), (.moment, .date(let number)):
      try ColumnForm.append(number, as: element, to: &bytes)
    case (.text, .string(let text, false)): try ColumnForm.append(text, as: element, to: &bytes)
    case (.numeric, .decimal(let number)): try ColumnForm.append(number, as: element, to: &bytes)
    case (.bytes, .data(let data, false)): bytes.append(contentsOf: data)
    case (.uuid, .uuid(let uuid)): withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    default: throw wrongKind(element)
    }
  }

  /// The archive of a value as it comes in a result. An array of arrays, which only SQL makes, stays in its form: no type reads it.
  static func archive(_ form: UnsafeRawBufferPointer, of element: DataType) -> Data {
    guard let elements = elements(form) else { return Data(form) }
    let items = elements.map { $0.flatMap { item($0, of: element) } ?? .null }
    return (try? ArchivedValue.list(items).archived()) ?? Data(form)
  }

  /// Why the value of an array column has no archive of its elements; `nil` if it has one.
  static func misfit(_ form: UnsafeRawBufferPointer, of element: DataType) -> String? {
    guard let elements = elements(form) else {
      return "the column holds an array of arrays, which no property's type is"
    }
    let isRead = elements.allSatisfy { $0.map { item($0, of: element) != nil } ?? true }
    return isRead ? nil : "the array has an element that is beyond the bounds of its type"
  }

  private static func item(_ form: UnsafeRawBufferPointer, of element: DataType) -> ArchivedValue? {
    switch element {
    case .boolean: form.bigEndianInteger.map { .boolean($0 != 0) }
    case .integer16, .integer32, .integer64: form.bigEndianInteger.map { .integer(Int128($0)) }
    case .single, .double: form.floatingPoint.map { .real($0) }
    case .moment: form.bigEndianInteger.map { .date(BinaryForm.seconds($0)) }
    case .numeric: Numeric.text(form).flatMap(Numeric.decimal).map { .decimal($0) }
    case .text: .string(String(decoding: form, as: UTF8.self))
    case .bytes: .data(Data(form))
    case .uuid: form.count == 16 ? .uuid(UUID(uuid: form.loadUnaligned(as: uuid_t.self))) : nil
    default: nil
    }
  }

  /// The forms of an array's elements, `nil` for `NULL`; `nil` for an array of several dimensions.
  static func elements(_ form: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer?]? {
    func word(_ place: Int) -> Int? {
      place + 4 <= form.count ? Int(Int32(bigEndian: form.loadUnaligned(fromByteOffset: place, as: Int32.self))) : nil
    }
    guard let dimensions = word(0) else { return nil }
    if dimensions == 0 { return [] }
    guard dimensions == 1, let count = word(12), count >= 0 else { return nil }
    var elements: [UnsafeRawBufferPointer?] = []
    var place = 20
    for _ in 0..<count {
      guard let length = word(place) else { return nil }
      place += 4
      guard length >= 0 else {
        elements.append(nil)
        continue
      }
      guard place + length <= form.count else { return nil }
      elements.append(UnsafeRawBufferPointer(rebasing: form[place..<(place + length)]))
      place += length
    }
    return elements
  }

  /// The form of an array with other elements.
  static func mapping(_ form: [UInt8], of element: DataType, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    form.withUnsafeBytes { bytes in
      guard let elements = elements(bytes) else { return form }
      var array = ParameterArray(element)
      for element in elements {
        if let element { array.append { $0 += change(Array(element)) } } else { array.appendNull() }
      }
      return array.form
    }
  }

  /// Whether an archive comes back from an array column byte for byte.
  package static func keeps(_ archive: Data, of element: AttributeType) -> Bool {
    guard let type = DataType(element), type.array != nil else { return false }
    var form: [UInt8] = []
    guard (try? archive.withUnsafeBytes { try append($0, of: type, to: &form) }) != nil else { return false }
    return form.withUnsafeBytes { self.archive($0, of: type) } == archive
  }
}
