internal import Foundation
internal import StoreRequests

/// Decodes a structure from the values of its columns.
///
/// JSON bytes hold members that no column holds by itself (CD-5).
enum LeafDecoder {
  /// The value of the columns. A member that the type requires and no column holds is zero, so that the other members are kept: it may
  /// have been added later.
  ///
  /// - Parameter place: where the columns are, if they are stored; a member that does not fit is logged.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from leaves: [String: StoreValue], at place: ValuePlace? = nil
  ) throws -> Value {
    let lacking = LackingMembers()
    // A type may handle the error of a missing member, such as `try? container.decode(…)`.
    do {
      let value = try exactly(type, from: leaves, at: place, lacking)
      lacking.reports.forEach { $0() }
      return value
    } catch {
      return try Value(from: RowDecoder(leaves: leaves, columns: columns(of: type), fillsMissing: true, place: place))
    }
  }

  /// The value of the columns.
  ///
  /// - Throws: the errors of `init(from:)`, to which a member that no column holds is an error.
  static func exactly<Value: Decodable>(
    _ type: Value.Type, from leaves: [String: StoreValue], at place: ValuePlace? = nil,
    _ lacking: LackingMembers? = nil
  ) throws -> Value {
    let columns = columns(of: type)
    return try Value(
      from: RowDecoder(leaves: leaves, columns: columns, fillsMissing: false, place: place, lacking: lacking))
  }

  /// The columns of a composite by their keys; of other types the values alone tell what they are.
  fileprivate static func columns(of type: any Any.Type) -> [String: AttributeLayout.Leaf] {
    type is any CompositeValue.Type ? AttributeLayout.of(type).columns : [:]
  }
}

/// Reports of members that are read again, with zeros, unless the structure's type does without them.
final class LackingMembers {
  var reports: [() -> Void] = []
}

/// Answers a structure's `init(from:)` with the values of its columns.
struct RowDecoder: Decoder {
  let leaves: [String: StoreValue]
  /// The columns of a composite by their keys; empty for other types.
  var columns: [String: AttributeLayout.Leaf] = [:]
  /// Whether a missing or damaged member reads as zero; otherwise it is an error.
  var fillsMissing = true
  /// Where the columns are; `nil` if they are not stored.
  var place: ValuePlace?
  /// The members whose JSON lacks members, if such JSON is to be read again, with zeros.
  var lacking: LackingMembers?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.mismatch }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

  private static var mismatch: any Error {
    DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "A row is read by keys."))
  }

  /// Answers a type that reads a single value.
  private struct Single: SingleValueDecodingContainer {
    let decoder: RowDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.leaves.values.allSatisfy { $0 == .null } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      // A value that is no column is read in the place of the whole.
      guard let column = type as? any _ColumnValue.Type else { return try Value(from: decoder) }
      let value = decoder.leaves[AttributeLayout.Leaf.singleValueName] ?? .null
      if let read = column.value(of: value) as? Value { return read }
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: [], debugDescription: "The column holds no \(type)."))
    }
  }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RowDecoder
    var leaves: [String: StoreValue] { decoder.leaves }
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { leaves.filter { $0.value != .null }.keys.compactMap { Key(stringValue: $0) } }

    // A row does not tell a member that is `nil` from one that was not encoded.
    func contains(_ key: Key) -> Bool {
      (leaves[key.stringValue] ?? .null) != .null || !parts(key).values.allSatisfy { $0 == .null }
    }
    func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

    /// The columns of a nested composite.
    private func parts(_ key: Key) -> [String: StoreValue] {
      let prefix = key.stringValue + AttributeLayout.separator
      var parts: [String: StoreValue] = [:]
      for (name, value) in leaves where name.hasPrefix(prefix) { parts[String(name.dropFirst(prefix.count))] = value }
      return parts
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let value = leaves[key.stringValue] ?? .null
      // A composite inside a structure without `@Composite` is JSON.
      if type is any CompositeValue.Type, leaves[key.stringValue] == nil {
        let columns = LeafDecoder.columns(of: type)
        return try Value(
          from: RowDecoder(
            leaves: parts(key), columns: columns, fillsMissing: decoder.fillsMissing, place: decoder.place,
            lacking: decoder.lacking))
      }
      let leaf = decoder.columns[key.stringValue]
      if let leaf, leaf.isCoded {
        if let read = leaf.member(type, of: value) { return read }
        switch value {
        // Earlier versions wrote JSON.
        case .null, .blob: break
        case .integer, .real, .text: reportMisfit(key, type)
        }
      }
      if let column = type as? any _ColumnValue.Type, leaf?.isJSON != true {
        if let read = column.value(of: value) as? Value { return read }
        if value != .null { reportMisfit(key, type) }
      } else if case .blob(let data) = value {
        do {
          guard decoder.fillsMissing else { return try ColumnJSON.decode(type, from: data) }
          return try ColumnJSON.decodeStored(type, from: data, zeros: TypeZeros())
        } catch {
          if let lacking = decoder.lacking, error.isMissingMember {
            lacking.reports.append { reportMisfit(key, type, error) }
          } else {
            reportMisfit(key, type, error)
          }
        }
      }
      if let none = (type as? any OptionalType.Type)?.emptyValue as? Value, !contains(key) { return none }
      if decoder.fillsMissing, let zero = zero(type) { return zero }
      throw mismatch(key, type)
    }

    private func reportMisfit(_ key: Key, _ type: any Any.Type, _ error: (any Error)? = nil) {
      decoder.place?.reportMisfit(type, error, member: key.stringValue)
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
      guard case .blob(let data)? = leaves[key.stringValue] else { throw mismatch(key, Any.self) }
      return try ColumnJSON.list(from: data)
    }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
  }
}

extension AttributeLayout.Leaf {
  /// The member whose raw value, or single value, a column holds; `nil` if it holds none.
  fileprivate func member<Value: Decodable>(_ type: Value.Type, of stored: StoreValue) -> Value? {
    guard stored != .null else { return nil }
    guard let raw = type as? any RawRepresentable.Type else {
      return try? LeafDecoder.exactly(type, from: [Self.singleValueName: stored])
    }
    return member(of: raw, self.type.value(of: stored)) as? Value
  }

  private func member<Raw: RawRepresentable>(of type: Raw.Type, _ value: Any?) -> Any? {
    (value as? Raw.RawValue).flatMap { Raw(rawValue: $0) }
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
