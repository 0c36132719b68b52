import Foundation
import TestSupport

extension TemporaryStore {
  /// A copy of the sample store, `Library.sqlite`, in a folder of its own. Its model is the third version.
  static func sampleLibrary(file: String = #fileID) throws -> TemporaryStore {
    let store = try TemporaryStore(name: "Library.sqlite", file: file)
    try FileManager.default.copyItem(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite"), to: store.url)
    return store
  }
}
