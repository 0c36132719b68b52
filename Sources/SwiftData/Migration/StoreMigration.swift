internal import CoreDataStore
internal import ErrorReporting
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// Brings an older store to a container's model, before the container opens it.
///
/// With a plan, the store goes through the plan's stages from its own version on. Without one, the changes are inferred from the
/// model in the store. The store is as it was until everything has succeeded.
struct StoreMigration {
  let configuration: ModelConfiguration
  let model: ModelDescription
  let plan: (any SchemaMigrationPlan.Type)?
  /// Makes the model of a version that of this store.
  let prepare: (ModelDescription) -> ModelDescription

  /// How often a migration starts anew because somebody wrote to the store meanwhile.
  private static let attempts = 3

  /// - Throws: ``SwiftDataError``, ``StoreError``, `MigrationError`, or what a custom stage throws.
  func run() throws {
    guard let plan else {
      try PersistentStore.migrate(at: configuration.url, through: [model])
      return
    }
    let versions = try SchemaVersions(plan, prepare: prepare)
    let (metadata, stored) = try version(among: versions)
    guard let start = versions.index(of: metadata) else { throw unknownVersion(metadata, stored, versions) }
    let wanted = try VersionHashes(model)
    let end = versions.versions.lastIndex { $0.hashes == wanted } ?? versions.versions.count - 1
    guard let steps = versions.path(from: start, to: end) else {
      let (from, to) = (versions.versions[start].type, versions.versions[end].type)
      if start > end {
        throw SwiftDataError(
          .backwardMigration,
          "The store at \(configuration.url.path) has version \(from), which is newer than \(to), and \(plan) has no stage back. Use the newer program, or add a stage from \(from) to \(to)."
        )
      }
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The store at \(configuration.url.path) has version \(from), and no stages of \(plan) lead from there to \(to). Add them."
      )
    }
    var models = steps.map(\.to.model)
    if versions.versions[end].hashes != wanted { models.append(model) }
    let source = versions.versions[start].model
    if steps.allSatisfy({ $0.stage?.isCustom != true }) {
      try PersistentStore.migrate(at: configuration.url, through: models, from: source)
    } else {
      try runOnCopy(steps, source: source, last: models.last)
    }
  }

  /// The metadata of the store, and the model in it, if it has one.
  private func version(among versions: SchemaVersions) throws -> (StoreMetadata, ModelDescription?) {
    if let stored = try? StoreModel.read(configuration.url) { return (stored.metadata, stored.model) }
    let options = StoreOptions(isReadOnly: true, createsIfMissing: false)
    for version in versions.versions {
      if let store = try? PersistentStore.open(at: configuration.url, options: options, model: version.model) {
        defer { store.close() }
        return (store.metadata, nil)
      }
    }
    let store = try PersistentStore.open(at: configuration.url, options: options)
    defer { store.close() }
    return (store.metadata, store.layout.model)
  }

  private func unknownVersion(
    _ metadata: StoreMetadata, _ stored: ModelDescription?, _ versions: SchemaVersions
  ) -> SwiftDataError {
    let equal = { (version: SchemaVersions.Version) in
      version.hashes.hashes.count { metadata.hashes[$0.key] == $0.value } * 2 - version.hashes.hashes.count
    }
    let nearest = versions.versions.max { equal($0) < equal($1) }
    var sentence = "The store at \(configuration.url.path) has none of the versions of \(versions.plan)."
    if let nearest {
      let changes =
        stored.map { ModelDifference(from: $0, to: nearest.model).changes.filter { $0.migration != .none } } ?? []
      let names = metadata.hashes.hashes.keys.filter { metadata.hashes[$0] != nearest.hashes[$0] }.sorted()
      let differences = changes.isEmpty ? names : changes.map(\.description)
      sentence += " \(nearest.type) is the nearest; it differs: \(abbreviatedList(differences, separator: "; "))."
    }
    return SwiftDataError(
      .loadIssueModelContainer,
      sentence
        + " Add the store's version to the plan, or open the container without a plan to have the changes inferred.")
  }

  // MARK: Custom stages

  private func runOnCopy(_ steps: [SchemaVersions.Step], source: ModelDescription, last: ModelDescription?) throws {
    for _ in 0..<Self.attempts {
      let copy = try WorkingCopy(of: configuration.url)
      var model = source
      for step in steps {
        if case .custom(_, _, let willMigrate, let didMigrate)? = step.stage {
          try edit(copy.url, step.from.schema, willMigrate)
          try PersistentStore.migrate(at: copy.url, through: [step.to.model], from: model)
          try edit(copy.url, step.to.schema, didMigrate)
        } else {
          try PersistentStore.migrate(at: copy.url, through: [step.to.model], from: model)
        }
        model = step.to.model
      }
      if let last, last != model { try PersistentStore.migrate(at: copy.url, through: [last], from: model) }
      if try copy.publish() { return }
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The store at \(configuration.url.path) was not migrated: other programs wrote to it each time. Close them, and open it again."
    )
  }

  /// Runs a block of a custom stage with the objects of one version, and saves what it leaves unsaved.
  private func edit(_ url: URL, _ schema: Schema, _ block: ((ModelContext) throws -> Void)?) throws {
    guard let block else { return }
    let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(url: url)])
    defer { for store in container.core.stores { (store.engine as? PersistentStore)?.close() } }
    let context = ModelContext(container, isolation: nil)
    try block(context)
    if context.hasChanges { try context.save() }
  }
}

extension MigrationStage {
  fileprivate var isCustom: Bool { if case .custom = self { true } else { false } }
}
