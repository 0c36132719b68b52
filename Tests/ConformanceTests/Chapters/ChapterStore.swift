import Foundation
import SwiftData

/// Where a chapter's suite keeps its objects: every behaviour holds in each place.
///
/// A program has written two of the stores: ``JSONFileStore`` and ``DictionaryStore``.
enum ChapterPlace: String, CaseIterable, Sendable {
  case memory, file, json, dictionary

  /// The stores of this package, which keep unique values unique; a program's store does that by itself.
  static let ownStores = [memory, file]
}

/// A fresh store for one test; its files go when the test ends.
final class ChapterStore {
  let container: ModelContainer
  let context: ModelContext
  private let directory: URL
  private let schema: Schema
  private var readers: [ModelContext] = []

  init(_ place: ChapterPlace = .file, _ types: any PersistentModel.Type...) throws {
    schema = Schema(types)
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("Chapter-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    container = try ModelContainer(for: schema, configurations: [Self.configuration(place, schema, in: directory)])
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// A context that has read nothing yet; the store holds it, so that its objects keep their context.
  func freshContext() -> ModelContext {
    let context = ModelContext(container)
    readers.append(context)
    return context
  }

  /// Opens the same file through another container.
  func reopened() throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [Self.configuration(.file, schema, in: directory)])
  }

  private static func configuration(
    _ place: ChapterPlace, _ schema: Schema, in directory: URL
  ) -> any DataStoreConfiguration {
    switch place {
    case .memory: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    case .file: ModelConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.store"))
    case .json: JSONFileConfiguration(schema: schema, url: directory.appendingPathComponent("chapter.json"))
    case .dictionary: DictionaryConfiguration(schema: schema)
    }
  }
}

extension Date {
  /// Noon of a day of January 2025 in UTC.
  static func january(_ day: Int) -> Date { Date(timeIntervalSince1970: 1_735_732_800 + Double(day - 1) * 86_400) }
}
