import Foundation
import SwiftData
import TestSupport
import Testing

/// Where a chapter's suite keeps its objects: every behaviour holds in each place.
///
/// A program has written two of the stores: ``JSONFileStore`` and ``DictionaryStore``.
///
/// What keeps to fewer places, and why: HistoryTests and unique values are about the stores of this package, since a program's store keeps
/// the history that it wants (CustomHistoryTests) and compares no values. HandCodedValuesTests are about columns, which a file and memory
/// share, and which a program's store has none of. The test of external storage opens its store anew, which memory does not survive.
enum ChapterPlace: String, CaseIterable, Sendable {
  case memory, file, json, dictionary

  /// The stores of this package, which keep unique values unique; a program's store does that by itself.
  static let ownStores = [memory, file]

  /// Whether stores are SQLite files here, so that SQL speaks of their tables.
  static let hasFiles = true

  /// For suites that are run over other stores too, which may not be there.
  static let condition: ConditionTrait = .enabled(if: true)
  /// A store that cannot be opened.
  static let nowhere = ModelConfiguration(url: URL(fileURLWithPath: "/dev/null/plants.store"))

  /// The name that messages give a store.
  static func name(of url: URL) throws -> String { url.path }

  /// - Parameter directory: an empty folder of the test's own.
  func configuration(_ schema: Schema, in directory: URL) throws -> any DataStoreConfiguration {
    switch self {
    case .memory: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    case .file: ModelConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.store"))
    case .json: JSONFileConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.json"))
    case .dictionary: DictionaryConfiguration(schema: schema)
    }
  }

  /// Has the independent checker look at what a test leaves; it knows stores in files only.
  func check(_ directory: URL) {
    let url = directory.appendingPathComponent("chapter.store")
    guard self == .file, FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      try Oracle.expectSound(url, fresh: true)
    } catch {
      Issue.record(error)
    }
  }
}
