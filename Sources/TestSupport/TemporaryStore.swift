package import Foundation
import Synchronization

/// A folder of its own for one test's store, removed when the value is released, and at the latest when the process ends.
package final class TemporaryStore: Sendable {
  /// The folder; empty at first.
  package let folder: URL
  /// Where the store's main file belongs; nothing is there until somebody makes it.
  package let url: URL

  /// What the folder is called where it is kept.
  private let origin: String
  /// What the test does to its stores on purpose.
  private let damage: String?

  /// - Parameter damage: why the independent checker is to leave out the stores in the folder; what the trait `.damagesStores` of the running
  ///   test says, if none is given. For helpers whose stores are never sound.
  package init(name: String = "default.store", damage: String? = nil, file: String = #fileID) throws {
    origin = file
    self.damage = damage ?? DamagedStores.reason
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "OpenSwiftData-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent(name)
    _ = Self.removesAtExit
    _ = DiskSynchronization.isSkipped
    Self.folders.withLock { [path = folder.path, damage] in $0[path] = .some(damage) }
  }

  deinit {
    Self.folders.withLock { [path = folder.path] in _ = $0.removeValue(forKey: path) }
    LeftStores.remove(folder, of: origin, damage: damage)
  }

  /// The folders of values that are alive, with their damage. A value in a static property is never released.
  private static let folders = Mutex<[String: String?]>([:])
  private static let removesAtExit: Void = {
    _ = atexit {
      for (path, damage) in TemporaryStore.folders.withLock({ $0 }) {
        LeftStores.remove(URL(fileURLWithPath: path), of: "released-at-exit", damage: damage)
      }
    }
  }()
}
