import CoreDataModel
import Foundation
import ManagedModel
import ModelArchive
import ToolConsole

/// The versions of a model that stores without one of their own may be of.
struct CandidateModels {
  /// The newest last.
  let versions: [ModelDescription]

  /// Reads an `.xcdatamodeld` bundle, an `.xcdatamodel` or, compiled, a `.mom` or `.momd`; no path, no versions.
  ///
  /// - Throws: `ModelReadingError`, `ModelArchiveError`, or ``Failure``.
  init(path: String?) throws {
    guard let path else {
      versions = []
      return
    }
    let url = URL(fileURLWithPath: path)
    switch url.pathExtension.lowercased() {
    case "mom": versions = [try CandidateModels.compiled(url)]
    case "momd":
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
      versions = try names.filter { $0.hasSuffix(".mom") }.sorted {
        $0.compare($1, options: .numeric) == .orderedAscending
      }
      .map { try CandidateModels.compiled(url.appendingPathComponent($0)) }
    default: versions = try ModelBundle.read(at: url).versions.map(\.model)
    }
  }

  private static func compiled(_ url: URL) throws -> ModelDescription {
    let data: Data
    do { data = try Data(contentsOf: url) } catch {
      throw Failure(url, "the compiled model cannot be read: \(Failure.reason(error))", remedy: "name a .mom file")
    }
    do { return try ModelArchive.decode(data) } catch {
      throw Failure(url, "the compiled model cannot be read: \(error)", remedy: "name its source, an .xcdatamodeld")
    }
  }

  /// The name that a misspelt one may stand for.
  static func nearest(to name: String, in names: [String]) -> String? { nearestName(to: name, in: names) }
}
