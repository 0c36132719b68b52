internal import Foundation
internal import StoreRequests

/// Decodes a structure from the values of its columns.
///
/// JSON bytes hold members that no column holds by itself (CD-5).
enum LeafDecoder {
  static func decode<Value: Decodable>(_ type: Value.Type, from leaves: [String: StoreValue]) throws -> Value {
    try Value(from: RowDecoder(leaves: leaves))
  }
}

/// Answers a structure's `init(from:)` with the values of its columns.
struct RowDecoder: Decoder {
  let leaves: [String: StoreValue]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(leaves: leaves))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.mismatch }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.mismatch }

  private static var mismatch: any Error {
    DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "A row is read by keys."))
  }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let leaves: [String: StoreValue]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { leaves.filter { $0.value != .null }.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { leaves[key.stringValue] != nil || !parts(key).isEmpty }
    func decodeNil(forKey key: Key) throws -> Bool {
      (leaves[key.stringValue] ?? .null) == .null && parts(key).values.allSatisfy { $0 == .null }
    }

    /// The columns of a nested composite.
    private func parts(_ key: Key) -> [String: StoreValue] {
      let prefix = key.stringValue + AttributeLayout.separator
      var parts: [String: StoreValue] = [:]
      for (name, value) in leaves where name.hasPrefix(prefix) { parts[String(name.dropFirst(prefix.count))] = value }
      return parts
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let value = leaves[key.stringValue] ?? .null
      if type is any CompositeValue.Type { return try LeafDecoder.decode(type, from: parts(key)) }
      if let column = type as? any _ColumnValue.Type {
        if let read = column.value(of: value) as? Value { return read }
      } else if case .blob(let data) = value {
        do { return try ColumnJSON.decode(type, from: data) } catch {
          UnreadableValue.report("A stored member cannot be read as \(type): \(error)")
        }
      }
      // A missing or damaged member reads as zero, so that the other members are kept; a member may have been added later.
      if let zero = zero(type) { return zero }
      throw mismatch(key, type)
    }

    private func mismatch(_ key: Key, _ type: any Any.Type) -> any Error {
      DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: [key], debugDescription: "The column holds no \(type)."))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      guard case .blob(let data)? = leaves[key.stringValue] else { throw mismatch(key, Any.self) }
      return try ColumnJSON.container(keyedBy: type, from: data)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw mismatch(key, Any.self)
    }
    func superDecoder() throws -> any Decoder { RowDecoder(leaves: leaves) }
    func superDecoder(forKey key: Key) throws -> any Decoder { RowDecoder(leaves: leaves) }
  }
}

extension _ColumnValue {
  /// A stored value converted to this type; `nil` if it is of another type.
  static func value(of stored: StoreValue) -> Any? {
    switch stored {
    case .null: nil
    case .integer(let value): number(value) ?? (Self.self == Date.self ? date(Double(value)) : nil)
    case .real(let value): real(value)
    case .text(let value): text(value)
    case .blob(let value): blob(value)
    }
  }

  private static func date(_ seconds: Double) -> Any? { Date(timeIntervalSinceReferenceDate: seconds) }

  private static func number(_ value: Int64) -> Any? {
    if Self.self == Bool.self { return value != 0 }
    if Self.self == Decimal.self { return Decimal(.integer(value)) }
    if let type = Self.self as? any FixedWidthInteger.Type { return integer(type, value) }
    if let type = Self.self as? any BinaryFloatingPoint.Type { return floating(type, Double(value)) }
    return nil
  }

  private static func real(_ value: Double) -> Any? {
    if Self.self == Date.self { return date(value) }
    if Self.self == Decimal.self { return Decimal(.real(value)) }
    if let type = Self.self as? any BinaryFloatingPoint.Type { return floating(type, value) }
    return nil
  }

  private static func text(_ value: String) -> Any? {
    if Self.self == String.self { return value }
    if Self.self == Decimal.self { return Decimal(.text(value)) }
    return Self.self == URL.self ? URL(string: value) : nil
  }

  private static func blob(_ value: Data) -> Any? {
    if Self.self == Data.self { return value }
    guard Self.self == UUID.self, value.count == 16 else { return nil }
    return value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ value: Int64) -> Any {
    Number.bitWidth == 64 ? Number(truncatingIfNeeded: value) : Number(clamping: value)
  }

  private static func floating<Number: BinaryFloatingPoint>(_ type: Number.Type, _ value: Double) -> Any {
    Number(value)
  }
}

/// Encodes a structure as the values of its columns.
enum LeafEncoder {
  /// - Parameter keepsAllDigits: whether a decimal number is the text of its digits where Core Data's column would lose some; see
  ///   ``StoreValue/init(allDigitsOf:)``.
  static func encode(_ value: any Encodable, keepsAllDigits: Bool = false) throws -> [String: StoreValue] {
    let encoder = RowEncoder(keepsAllDigits: keepsAllDigits)
    try value.encode(to: encoder)
    guard !encoder.nested.isEmpty else { return encoder.leaves }
    // A nested container that a type encodes by hand is stored as one JSON member.
    let members = try ColumnJSON.members(encoder.nested.map(\.name), of: value)
    return encoder.leaves.merging(members.mapValues { .blob($0) }) { leaf, _ in leaf }
  }

  /// The name of the case of a value without payload; `nil` for a value with another encoding.
  static func caseName(of value: any Encodable) -> String? {
    let encoder = RowEncoder()
    try? value.encode(to: encoder)
    return encoder.leaves.isEmpty && encoder.nested.count == 1 ? encoder.nested.first?.name : nil
  }

  /// The name of a value's case, and its payload by labels; `nil` for a value with another encoding.
  ///
  /// - Parameter keepsAllDigits: see ``encode(_:keepsAllDigits:)``.
  static func caseAndPayload(
    of value: any Encodable, keepsAllDigits: Bool
  ) throws -> (name: String, payload: [String: StoreValue])? {
    let encoder = RowEncoder(keepsAllDigits: keepsAllDigits)
    try value.encode(to: encoder)
    guard encoder.leaves.isEmpty, encoder.nested.count == 1, let only = encoder.nested.first else { return nil }
    return (only.name, only.encoder.leaves)
  }

  private final class RowEncoder: Encoder {
    var nested: [(name: String, encoder: RowEncoder)] = []
    var leaves: [String: StoreValue] = [:]
    let keepsAllDigits: Bool
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(keepsAllDigits: Bool = false) { self.keepsAllDigits = keepsAllDigits }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    // A type with a layout encodes itself with keys. Unkeyed and single values have no column and are discarded.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { Discarding() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Discarding() }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RowEncoder
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws { encoder.leaves[key.stringValue] = .null }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      if let decimal = value as? Decimal {
        encoder.leaves[key.stringValue] =
          encoder.keepsAllDigits ? StoreValue(allDigitsOf: decimal) : try RowBinder.stored(decimal)
      } else if let column = value as? any _ColumnValue {
        encoder.leaves[key.stringValue] = column._columnConstant.value
      } else if value is any CompositeValue {
        for (name, part) in try LeafEncoder.encode(value, keepsAllDigits: encoder.keepsAllDigits) {
          encoder.leaves[key.stringValue + AttributeLayout.separator + name] = part
        }
      } else {
        encoder.leaves[key.stringValue] = .blob(try ColumnJSON.encode(value))
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      let nested = RowEncoder(keepsAllDigits: encoder.keepsAllDigits)
      encoder.nested.append((key.stringValue, nested))
      return KeyedEncodingContainer(LeafEncoder.Keyed<Nested>(encoder: nested))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Discarding() }
    mutating func superEncoder() -> any Encoder { encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }

  private struct Discarding: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var count = 0
    var codingPath: [any CodingKey] { [] }
    mutating func encodeNil() throws {}
    mutating func encode<Value: Encodable>(_ value: Value) throws {}
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(LeafEncoder.Keyed<Nested>(encoder: RowEncoder()))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Discarding() }
    mutating func superEncoder() -> any Encoder { RowEncoder() }
  }
}
