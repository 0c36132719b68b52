import CoreDataModel
import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import ModelArchive
import ToolConsole

/// Models that a compiler or a framework wrote. They have no lines, and only the names of versions tell their order.
extension ModelFile {
  /// More bytes than any genuine file of a compiled model has.
  private static let largestFile = 64 << 20

  /// Reads a single `.mom`.
  static func compiledModel(at url: URL) throws -> ModelFile {
    let version = try version(at: url)
    return ModelFile(url, .compiled, [version], diagnostics: unansweredInverses(in: [version]))
  }

  /// Reads the `.mom` files of a `.momd`: first the version that is named like the bundle, then the others in natural
  /// order of names. The `.omo` files beside them are derived from them.
  static func compiledBundle(at url: URL) throws -> ModelFile {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let isOlder = versionOrder(inBundle: url.deletingPathExtension().lastPathComponent)
    let files = names.filter { $0.hasSuffix(".mom") }.sorted { isOlder(String($0.dropLast(4)), String($1.dropLast(4))) }
      .map { url.appendingPathComponent($0) }
    guard !files.isEmpty else {
      throw Failure(url, "the folder holds no .mom", remedy: "build the model again, or name the source of the model")
    }
    var failures: [Message] = []
    var versions: [Version] = []
    for file in files {
      do { versions.append(try version(at: file)) } catch let failure as Failure { failures += failure.diagnostics }
    }
    guard failures.isEmpty else { throw Failure(failures) }
    let (info, warnings) = versionInfo(in: url, names: names, versions: versions)
    return ModelFile(
      url, .compiledBundle, versions, currentIndex: versions.firstIndex { $0.name == info?.currentVersion },
      diagnostics: warnings + unansweredInverses(in: versions))
  }

  /// Warnings about relationships whose inverse names another one. A source's parser gives them with their lines.
  private static func unansweredInverses(in versions: [Version]) -> [Message] {
    versions.flatMap { version in
      version.model.validate().compactMap { issue in
        guard case .inverseDoesNotPointBack = issue.kind else { return nil }
        return Message(
          severity: .warning, file: version.locations.file, problem: issue.placedProblem, remedy: issue.remedy)
      }
    }
  }

  /// Reads the model in a store: one version, with the store's name.
  static func store(at url: URL) throws -> ModelFile {
    let store: StoreModel
    do { store = try StoreModel.read(url) } catch let error as StoreError {
      if case .noModel = error.kind {
        throw Failure(
          url, "the store carries no model, as stores written before 2013 do not",
          remedy: "name the .xcdatamodeld, .xcdatamodel, .momd or .mom that it was made with")
      }
      throw Failure(url, error)
    }
    let name = url.deletingPathExtension().lastPathComponent
    let differing = store.differingEntities
    let warnings =
      differing.isEmpty
      ? []
      : [
        Message(
          severity: .warning, file: url.path,
          problem: "the model in the store is not the one it was written with: other hashes for "
            + differing.prefix(10).map(quoted).joined(separator: ", "),
          remedy: "name the model that it was written with")
      ]
    let version = Version(name: name, model: store.model, locations: SourceLocations(file: url.path))
    return ModelFile(url, .store, [version], diagnostics: warnings + unansweredInverses(in: [version]))
  }

  private static func version(at file: URL) throws -> Version {
    let bytes = try file.bytes(limit: largestFile + 1)
    do {
      return Version(
        name: file.deletingPathExtension().lastPathComponent, model: try ModelArchive.decode(bytes),
        locations: SourceLocations(file: file.path))
    } catch let error as ModelArchiveError {
      if file.lastPathComponent == VersionInfo.fileName {
        throw Failure(file, "this is a list of versions, not a model", remedy: "name the .momd folder that it is in")
      }
      throw Failure(file, error)
    }
  }

  /// Reads `VersionInfo.plist`, and warns if it does not match the files beside it.
  private static func versionInfo(
    in url: URL, names: [String], versions: [Version]
  ) -> (info: VersionInfo?, warnings: [Message]) {
    let list = url.appendingPathComponent(VersionInfo.fileName)
    var warnings: [Message] = []
    func warn(_ file: URL, _ problem: String, _ remedy: String) {
      warnings.append(Message(severity: .warning, file: file.path, problem: problem, remedy: remedy))
    }
    let known = versions.map(\.name)
    let latest = quoted(known.last ?? "")
    let info =
      names.contains(VersionInfo.fileName) ? (try? list.bytes(limit: largestFile)).flatMap(VersionInfo.init) : nil
    if let info {
      if let current = info.currentVersion {
        if !known.contains(current) {
          warn(
            list,
            "the current version \(quoted(current)) is not in the bundle\(suggestion(nearestName(to: current, in: known)))",
            "build the model again; \(latest) was taken")
        }
      } else if known.count > 1 {
        warn(list, "the list names no current version", "build the model again; \(latest) was taken")
      }
      for version in versions {
        guard let recorded = info.hashes[version.name], !recorded.isEmpty else { continue }
        guard let hashes = try? VersionHashes(version.model), hashes.hashes != recorded else { continue }
        warn(
          list, "the hashes of version \(quoted(version.name)) are not those of its .mom",
          "build the model again; the .mom was taken")
      }
    } else if known.count > 1 {
      warn(
        names.contains(VersionInfo.fileName) ? list : url,
        "\(VersionInfo.fileName) has no readable list of versions",
        "build the model again; \(latest) was taken for the current version")
    }
    let listed = Set(info?.hashes.keys.map { $0 } ?? []).union(
      names.filter { $0.hasSuffix(".omo") }.map { String($0.dropLast(4)) })
    for missing in listed.subtracting(known).sorted(by: naturalOrder) {
      warn(url, "version \(quoted(missing)) has no .mom", "build the model again; the version was left out")
    }
    return (info, warnings)
  }
}
