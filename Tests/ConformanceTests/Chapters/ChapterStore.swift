import Foundation
import SwiftData
import TestSupport

/// A fresh store for one test; its files are checked, and go, when the test ends.
final class ChapterStore {
  let container: ModelContainer
  let context: ModelContext
  private let place: ChapterPlace
  private let folder: TemporaryStore
  private let schema: Schema
  private var readers: [ModelContext] = []

  init(_ place: ChapterPlace = .file, _ types: any PersistentModel.Type..., file: String = #fileID) throws {
    schema = Schema(types)
    folder = try TemporaryStore(file: file)
    self.place = place
    container = try ModelContainer(for: schema, configurations: [place.configuration(schema, in: folder.folder)])
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  deinit { place.check(folder.folder) }

  /// A context that has read nothing yet; the store holds it, so that its objects keep their context.
  func freshContext() -> ModelContext {
    let context = ModelContext(container)
    readers.append(context)
    return context
  }

  /// Opens the same store through another container.
  func reopened() throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: [place.configuration(schema, in: folder.folder)])
  }
}

extension Date {
  /// Noon of a day of January 2025 in UTC.
  static func january(_ day: Int) -> Date { Date(timeIntervalSince1970: 1_735_732_800 + Double(day - 1) * 86_400) }
}
