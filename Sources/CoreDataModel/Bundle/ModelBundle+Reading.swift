package import Foundation
import ManagedModel

extension ModelBundle {
  /// Reads an `.xcdatamodeld` with all its versions, or a single `.xcdatamodel`.
  ///
  /// ``diagnostics`` lists the problems of every version, and each version that cannot be read.
  /// Cost: one read per version, and time linear in their size.
  /// - Parameter positions: the versions to read, given the names of all and the position of the current one; all
  ///   versions by default.
  /// - Throws: ``ModelReadingError`` if the folder or all of its versions cannot be read, or if two versions have the
  ///   same name.
  package static func read(
    at url: URL,
    choosing positions: (_ names: [String], _ current: Int?) -> [Int] = { names, _ in Array(names.indices) }
  ) throws(ModelReadingError) -> ModelBundle {
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
    bundle.versionNames = versions.map(\.name)
    let chosen = positions(bundle.versionNames, versions.firstIndex { $0.name == currentName })
    for (position, version) in versions.enumerated() where chosen.contains(position) {
      let isCurrent = version.name == currentName
      do {
        let parsed = try version.parsed()
        bundle.diagnostics += parsed.diagnostics
        if parsed.hasErrors {
          bundle.failures.append(Failure(name: version.name, isCurrent: isCurrent, diagnostics: parsed.diagnostics))
        }
        bundle.versions.append(
          ModelVersion(
            name: version.name, model: parsed.model, position: position, isCurrent: isCurrent, url: version.url,
            locations: parsed.locations))
      } catch {
        bundle.diagnostics += error.diagnostics
        bundle.failures.append(Failure(name: version.name, isCurrent: isCurrent, diagnostics: error.diagnostics))
      }
    }
    if bundle.versions.isEmpty, !chosen.isEmpty { throw ModelReadingError(bundle.diagnostics) }
    return bundle
  }
}
