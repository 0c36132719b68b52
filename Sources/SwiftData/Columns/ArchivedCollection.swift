internal import Foundation
internal import PropertyLists
internal import StoreRequests

/// Values that Core Data's transformers store as keyed archives (CD-5).
///
/// These are collections at entity level, and attributes with the transformer `NSSecureUnarchiveFromData`.
/// Property-list values have the archives that Apple's frameworks read and write. Elements of other `Codable` types are
/// archived as their encoded form, structures as dictionaries: a form that only this library uses.
enum ArchivedCollection {
  /// The names of the transformers whose bytes are keyed archives.
  static let transformerNames: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
    "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
  ]

  /// The value of a column's bytes.
  ///
  /// - Parameter isJSON: whether a column of JSON has the value, of which the engine has made an archive.
  /// - Throws: the errors of the archive, of the type's `init(from:)`, and ``ArchivedMismatch``.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, isJSON: Bool, zeros: any ZeroSource
  ) throws -> Any {
    let value = try ArchivedValue(archive: data)
    guard isJSON else { return try ArchivedDecoder.decodeStored(type, from: value, zeros: zeros) }
    return try ArchivedDecoder.$readsJSON.withValue(true) {
      try ArchivedDecoder.decodeStored(type, from: value, zeros: zeros)
    }
  }

  /// - Throws: the errors of the value's `encode(to:)`; ``ArchivedValueError/tooDeep``.
  static func encode(_ value: any Encodable) throws -> Data {
    try ArchivedEncoder.encode(value).archived()
  }
}
