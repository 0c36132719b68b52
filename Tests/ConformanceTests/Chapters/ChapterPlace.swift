import Foundation
import SwiftData

/// Where a chapter's suite keeps its objects: every behaviour holds in each place.
///
/// A program has written two of the stores: ``JSONFileStore`` and ``DictionaryStore``.
enum ChapterPlace: String, CaseIterable, Sendable {
  case memory, file, json, dictionary

  /// The stores of this package, which keep unique values unique; a program's store does that by itself.
  static let ownStores = [memory, file]

  /// - Parameter directory: an empty folder of the test's own.
  func configuration(_ schema: Schema, in directory: URL) throws -> any DataStoreConfiguration {
    switch self {
    case .memory: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    case .file: ModelConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.store"))
    case .json: JSONFileConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.json"))
    case .dictionary: DictionaryConfiguration(schema: schema)
    }
  }
}
