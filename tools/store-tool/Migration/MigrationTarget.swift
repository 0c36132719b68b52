import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import ToolConsole
import ToolModels

/// The version of a model that a store is to get, and the store's own version among the others.
struct MigrationTarget {
  let file: ModelFile
  /// The version to migrate to.
  let version: ModelFile.Version

  /// - Parameters:
  ///   - path: a model in any form.
  ///   - name: a version of it; by default the current one, or else the newest.
  /// - Throws: ``Failure``
  init(path: String, version name: String? = nil) throws {
    let url = URL(fileURLWithPath: path)
    let file = try ModelFile.read(url)
    let names = file.versions.map(\.name)
    let found = name.map { name in file.versions.first { $0.name == name } } ?? file.current
    guard let found else {
      guard let name else {
        throw Failure(url, line: nil, "the model has no version", remedy: "name a model that has one")
      }
      throw Failure(
        url, line: nil,
        "the model has no version \(quoted(name))\(suggestion(nearestName(to: name, in: names)))",
        remedy: "name one of \(abbreviatedList(names.map(quoted)))")
    }
    self.file = file
    version = found
  }

  /// The version whose entities the store has; `nil` if there is none.
  func versionOfStore(_ url: URL) -> ModelFile.Version? {
    let options = StoreOptions(isReadOnly: true, createsIfMissing: false)
    let fitting = file.versions.reversed().filter { version in
      guard let store = try? PersistentStore.open(at: url, options: options, model: version.model) else { return false }
      defer { store.close() }
      // A model with fewer entities opens the store too.
      return Set(store.layout.entities.map(\.name)).isSubset(of: version.model.entities.map(\.name))
    }
    return fitting.first { $0.name == version.name } ?? fitting.first
  }

  /// The name of a version with that of its file.
  func name(of version: ModelFile.Version) -> String {
    file.versions.count == 1 && version.name == file.name
      ? quoted(file.source) : "\(quoted(version.name)) of \(quoted(file.source))"
  }
}
