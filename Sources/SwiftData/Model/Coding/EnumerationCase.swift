internal import Foundation
internal import StoreRequests

/// A case of an enumeration without raw values, and the value of its column (CD-5).
///
/// Each case has a column. The form of a payload is this library's own: no store with one is at hand. A public test that ran on macOS 26
/// reports a column for each label of a payload, and none for its case; what becomes of values without labels is unknown.
struct EnumerationCase {
  let name: String
  let payload: Payload

  enum Payload {
    /// No payload: the column holds the case's name.
    case none
    /// One value, never `nil`, of a type that a column holds, with its label.
    case value(label: String, type: any _ColumnValue.Type)
    /// Any other payload: a JSON object of the values by their labels.
    case json
  }

  /// The type of the column.
  var columnType: any Any.Type {
    switch payload {
    case .none: String?.self
    case .value(_, let type): Self.optional(type)
    case .json: Data?.self
    }
  }

  var hasDecimalColumn: Bool { if case .value(_, let type) = payload { type == Decimal.self } else { false } }

  var isJSON: Bool { if case .json = payload { true } else { false } }

  private static func optional<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }

  /// A value of the type that is this case, made from its column's value.
  ///
  /// - Throws: the errors of decoding.
  func value<Value: Decodable>(_ type: Value.Type, from stored: StoreValue) throws -> Value {
    switch (payload, stored) {
    case (.none, _): try Value(from: CaseDecoder(name: name) { RowDecoder(leaves: [:]) })
    case (.value(let label, _), _): try Value(from: CaseDecoder(name: name) { RowDecoder(leaves: [label: stored]) })
    case (.json, .blob(let data)): try ColumnJSON.decode(type, from: ColumnJSON.key(name) + data + Data("}".utf8))
    case (.json, _): throw CaseDecoder.noEnumeration
    }
  }

  /// The values of the columns of all cases for one value.
  ///
  /// - Parameter keepsAllDigits: see ``LeafEncoder/encode(_:keepsAllDigits:)``.
  /// - Throws: the errors of encoding; `EncodingError` for a value whose case or payload has no column.
  static func columns(
    of value: any Encodable, cases: [EnumerationCase], keepsAllDigits: Bool
  ) throws -> [StoreValue] {
    let chosen = try LeafEncoder.caseAndPayload(of: value, keepsAllDigits: keepsAllDigits)
    guard let chosen, let index = cases.firstIndex(where: { $0.name == chosen.name }) else {
      throw EncodingError.withoutColumn(value, "its case")
    }
    var columns = [StoreValue](repeating: .null, count: cases.count)
    columns[index] = try cases[index].column(of: value, payload: chosen.payload)
    return columns
  }

  /// The column of this case for a value that is this case.
  private func column(of value: any Encodable, payload values: [String: StoreValue]) throws -> StoreValue {
    switch payload {
    case .none: if values.isEmpty { return .text(name) }
    case .value(let label, _): if values.count == 1, let stored = values[label], stored != .null { return stored }
    case .json:
      let (whole, key) = (try ColumnJSON.encode(value), try ColumnJSON.key(name))
      if whole.starts(with: key), whole.last == UInt8(ascii: "}") {
        return .blob(Data(whole.dropFirst(key.count).dropLast()))
      }
    }
    throw EncodingError.withoutColumn(value, "the payload of '\(name)' as it is encoded")
  }

  /// The cases of a type with the encoding that the compiler synthesizes for enumerations; `nil` for other types.
  ///
  /// That encoding is an object whose only key is the case's name; its value is an object of the payload by labels.
  static func all<Value: Decodable>(of type: Value.Type) -> [EnumerationCase]? {
    let finder = KeyFinder()
    guard (try? Value(from: finder)) == nil, finder.isEnumeration, let names = finder.names, !names.isEmpty else {
      return nil
    }
    var cases: [EnumerationCase] = []
    for name in names {
      let recorder = LeafRecorder()
      var isCase = false
      let made = try? Value(
        from: CaseDecoder(name: name) {
          isCase = true
          return recorder
        })
      guard isCase else { return nil }
      let payload: Payload
      if made != nil, recorder.leaves.isEmpty {
        payload = .none
      } else if recorder.leaves.count == 1, let only = recorder.leaves.first, !only.isOptional, !only.isJSON {
        payload = .value(label: only.name, type: only.type)
      } else {
        payload = .json
      }
      cases.append(EnumerationCase(name: name, payload: payload))
    }
    return cases
  }
}

/// Records the keys that a type's `init(from:)` asks for, and has no value for any key.
private final class KeyFinder: Decoder {
  /// The names of all keys, in declared order.
  var names: [String]?
  /// Whether the type asked only which keys exist.
  var isEnumeration = true
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(finder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw CaseDecoder.noEnumeration }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw CaseDecoder.noEnumeration }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let finder: KeyFinder
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
      finder.names = valuesOfEnumeration(Key.self)?.map(\.stringValue)
      return []
    }

    func contains(_ key: Key) -> Bool { false }
    func decodeNil(forKey key: Key) throws -> Bool { throw other }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { throw other }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw other }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw other }
    func superDecoder() throws -> any Decoder { throw other }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw other }

    private var other: any Error {
      finder.isEnumeration = false
      return CaseDecoder.noEnumeration
    }
  }
}

/// The values of an enumeration of coding keys, in declared order; `nil` for other types.
///
/// Such an enumeration has no payloads, so the bits of its cases count from 0, and the bits of `nil` are the next
/// number (https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst). Each value is verified: its name must
/// lead back to it.
private func valuesOfEnumeration<Key: CodingKey>(_ type: Key.Type) -> [Key]? {
  guard _isPOD(type), MemoryLayout<Key?>.size == 1 else { return nil }
  let count =
    MemoryLayout<Key>.size == 0 ? 1 : Int(withUnsafeBytes(of: Key?.none) { $0.load(as: UInt8.self) })
  var values: [Key] = []
  for number in 0..<count {
    let value = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: UInt8(number))
      return bytes.load(as: type)
    }
    guard Key(stringValue: value.stringValue)?.stringValue == value.stringValue else { return nil }
    values.append(value)
  }
  return Set(values.map(\.stringValue)).count == count ? values : nil
}

/// A decoder that presents one case, and lets another decoder supply its payload.
private struct CaseDecoder: Decoder {
  let name: String
  let payload: () -> any Decoder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(name: String, payload: @escaping () -> any Decoder) {
    self.name = name
    self.payload = payload
  }

  static var noEnumeration: any Error {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "The column holds no case with a payload."))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.noEnumeration }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.noEnumeration }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: CaseDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { Key(stringValue: decoder.name).map { [$0] } ?? [] }

    func contains(_ key: Key) -> Bool { key.stringValue == decoder.name }
    func decodeNil(forKey key: Key) throws -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      throw CaseDecoder.noEnumeration
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder.payload().container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw CaseDecoder.noEnumeration
    }
    func superDecoder() throws -> any Decoder { throw CaseDecoder.noEnumeration }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw CaseDecoder.noEnumeration }
  }
}
