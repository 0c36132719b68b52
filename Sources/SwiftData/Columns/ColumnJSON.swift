internal import Foundation

/// JSON for values that no column type holds by itself (CD-5); equal values give equal bytes.
enum ColumnJSON {
  static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }

  /// Reads a stored value. A member that a type requires and the JSON lacks is zero, so that the other members are kept: it may have been
  /// added later.
  static func decodeStored<Value: Decodable>(
    _ type: Value.Type, from data: Data, zeros: any ZeroSource
  ) throws -> Value {
    var opened: (any Decoder)?
    return try MissingMembers.decode(zeros) {
      try decode(type, from: data)
    } filling: { missing in
      let decoder = try opened ?? decode(OpenedDecoder.self, from: data).decoder
      opened = decoder
      return try Value(from: FillingDecoder(decoder, missing))
    }
  }

  /// The beginning of a JSON object with one key.
  static func key(_ name: String) throws -> Data { try Data("{".utf8) + encode(name) + Data(":".utf8) }

  /// The JSON of each named member of a value that encodes itself with keys.
  static func members(_ names: [String], of value: some Encodable) throws -> [String: Data] {
    let object = try JSONSerialization.jsonObject(with: encode(value), options: .fragmentsAllowed) as? [String: Any]
    var members: [String: Data] = [:]
    for name in names {
      guard let member = object?[name] else { continue }
      members[name] = try JSONSerialization.data(withJSONObject: member, options: [.fragmentsAllowed, .sortedKeys])
    }
    return members
  }

  /// The keyed container of a JSON object, for a type that decodes it by hand.
  static func container<Key: CodingKey>(
    keyedBy type: Key.Type, from data: Data
  ) throws -> KeyedDecodingContainer<Key> {
    try decode(OpenedContainer<Key>.self, from: data).container
  }

  /// The container of a JSON array, for a type that decodes it by hand.
  static func list(from data: Data) throws -> any UnkeyedDecodingContainer {
    try decode(OpenedList.self, from: data).container
  }

  private struct OpenedDecoder: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) { self.decoder = decoder }
  }

  private struct OpenedContainer<Key: CodingKey>: Decodable {
    let container: KeyedDecodingContainer<Key>
    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: Key.self) }
  }

  private struct OpenedList: Decodable {
    let container: any UnkeyedDecodingContainer
    init(from decoder: any Decoder) throws { container = try decoder.unkeyedContainer() }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
