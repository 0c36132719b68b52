internal import Foundation

/// The bytes of a collection at entity level (CD-5).
///
/// Apple's framework keeps `[String]` as a keyed archive under `NSSecureUnarchiveFromData`. Linux's Foundation cannot read such
/// an archive from an untrusted file without the risk of a trap, so collections are written as JSON here; what is not JSON is left
/// alone and reads as no value.
enum ArchivedCollection {
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Any? {
    try? JSONDecoder().decode(type, from: data)
  }

  static func encode(_ value: any Encodable) throws -> Data {
    try JSONEncoder().encode(value)
  }
}
