/// A decoder that reads another decoder's value, and gives zero for a member that a type requires and the value lacks.
///
/// Whatever the other decoder reads by itself, it reads: only what fails there is read part by part.
struct FillingDecoder: Decoder {
  private let base: any Decoder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  private init(_ base: any Decoder) { self.base = base }

  /// Reads a value.
  ///
  /// - Parameters:
  ///   - exact: what the decoder of the whole reads by itself.
  ///   - parts: the decoder of the value alone, for what it cannot read.
  /// - Throws: the error of `exact`, if missing members are not the only problem.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ exact: () throws -> Value, parts: () throws -> any Decoder
  ) throws -> Value {
    do { return try exact() } catch {
      guard error.isMissingMember else { throw error }
      do { return try Value(from: FillingDecoder(parts())) } catch _ { throw error }
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(base: try base.container(keyedBy: type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { List(base: try base.unkeyedContainer()) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(base: try base.singleValueContainer(), decoder: base)
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      if !base.contains(key), let zero = zero(type) { return zero }
      return try FillingDecoder.decode(type) {
        try base.decode(type, forKey: key)
      } parts: {
        try base.superDecoder(forKey: key)
      }
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      KeyedDecodingContainer(FillingDecoder.Keyed<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      List(base: try base.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { FillingDecoder(try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { FillingDecoder(try base.superDecoder(forKey: key)) }
  }

  private struct List: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      // A container stays at the element that it could not read.
      try FillingDecoder.decode(type) {
        try base.decode(type)
      } parts: {
        try base.superDecoder()
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      KeyedDecodingContainer(Keyed<Nested>(base: try base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      List(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { FillingDecoder(try base.superDecoder()) }
  }

  private struct Single: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let decoder: any Decoder
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try FillingDecoder.decode(type) {
        try base.decode(type)
      } parts: {
        decoder
      }
    }
  }
}

extension Error {
  /// Whether a value lacks a member that its type requires.
  var isMissingMember: Bool {
    if case .keyNotFound? = self as? DecodingError { true } else { false }
  }
}
