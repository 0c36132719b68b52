internal import Foundation
internal import StoreRequests

/// A case of an enumeration without raw values, and its columns (CD-5).
///
/// A case without payload has a column, which holds the case's name. A case whose values have labels has a column for each label, and
/// none of its own: a public test that ran on macOS 26 reports these columns. Payloads of another form are unknown there. Their case
/// has one column in this library's own form.
struct EnumerationCase {
  let name: String
  let payload: Payload
  /// The columns by their names. All of them are `NULL` for a value of another case.
  let columns: [AttributeLayout.Leaf]

  enum Payload {
    /// No payload: the column holds the case's name.
    case none
    /// Values with labels: each column holds a value. One of them is never `nil`, and so tells the case.
    case labels
    /// One value, never `nil`, of a type that a column holds, with its key: the column holds the value.
    case value(key: String)
    /// Any other payload: the column holds a JSON object of the values by their keys.
    case json
  }

  init(name: String, _ payload: Payload, columns: [AttributeLayout.Leaf]) {
    self.name = name
    self.payload = payload
    self.columns = columns
  }

  /// Whether all values that the case always has are in its columns.
  func isWhole(_ stored: [StoreValue]) -> Bool {
    zip(columns, stored).allSatisfy { !$0.isRequired || $1 != .null }
  }

  /// A value of the type that is this case, made from its columns' values; a required value that they lack is zero.
  ///
  /// - Throws: the errors of decoding.
  func value<Value: Decodable>(_ type: Value.Type, from stored: [StoreValue]) throws -> Value {
    switch payload {
    case .none: return try decode(type, [:])
    case .labels: return try decode(type, Dictionary(zip(columns.map(\.name), stored)) { first, _ in first })
    case .value(let key): return try decode(type, [key: stored.first ?? .null])
    case .json:
      guard case .blob(let data)? = stored.first else { throw CaseDecoder.noEnumeration }
      return try ColumnJSON.decodeStored(
        type, from: ColumnJSON.key(name) + data + Data("}".utf8), zeros: TypeZeros())
    }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ leaves: [String: StoreValue]) throws -> Value {
    func value(fillsMissing: Bool) throws -> Value {
      try Value(from: CaseDecoder(name: name) { RowDecoder(leaves: leaves, fillsMissing: fillsMissing) })
    }
    do { return try value(fillsMissing: false) } catch { return try value(fillsMissing: true) }
  }

  /// The values of the columns of all cases for one value.
  ///
  /// - Parameter keepsAllDigits: see ``LeafEncoder/encode(_:keepsAllDigits:)``.
  /// - Throws: the errors of encoding; `EncodingError` for a value whose case or payload has no column.
  static func columns(
    of value: any Encodable, cases: [EnumerationCase], keepsAllDigits: Bool
  ) throws -> [StoreValue] {
    let chosen = try LeafEncoder.encodedCase(of: value, among: cases, keepsAllDigits: keepsAllDigits)
    guard let chosen, cases.contains(where: { $0.name == chosen.name }) else {
      throw EncodingError.withoutColumn(value, "its case")
    }
    return try cases.flatMap { member in
      guard member.name == chosen.name else { return [StoreValue](repeating: .null, count: member.columns.count) }
      return try member.columns(of: value, chosen)
    }
  }

  /// The columns of this case for a value that is this case.
  private func columns(of value: any Encodable, _ encoded: EncodedCase) throws -> [StoreValue] {
    let values = encoded.payload
    switch payload {
    case .none: if values.isEmpty { return [.text(name)] }
    case .labels:
      let stored = columns.map { values[$0.name] ?? .null }
      let labels = Set(columns.map(\.name))
      if !encoded.hasParts, isWhole(stored), values.keys.allSatisfy(labels.contains) { return stored }
    case .value(let key): if values.count == 1, let stored = values[key], stored != .null { return [stored] }
    case .json:
      let (whole, key) = (try ColumnJSON.encode(value), try ColumnJSON.key(name))
      if whole.starts(with: key), whole.last == UInt8(ascii: "}") {
        return [.blob(Data(whole.dropFirst(key.count).dropLast()))]
      }
    }
    throw EncodingError.withoutColumn(value, "the payload of '\(name)' as it is encoded")
  }
}

extension [EnumerationCase] {
  /// The columns of all cases.
  var columns: [AttributeLayout.Leaf] { flatMap(\.columns) }

  /// The case that the columns of a row hold, with its columns' values; `nil` for a row without value.
  ///
  /// - Parameter read: returns the value of the next column.
  func stored(_ read: () -> StoreValue) -> (member: EnumerationCase, values: [StoreValue])? {
    let rows = map { member in (member: member, values: member.columns.map { _ in read() }) }
    let present = rows.filter { row in row.values.contains { $0 != .null } }
    // Another program may have left a column empty.
    return present.first { $0.member.isWhole($0.values) } ?? present.first
  }
}

extension EnumerationCase {
  /// The names of the cases of a type that decodes itself as an enumeration does, in declared order; `nil` for other types.
  static func caseNames<Value: Decodable>(of type: Value.Type) -> [String]? {
    let finder = KeyFinder()
    guard (try? Value(from: finder)) == nil, finder.isEnumeration, let names = finder.names, !names.isEmpty else {
      return nil
    }
    return names
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
