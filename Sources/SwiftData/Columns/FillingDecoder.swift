/// A decoder that reads another decoder's value, and gives zero for a member that a type requires and the value lacks.
///
/// Whatever the other decoder reads by itself, it reads: only what fails there is read part by part.
struct FillingDecoder: Decoder {
  private let base: any Decoder
  private let missing: MissingMembers
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  init(_ base: any Decoder, _ missing: MissingMembers) {
    self.base = base
    self.missing = missing
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let keyed = Keyed(base: try base.container(keyedBy: type), missing: missing) {
      try base.container(keyedBy: AnyKey.self)
    }
    return KeyedDecodingContainer(keyed)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    List(base: try base.unkeyedContainer(), missing: missing)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(base: try base.singleValueContainer(), decoder: base, missing: missing)
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let missing: MissingMembers
    /// Opens the same object for keys of any name.
    let all: () throws -> KeyedDecodingContainer<AnyKey>
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      guard base.contains(key) else {
        let zero = missing.zero(type, for: key) { (try? all())?.allKeys.count == allKeys.count }
        return try zero ?? base.decode(type, forKey: key)
      }
      return try missing.decode {
        try base.decode(type, forKey: key)
      } filling: {
        try Value(from: FillingDecoder(base.superDecoder(forKey: key), $0))
      }
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      let nested = try base.nestedContainer(keyedBy: type, forKey: key)
      return KeyedDecodingContainer(
        FillingDecoder.Keyed<Nested>(base: nested, missing: missing) {
          try base.nestedContainer(keyedBy: AnyKey.self, forKey: key)
        })
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      List(base: try base.nestedUnkeyedContainer(forKey: key), missing: missing)
    }

    func superDecoder() throws -> any Decoder { FillingDecoder(try base.superDecoder(), missing) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
      FillingDecoder(try base.superDecoder(forKey: key), missing)
    }
  }

  private struct List: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let missing: MissingMembers
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      // A container stays at the element that it could not read.
      try missing.decode {
        try base.decode(type)
      } filling: {
        var ahead = base
        let value = try Value(from: FillingDecoder(ahead.superDecoder(), $0))
        base = ahead
        return value
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      var same = base
      let nested = try base.nestedContainer(keyedBy: type)
      let all = try same.nestedContainer(keyedBy: AnyKey.self)
      return KeyedDecodingContainer(Keyed<Nested>(base: nested, missing: missing) { all })
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      List(base: try base.nestedUnkeyedContainer(), missing: missing)
    }

    mutating func superDecoder() throws -> any Decoder { FillingDecoder(try base.superDecoder(), missing) }
  }

  private struct Single: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let decoder: any Decoder
    let missing: MissingMembers
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try missing.decode {
        try base.decode(type)
      } filling: {
        try Value(from: FillingDecoder(decoder, $0))
      }
    }
  }

  /// A key of any name.
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
