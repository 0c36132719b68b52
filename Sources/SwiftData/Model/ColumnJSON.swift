internal import Foundation

/// The JSON that columns hold for what is no column's value by itself (CD-5): equal values give equal bytes.
enum ColumnJSON {
  static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }

  /// How an object begins that has one key.
  static func key(_ name: String) throws -> Data { try Data("{".utf8) + encode(name) + Data(":".utf8) }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
