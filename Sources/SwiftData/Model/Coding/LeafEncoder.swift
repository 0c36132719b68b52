internal import Foundation
internal import StoreRequests

/// Encodes a structure as the values of its columns.
enum LeafEncoder {
  /// The values of the columns by their keys.
  ///
  /// - Parameter keepsAllDigits: whether a decimal number is the text of its digits where Core Data's column would lose some; see
  ///   ``StoreValue/init(allDigitsOf:)``.
  /// - Throws: `EncodingError` if a part of the value would be lost, since no column holds it.
  static func encode(_ value: any Encodable, keepsAllDigits: Bool = false) throws -> [String: StoreValue] {
    let columns = AttributeLayout.of(type(of: value)).columns
    let encoder = try encoded(value, columns, keepsAllDigits: keepsAllDigits)
    guard !columns.isEmpty else { return encoder.leaves }
    if columns.isSingleValue, encoder.leaves.isEmpty { throw EncodingError.withoutColumn(value, "what it encodes") }
    if encoder.hasUnnamedPart { throw EncodingError.withoutColumn(value, "what it encodes without a key") }
    if let name = lostMember(of: value, encoder) {
      throw EncodingError.withoutColumn(value, "'\(name)', which init(from:) does not read for every value")
    }
    return encoder.leaves
  }

  private static func encoded(
    _ value: any Encodable, _ columns: [String: AttributeLayout.Leaf], keepsAllDigits: Bool
  ) throws -> RowEncoder {
    let encoder = RowEncoder(columns, keepsAllDigits: keepsAllDigits)
    try value.encode(to: encoder)
    guard !encoder.nested.isEmpty else { return encoder }
    // A nested container that a type encodes by hand is stored as one JSON member.
    for (name, json) in try ColumnJSON.members(encoder.nested.map(\.name), of: value)
    where encoder.leaves[name] == nil {
      try encoder.keep(json: json, name)
    }
    return encoder
  }

  /// The name of a member that is lost: no column holds it, and decoding the columns does not produce it again.
  ///
  /// A type may encode constants and computed members that it never reads. The value of the columns encodes them again.
  private static func lostMember(of value: any Encodable, _ encoder: RowEncoder) -> String? {
    var names = encoder.membersWithoutColumn
    if let composite = type(of: value) as? any CompositeValue.Type {
      // An element without a column is not persisted.
      let elements = Set(composite._$elements.map(\.attribute.name))
      names.removeAll { elements.contains($0) }
    }
    guard !names.isEmpty else { return nil }
    let again = encodedAgain(value, encoder)
    return names.first { again?[$0] != encoder.leaves[$0] }
  }

  /// Decodes the columns and encodes the result again; `nil` if that fails.
  private static func encodedAgain(_ value: any Encodable, _ encoder: RowEncoder) -> [String: StoreValue]? {
    let stored = encoder.leaves.filter { encoder.columns[$0.key] != nil }
    guard let decodable = type(of: value) as? any Decodable.Type,
      let copy = try? LeafDecoder.decode(decodable, from: stored) as? any Encodable
    else { return nil }
    return try? encoded(copy, encoder.columns, keepsAllDigits: encoder.keepsAllDigits).leaves
  }

  /// The name of the case of a value without payload; `nil` for a value with another encoding.
  static func caseName(of value: any Encodable) -> String? {
    guard let chosen = try? encodedCase(of: value, keepsAllDigits: false), chosen.payload.isEmpty else { return nil }
    return chosen.name
  }

  /// The name of the case of a value without payload.
  ///
  /// - Throws: `EncodingError` if the case is none of the columns.
  static func caseName(of value: any Encodable, among names: [String]) throws -> String {
    guard let name = caseName(of: value), names.contains(name) else {
      throw EncodingError.withoutColumn(value, "its case")
    }
    return name
  }

  /// A value's case as it is encoded; `nil` for a value with another encoding.
  ///
  /// - Parameters:
  ///   - cases: the cases whose columns tell the form of a payload.
  ///   - keepsAllDigits: see ``encode(_:keepsAllDigits:)``.
  static func encodedCase(
    of value: any Encodable, among cases: [EnumerationCase] = [], keepsAllDigits: Bool
  ) throws -> EncodedCase? {
    let encoder = RowEncoder(keepsAllDigits: keepsAllDigits)
    for member in cases {
      guard case .labels = member.payload else { continue }
      encoder.nestedColumns[member.name] = Dictionary(member.columns.map { ($0.name, $0) }) { first, _ in first }
    }
    try value.encode(to: encoder)
    guard encoder.leaves.isEmpty, encoder.nested.count == 1, let only = encoder.nested.first, let content = only.encoder
    else { return nil }
    var payload = content.leaves
    for (name, _) in content.nested { payload[name] = .null }
    return EncodedCase(name: only.name, payload: payload, hasParts: !content.nested.isEmpty || content.hasUnnamedPart)
  }
}

/// What a value of an enumeration encodes.
struct EncodedCase {
  let name: String
  /// The payload by its keys. A part that is encoded by hand, in a container of its own, is `NULL`.
  let payload: [String: StoreValue]
  /// Whether the payload has such parts.
  let hasParts: Bool
}

/// Keeps what a value encodes as the values of columns.
private final class RowEncoder: Encoder {
  /// The columns of the value's type; empty if they are not known.
  let columns: [String: AttributeLayout.Leaf]
  let keepsAllDigits: Bool
  private(set) var leaves: [String: StoreValue] = [:]
  /// The containers and encoders of members; without an encoder, a list.
  private(set) var nested: [(name: String, encoder: RowEncoder?)] = []
  private(set) var membersWithoutColumn: [String] = []
  /// Whether the value encoded itself as a list or as a single value, which has no column.
  private(set) var hasUnnamedPart = false
  /// The columns of members that encode themselves in a container of their own, by the members' names.
  var nestedColumns: [String: [String: AttributeLayout.Leaf]] = [:]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ columns: [String: AttributeLayout.Leaf] = [:], keepsAllDigits: Bool) {
    self.columns = columns
    self.keepsAllDigits = keepsAllDigits
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedRow<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    hasUnnamedPart = true
    return DiscardingContainer()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleRow(encoder: self) }

  /// Keeps a value that stands for the whole.
  func keepWhole<Value: Encodable>(_ value: Value) throws {
    let name = AttributeLayout.Leaf.singleValueName
    guard value is any _ColumnValue else { return try value.encode(to: self) }
    if columns.isSingleValue {
      try keep(member: value, name)
    } else {
      hasUnnamedPart = true
    }
  }

  func keepWholeNil() { hasUnnamedPart = true }

  func keep(_ value: StoreValue, _ name: String) { leaves[name] = value }

  /// Keeps a member in the form that its column has.
  func keep<Value: Encodable>(member value: Value, _ name: String) throws {
    let column = columns[name]
    if let plain = value as? any _ColumnValue, column?.takes(plain) ?? true {
      try keep(plain, name)
    } else if let optional = value as? any OptionalType, optional.wrappedValue == nil {
      keep(.null, name)
    } else if let column, column.isCoded, let coded = column.coded(value, keepsAllDigits: keepsAllDigits) {
      keep(coded, name)
    } else if column == nil, let composite = value as? any CompositeValue {
      for (part, value) in try LeafEncoder.encode(composite, keepsAllDigits: keepsAllDigits) {
        keep(value, name + AttributeLayout.separator + part)
      }
    } else {
      try keep(json: ColumnJSON.encode(value), name)
    }
  }

  /// Keeps a member of a column's type.
  func keep(_ value: any _ColumnValue, _ name: String) throws {
    leaves[name] = try stored(value)
    if columns[name] == nil { noteWithoutColumn(name) }
  }

  /// Keeps a member as JSON, or converts it for a column of another type: what JSON reads as that type is kept.
  func keep(json: Data, _ name: String) throws {
    guard let column = columns[name], !column.isJSON else {
      leaves[name] = .blob(json)
      if columns[name] == nil { noteWithoutColumn(name) }
      return
    }
    guard let type = column.type as? any Decodable.Type,
      let value = try? ColumnJSON.decode(type, from: json) as? any _ColumnValue
    else {
      let part = columns.isSingleValue ? "the value" : "'\(name)'"
      throw EncodingError.withoutColumn(json, "\(part) as it is encoded, since init(from:) reads \(column.type)")
    }
    leaves[name] = try stored(value)
  }

  /// Adds a member that the type encodes by hand.
  ///
  /// - Returns: the encoder of a container with keys, or of any value.
  func nest(_ name: String) -> RowEncoder {
    let encoder = RowEncoder(nestedColumns[name] ?? [:], keepsAllDigits: keepsAllDigits)
    nested.append((name, encoder))
    return encoder
  }

  func nestList(_ name: String) { nested.append((name, nil)) }

  private func noteWithoutColumn(_ name: String) {
    if !columns.isEmpty { membersWithoutColumn.append(name) }
  }

  private func stored(_ value: any _ColumnValue) throws -> StoreValue {
    guard let decimal = value as? Decimal else { return value._columnConstant.value }
    return keepsAllDigits ? StoreValue(allDigitsOf: decimal) : try RowBinder.stored(decimal)
  }
}

private struct KeyedRow<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) throws { encoder.keep(.null, key.stringValue) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encoder.keep(member: value, key.stringValue)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nest(key.stringValue).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nestList(key.stringValue)
    return DiscardingContainer()
  }
  mutating func superEncoder() -> any Encoder { encoder.nest("super") }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.nest(key.stringValue) }
}

/// Takes what a type encodes as a single value.
private struct SingleRow: SingleValueEncodingContainer {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() throws { encoder.keepWholeNil() }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try encoder.keepWhole(value) }
}

extension [String: AttributeLayout.Leaf] {
  /// Whether these are the columns of a type that encodes itself as a single value.
  fileprivate var isSingleValue: Bool { self[AttributeLayout.Leaf.singleValueName] != nil }
}

extension AttributeLayout.Leaf {
  /// Whether a value is of the column's type.
  fileprivate func takes(_ value: any _ColumnValue) -> Bool { !isJSON && Swift.type(of: value) == type }

  /// The raw value, or the single value, of a member's value; `nil` for a value of another type.
  fileprivate func coded(_ value: Any, keepsAllDigits: Bool) -> StoreValue? {
    guard let content = unwrap(value), Swift.type(of: content) == memberType else { return nil }
    return storeValue(content, keepsAllDigits: keepsAllDigits)
  }
}

/// Takes the elements of a list, which ``ColumnJSON`` encodes.
private struct DiscardingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  var count = 0
  var codingPath: [any CodingKey] { [] }
  mutating func encodeNil() throws {}
  mutating func encode<Value: Encodable>(_ value: Value) throws {}
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    RowEncoder(keepsAllDigits: false).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { DiscardingContainer() }
  mutating func superEncoder() -> any Encoder { RowEncoder(keepsAllDigits: false) }
}

extension EncodingError {
  /// The error of a value a part of which has no column.
  static func withoutColumn(_ value: Any, _ part: String) -> EncodingError {
    .invalidValue(
      value,
      Context(codingPath: [], debugDescription: "no column holds \(part): mark the property @Attribute(.codable)"))
  }
}
