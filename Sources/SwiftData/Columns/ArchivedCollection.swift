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

  /// The value of a column's bytes; `nil` if the bytes hold no value of the type, which is logged once per problem.
  ///
  /// The row keeps its bytes until the property is assigned.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Any? {
    do {
      return try ArchivedDecoder.decode(type, from: try ArchivedValue(archive: data))
    } catch {
      UnreadableValue.report("A stored value cannot be read as \(type): \(error)")
      return nil
    }
  }

  /// - Throws: the errors of the value's `encode(to:)`; ``ArchivedValueError/tooDeep``.
  static func encode(_ value: any Encodable) throws -> Data {
    try ArchivedEncoder.encode(value).archived()
  }
}
