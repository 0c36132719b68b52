/// A decoder that presents one case, and lets another decoder supply its payload.
struct CaseDecoder: Decoder {
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
