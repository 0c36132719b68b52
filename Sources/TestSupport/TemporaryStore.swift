package import Foundation

/// A folder of its own for one test's store, removed when the value is released.
package final class TemporaryStore: Sendable {
  /// The folder; empty at first.
  package let folder: URL
  /// Where the store's main file belongs; nothing is there until somebody makes it.
  package let url: URL

  package init(name: String = "default.store") throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "OpenSwiftData-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent(name)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
