import Dispatch
import Foundation
import Synchronization
import TestSupport

@testable import CoreDataModel

/// Every model in XML beside the repository, read once for all tests, by several threads at a time.
enum FixtureModels {
  struct Model: Sendable {
    /// The path of the `contents` file.
    let path: String
    let bytes: Data
    let parsed: Result<ParsedModel, ModelReadingError>
  }

  static let all: [Model] = {
    let paths = filePaths { $0.lastPathComponent == "contents" }
    let models = Mutex<[Model]>([])
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      let path = paths[index]
      guard let bytes = FileManager.default.contents(atPath: path) else { return }
      let parsed = Result { () throws(ModelReadingError) in try ModelParser.parse(bytes, fileName: path) }
      models.withLock { $0.append(Model(path: path, bytes: bytes, parsed: parsed)) }
    }
    return models.withLock { $0.sorted { $0.path < $1.path } }
  }()

  /// Every bundle of versions, read once for all tests.
  static let bundles: [(path: String, bundle: Result<ModelBundle, ModelReadingError>)] = {
    let paths = filePaths { $0.pathExtension == "xcdatamodeld" }
    return paths.map { path in
      (path, Result { () throws(ModelReadingError) in try ModelBundle.read(at: URL(fileURLWithPath: path)) })
    }
  }()

  static func parsed() throws -> [(path: String, model: ParsedModel)] {
    try all.map { ($0.path, try $0.parsed.get()) }
  }

  /// The paths under the models and compiled models that a condition picks, sorted.
  static func filePaths(where isWanted: (URL) -> Bool) -> [String] {
    ["models", "compiled"].flatMap { folder in
      let walker = FileManager.default.enumerator(at: Fixtures.url(folder), includingPropertiesForKeys: nil)
      return (walker?.compactMap { $0 as? URL } ?? []).filter(isWanted).map(\.path)
    }.sorted()
  }
}
