internal import Foundation
internal import PropertyLists
internal import StoreRequests

/// Decodes archived values: property-list types directly, other types through `Codable`.
struct ArchivedDecoder: Decoder {
  let value: ArchivedValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Whether the values come from JSON, where a truth value is no number. In an archive it is one, as each `NSNumber`.
  @TaskLocal static var readsJSON = false
  /// The members that read as zero if a type requires them and its value lacks them; `nil` if that is an error.
  @TaskLocal private static var missing: MissingMembers?

  /// Reads a stored value. A member that a type requires and the value lacks is zero, so that the other members are kept: it may have been
  /// added later.
  static func decodeStored<Value: Decodable>(
    _ type: Value.Type, from value: ArchivedValue, zeros: any ZeroSource
  ) throws -> Value {
    try MissingMembers.decode(zeros) {
      try read(type, from: value, at: [])
    } filling: {
      try $missing.withValue($0) { try read(type, from: value, at: []) }
    }
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: ArchivedValue, at path: [any CodingKey] = []
  ) throws -> Value {
    guard let missing else { return try read(type, from: value, at: path) }
    return try missing.decode {
      try $missing.withValue(nil) { try read(type, from: value, at: path) }
    } filling: {
      try $missing.withValue($0) { try read(type, from: value, at: path) }
    }
  }

  private static func read<Value: Decodable>(
    _ type: Value.Type, from value: ArchivedValue, at path: [any CodingKey]
  ) throws -> Value {
    if let element = type as? any ArchivedElement.Type, let read = try element.unarchived(value) as? Value {
      return read
    }
    return try Value(from: ArchivedDecoder(value: value, codingPath: path))
  }

  /// - Throws: ``ArchivedMismatch`` for a type that is not `Decodable`, and for a value of another type.
  static func decode<Value>(any type: Value.Type, from value: ArchivedValue) throws -> Value {
    if let element = type as? any ArchivedElement.Type, let read = try element.unarchived(value) as? Value {
      return read
    }
    guard let decodable = type as? any Decodable.Type, let read = try decode(decodable, from: value) as? Value else {
      throw ArchivedMismatch(expected: type)
    }
    return read
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let entries, _) = value else { throw ArchivedMismatch(expected: [String: Any].self) }
    var contents: [String: ArchivedValue] = [:]
    for entry in entries {
      if case .string(let name, _) = entry.key { contents[name] = entry.value }
    }
    return KeyedDecodingContainer(Keyed<Key>(contents: contents, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements, _) = value else { throw ArchivedMismatch(expected: [Any].self) }
    return Sequence(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(value: value, codingPath: codingPath)
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let contents: [String: ArchivedValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { contents.keys.compactMap { Key(stringValue: $0) } }
    func contains(_ key: Key) -> Bool { contents[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      if let value = contents[key.stringValue] {
        return try ArchivedDecoder.decode(type, from: value, at: codingPath + [key])
      }
      let zero = ArchivedDecoder.missing?.zero(type, for: key) { allKeys.count == contents.count }
      if let zero { return zero }
      throw notFound(key)
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder {
      ArchivedDecoder(value: contents["super"] ?? .null, codingPath: codingPath)
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> ArchivedDecoder {
      ArchivedDecoder(value: try value(key), codingPath: codingPath + [key])
    }

    private func value(_ key: Key) throws -> ArchivedValue {
      if let value = contents[key.stringValue] { return value }
      throw notFound(key)
    }

    private func notFound(_ key: Key) -> DecodingError {
      .keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "The archive has no such key."))
    }
  }

  private struct Sequence: UnkeyedDecodingContainer {
    let elements: [ArchivedValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, elements[currentIndex] == .null else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let read = try ArchivedDecoder.decode(type, from: try current(type), at: codingPath)
      currentIndex += 1
      return read
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try decoder().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try decoder() }

    private mutating func decoder() throws -> ArchivedDecoder {
      let decoder = ArchivedDecoder(value: try current(Any.self), codingPath: codingPath)
      currentIndex += 1
      return decoder
    }

    private func current(_ type: any Any.Type) throws -> ArchivedValue {
      guard isAtEnd else { return elements[currentIndex] }
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: "The archive's list has ended."))
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let value: ArchivedValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value == .null }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try ArchivedDecoder.decode(type, from: value, at: codingPath)
    }
  }
}
