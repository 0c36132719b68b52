internal import CoreDataStore
internal import Foundation
internal import PropertyLists

/// Values that Core Data's own transformers keep as keyed archives: collections at entity level, and attributes that name
/// `NSSecureUnarchiveFromData` (CD-5).
///
/// Property-list values are the archives that Apple's frameworks read and write. Elements that are other `Codable` types stand
/// in them as what they encode themselves to, structures as dictionaries: a form of this library's own.
enum ArchivedCollection {
  /// The names of the transformers whose bytes are keyed archives.
  static let transformerNames: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
    "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
  ]

  /// The value of a column's bytes; `nil` for bytes that hold no such value, which is logged once per kind of problem.
  ///
  /// The row keeps its bytes as long as nothing is assigned to the property.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Any? {
    do {
      return try ArchivedDecoder.decode(type, from: try ArchivedValue(archive: data))
    } catch {
      UnreadableValue.report(
        "A stored value cannot be read as \(type): \((error as? ArchivedValueError)?.description ?? "\(error)")")
      return nil
    }
  }

  /// - Throws: what the value's own `encode(to:)` throws; ``ArchivedValueError/tooDeep``.
  static func encode(_ value: any Encodable) throws -> Data {
    try ArchivedEncoder.encode(value).archived()
  }
}
