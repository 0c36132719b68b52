internal import CoreDataStore
internal import ErrorReporting
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The stages of a plan that bring one store to a container's model.
struct MigrationRoute {
  /// The model of the store.
  let source: ModelDescription
  let steps: [SchemaVersions.Step]
  /// The container's model, if no version of the plan is equal to it.
  let last: ModelDescription?

  /// Whether a stage has code, so that the stages run on a copy of the store.
  var needsCopy: Bool { steps.contains { $0.stage.hasCode } }

  /// `nil` if the store has the model and the version already.
  ///
  /// - Parameters:
  ///   - file: the store, or a copy of it.
  ///   - name: the store's path, for errors.
  /// - Throws: ``UnlistedVersion``; ``SwiftDataError`` for a version from which no stages lead to the model.
  init?(of file: URL, named name: String, to model: ModelDescription, versions: SchemaVersions) throws {
    try self.init(of: Self.version(of: file, among: versions), named: name, to: model, versions: versions)
  }

  /// `nil` if the store has the model and the version already.
  init?(of stored: StoredVersion, named name: String, to model: ModelDescription, versions: SchemaVersions) throws {
    guard let start = versions.index(of: stored) else { throw Self.unknownVersion(name, stored, versions) }
    let known = try versions.index(of: model)
    let end = known ?? versions.versions.count - 1
    if start == end, known != nil { return nil }
    guard let steps = versions.path(from: start, to: end) else {
      throw Self.noStages(name, versions.versions[start], versions.versions[end], isBackward: start > end, versions)
    }
    self.steps = steps
    source = versions.versions[start].model
    last = known == nil ? model : nil
  }

  /// The version in the metadata of a store, and the model in it, if it has one.
  private static func version(of file: URL, among versions: SchemaVersions) throws -> StoredVersion {
    if let stored = try? StoreModel.read(file) { return StoredVersion(stored.metadata, model: stored.model) }
    let options = StoreOptions(isReadOnly: true, createsIfMissing: false)
    for version in versions.versions {
      if let store = try? PersistentStore.open(at: file, options: options, model: version.model) {
        defer { store.close() }
        return StoredVersion(store.metadata)
      }
    }
    let store = try PersistentStore.open(at: file, options: options)
    defer { store.close() }
    return StoredVersion(store.metadata, model: store.layout.model)
  }

  // MARK: Errors

  private static func noStages(
    _ path: String, _ from: SchemaVersions.Version, _ to: SchemaVersions.Version, isBackward: Bool,
    _ versions: SchemaVersions
  ) -> SwiftDataError {
    isBackward
      ? SwiftDataError(
        .backwardMigration,
        "The store at \(path) has version \(from.type), which is newer than \(to.type), and \(versions.plan) has no stage back. Use the newer program, or add a stage from \(from.type) to \(to.type)."
      )
      : SwiftDataError(
        .loadIssueModelContainer,
        "The store at \(path) has version \(from.type), and no stages of \(versions.plan) lead from there to \(to.type). Add them."
      )
  }

  private static func unknownVersion(
    _ path: String, _ stored: StoredVersion, _ versions: SchemaVersions
  ) -> UnlistedVersion {
    let equal = { (version: SchemaVersions.Version) in
      version.hashes.hashes.count { stored.hashes[$0.key] == $0.value } * 2 - version.hashes.hashes.count
    }
    let nearest = versions.versions.max { equal($0) < equal($1) }
    var sentence = "The store at \(path) has none of the versions of \(versions.plan)."
    if let nearest {
      let changes =
        stored.model.map { ModelDifference(from: $0, to: nearest.model).changes.filter { $0.migration != .none } } ?? []
      let names = stored.hashes.hashes.keys.filter { stored.hashes[$0] != nearest.hashes[$0] }.sorted()
      let differences = changes.isEmpty ? names : changes.map(\.description)
      sentence += " \(nearest.type) is the nearest; it differs: \(abbreviatedList(differences, separator: "; "))."
    }
    return UnlistedVersion(
      reported: SwiftDataError(
        .loadIssueModelContainer,
        sentence
          + " Add the store's version to the plan, or let the configuration's migration.infersUnlistedVersions be true to have the changes inferred."
      ))
  }
}

/// A store has none of the versions of a plan.
struct UnlistedVersion: Error {
  let reported: SwiftDataError
}

extension MigrationStage {
  var hasCode: Bool {
    switch self {
    case .custom, .sideBySide: true
    case .lightweight, .sql: false
    }
  }
}

extension SchemaVersions.Step: CustomStringConvertible {
  var description: String { "\(from.type) to \(to.type)" }

  /// The step as far as the store carries it out by itself.
  var inferred: MigrationStep {
    guard case .sql(_, _, let before, let after) = stage else { return MigrationStep(to.model) }
    return MigrationStep(to.model, statementsBefore: before, statementsAfter: after)
  }
}
