import Foundation
import ModelGenerator
import TestSupport

/// A folder beside the tests with the files that a model generates.
struct GoldenFolder {
  private let path: String
  var url: URL { Golden(path).url }

  init(_ name: String) { path = "ModelGeneratorTests/Goldens/\(name)" }

  /// - Throws: `Golden.Mismatch` for all differences together.
  func compare(_ files: [GeneratedFile]) throws {
    try Golden.compare(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.contents) }), withFolder: path)
  }
}
