internal import ErrorReporting
internal import Foundation
internal import PropertyLists
internal import StoreRequests

/// A type with a class of its own in keyed archives, so that it is not archived through `Codable`.
protocol ArchivedElement {
  func archived() throws -> ArchivedValue
  /// - Throws: `DecodingError` if the value is not of this type.
  static func unarchived(_ value: ArchivedValue) throws -> Self
}

/// The error for an archived value that is not of the expected type.
struct ArchivedMismatch: ReportableError {
  let expected: any Any.Type
  var problem: String { "it holds something else than \(expected)" }
  var remedy: String? { nil }
}

extension String: ArchivedElement {
  func archived() -> ArchivedValue { .string(self) }
  static func unarchived(_ value: ArchivedValue) throws -> String {
    guard case .string(let text, _) = value else { throw ArchivedMismatch(expected: Self.self) }
    return text
  }
}

extension Bool: ArchivedElement {
  func archived() -> ArchivedValue { .boolean(self) }
  static func unarchived(_ value: ArchivedValue) throws -> Bool {
    switch value {
    case .boolean(let flag): return flag
    case .integer(0): return false
    case .integer(1): return true
    default: throw ArchivedMismatch(expected: Self.self)
    }
  }
}

extension ArchivedElement where Self: FixedWidthInteger {
  func archived() throws -> ArchivedValue {
    guard let number = Int128(exactly: self) else { throw ArchivedMismatch(expected: Self.self) }
    return .integer(number)
  }
  static func unarchived(_ value: ArchivedValue) throws -> Self {
    switch value {
    case .integer(let number): if let read = Self(exactly: number) { return read }
    case .real(let number): if let read = Self(exactly: number) { return read }
    case .boolean(let flag) where !ArchivedDecoder.readsJSON: return flag ? 1 : 0
    default: break
    }
    throw ArchivedMismatch(expected: Self.self)
  }
}

extension Int: ArchivedElement {}
extension Int8: ArchivedElement {}
extension Int16: ArchivedElement {}
extension Int32: ArchivedElement {}
extension Int64: ArchivedElement {}
extension UInt: ArchivedElement {}
extension UInt8: ArchivedElement {}
extension UInt16: ArchivedElement {}
extension UInt32: ArchivedElement {}
extension UInt64: ArchivedElement {}

extension ArchivedElement where Self: BinaryFloatingPoint {
  func archived() -> ArchivedValue { .real(Double(self)) }
  static func unarchived(_ value: ArchivedValue) throws -> Self {
    switch value {
    case .real(let number): return Self(number)
    case .integer(let number): return Self(number)
    case .boolean(let flag) where !ArchivedDecoder.readsJSON: return flag ? 1 : 0
    case .decimal(let number): if let read = Double(number.description) { return Self(read) }
    default: break
    }
    throw ArchivedMismatch(expected: Self.self)
  }
}

extension Double: ArchivedElement {}
extension Float: ArchivedElement {}

extension Decimal: ArchivedElement {
  func archived() -> ArchivedValue { .decimal(self) }
  static func unarchived(_ value: ArchivedValue) throws -> Decimal {
    switch value {
    case .decimal(let number): return number
    case .integer(let number): if let read = Decimal(string: "\(number)") { return read }
    case .real(let number): if let read = Decimal(string: "\(number)") { return read }
    default: break
    }
    throw ArchivedMismatch(expected: Self.self)
  }
}

extension Date: ArchivedElement {
  func archived() -> ArchivedValue { .date(timeIntervalSinceReferenceDate) }
  static func unarchived(_ value: ArchivedValue) throws -> Date {
    guard case .date(let seconds) = value else { throw ArchivedMismatch(expected: Self.self) }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}

extension Data: ArchivedElement {
  func archived() -> ArchivedValue { .data(self) }
  static func unarchived(_ value: ArchivedValue) throws -> Data {
    guard case .data(let data, _) = value else { throw ArchivedMismatch(expected: Self.self) }
    return data
  }
}

extension UUID: ArchivedElement {
  func archived() -> ArchivedValue { .uuid(self) }
  static func unarchived(_ value: ArchivedValue) throws -> UUID {
    guard case .uuid(let uuid) = value else { throw ArchivedMismatch(expected: Self.self) }
    return uuid
  }
}

extension URL: ArchivedElement {
  func archived() throws -> ArchivedValue { .url(relativeString, base: try baseURL?.archived()) }
  static func unarchived(_ value: ArchivedValue) throws -> URL {
    guard case .url(let text, let base) = value,
      let url = URL(string: text, relativeTo: try base.map { try unarchived($0) })
    else { throw ArchivedMismatch(expected: Self.self) }
    return url
  }
}

extension Array: ArchivedElement {
  func archived() throws -> ArchivedValue { .list(try map { try ArchivedEncoder.encode(any: $0) }) }
  static func unarchived(_ value: ArchivedValue) throws -> [Element] {
    guard case .list(let elements, _) = value else { throw ArchivedMismatch(expected: Self.self) }
    return try elements.map { try ArchivedDecoder.decode(any: Element.self, from: $0) }
  }
}

extension Set: ArchivedElement {
  /// Elements sorted by their archives, so that equal sets give equal bytes.
  func archived() throws -> ArchivedValue {
    let elements = try map { try ArchivedEncoder.encode(any: $0) }
    return .list(try ArchivedOrder.sorted(elements) { $0 }, .set)
  }
  static func unarchived(_ value: ArchivedValue) throws -> Set<Element> {
    guard case .list(let elements, _) = value else { throw ArchivedMismatch(expected: Self.self) }
    return Set(try elements.map { try ArchivedDecoder.decode(any: Element.self, from: $0) })
  }
}

extension Dictionary: ArchivedElement {
  /// Entries sorted by their keys, so that equal dictionaries give equal bytes.
  func archived() throws -> ArchivedValue {
    let entries = try map {
      ArchivedValue.Entry(
        key: try ArchivedEncoder.encode(any: $0.key), value: try ArchivedEncoder.encode(any: $0.value))
    }
    return .dictionary(try ArchivedOrder.sorted(entries) { $0.key })
  }
  static func unarchived(_ value: ArchivedValue) throws -> [Key: Value] {
    guard case .dictionary(let entries, _) = value else { throw ArchivedMismatch(expected: Self.self) }
    var read: [Key: Value] = [:]
    for entry in entries {
      read[try ArchivedDecoder.decode(any: Key.self, from: entry.key)] =
        try ArchivedDecoder.decode(any: Value.self, from: entry.value)
    }
    return read
  }
}

extension Optional: ArchivedElement {
  func archived() throws -> ArchivedValue {
    switch self {
    case nil: .null
    case .some(let value): try ArchivedEncoder.encode(any: value)
    }
  }
  static func unarchived(_ value: ArchivedValue) throws -> Wrapped? {
    value == .null ? nil : try ArchivedDecoder.decode(any: Wrapped.self, from: value)
  }
}

/// An order for elements that have none.
enum ArchivedOrder {
  static func sorted<Item>(_ items: [Item], by value: (Item) -> ArchivedValue) throws -> [Item] {
    let keyed = try items.map { (key: try sortKey(value($0)), item: $0) }
    return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.item)
  }

  /// Strings by their UTF-8 bytes, integers by value, other values by the bytes of their archives.
  private static func sortKey(_ value: ArchivedValue) throws -> [UInt8] {
    switch value {
    case .integer(let number): withUnsafeBytes(of: (number &- Int128.min).bigEndian) { Array($0) }
    case .string(let text, _): Array(text.utf8)
    default: Array(try value.archived())
    }
  }
}
