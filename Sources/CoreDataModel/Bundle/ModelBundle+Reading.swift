package import Foundation
import ManagedModel

extension ModelBundle {
  /// Reads an `.xcdatamodeld` with all its versions, or a single `.xcdatamodel`.
  ///
  /// ``diagnostics`` lists the problems of every version, and each version that cannot be read.
  /// Cost: one read per version, and time linear in their size.
  /// - Throws: ``ModelReadingError`` if the folder or all of its versions cannot be read, or if two versions have the
  ///   same name.
  package static func read(at url: URL) throws(ModelReadingError) -> ModelBundle {
    let folder = ModelFolder(url.standardizedFileURL)
    let entries = try folder.entries()
    let isSingle = entries.contains("contents") || entries.contains("elements")
    let versions = isSingle ? [folder] : folder.versions(among: entries)
    guard !versions.isEmpty else {
      throw ModelReadingError([
        Diagnostic(
          .error, file: folder.path, problem: "the folder holds no version of a model",
          remedy: "give an .xcdatamodeld or .xcdatamodel folder")
      ])
    }
    if let twin = zip(versions, versions.dropFirst()).first(where: { $0.name == $1.name }) {
      throw twin.0.unreadable(
        "two versions have this name, in different Unicode forms", "remove or rename one of the two folders")
    }

    var bundle = ModelBundle(name: folder.name, versions: [], diagnostics: [])
    var currentName = folder.name
    if !isSingle {
      let choice = folder.currentVersion(of: versions, isRecorded: entries.contains(CurrentVersion.fileName))
      currentName = choice.name
      bundle.diagnostics += choice.diagnostics
    }
    for version in versions {
      do {
        let parsed = try version.parsed()
        bundle.diagnostics += parsed.diagnostics
        bundle.versions.append(
          ModelVersion(
            name: version.name, model: parsed.model, isCurrent: version.name == currentName, url: version.url,
            locations: parsed.locations))
      } catch {
        bundle.diagnostics += error.diagnostics
      }
    }
    if bundle.versions.isEmpty { throw ModelReadingError(bundle.diagnostics) }
    return bundle
  }
}
