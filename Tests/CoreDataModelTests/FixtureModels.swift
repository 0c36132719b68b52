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

  /// The versions of bundles are taken from ``bundles``, so that each file is parsed once.
  static let all: [Model] = {
    let paths = filePaths { $0.lastPathComponent == "contents" }
    let versions = parsedVersions
    let models = Mutex<[Model]>([])
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      let path = paths[index]
      guard let bytes = FileManager.default.contents(atPath: path) else { return }
      let parsed = Result { () throws(ModelReadingError) in
        if let version = versions[path] { return version }
        return try ModelParser.parse(bytes, fileName: path)
      }
      models.withLock { $0.append(Model(path: path, bytes: bytes, parsed: parsed)) }
    }
    return models.withLock { $0.sorted { $0.path < $1.path } }
  }()

  /// The versions in ``bundles``, by the paths of their files.
  private static var parsedVersions: [String: ParsedModel] {
    let read = bundles.compactMap { try? $0.bundle.get() }.flatMap { bundle in
      let diagnostics = Dictionary(grouping: bundle.diagnostics, by: \.file)
      return bundle.versions.map { version in
        let file = version.locations.file
        return (
          file,
          ParsedModel(model: version.model, diagnostics: diagnostics[file] ?? [], locations: version.locations)
        )
      }
    }
    return Dictionary(read) { first, _ in first }
  }

  /// Every bundle of versions, read once for all tests.
  static let bundles: [(path: String, bundle: Result<ModelBundle, ModelReadingError>)] = {
    let paths = filePaths { $0.pathExtension == "xcdatamodeld" }
    let bundles = Mutex<[(path: String, bundle: Result<ModelBundle, ModelReadingError>)]>([])
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      let url = URL(fileURLWithPath: paths[index])
      let bundle = Result { () throws(ModelReadingError) in try ModelBundle.read(at: url) }
      bundles.withLock { $0.append((paths[index], bundle)) }
    }
    return bundles.withLock { $0.sorted { $0.path < $1.path } }
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
