internal import CoreDataStore
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

  private var url: URL { configuration.url }

  /// - Throws: ``SwiftDataError``, ``StoreError``, `MigrationError`, or what a custom stage throws.
  func run() throws {
    let versions = try plan.map { try SchemaVersions($0, prepare: prepare) }
    for _ in 0..<Self.attempts {
      do { if try runOnce(versions) { return } } catch let error as StoreError {
        guard case .migrated = error.kind else { throw error }
      }
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The store at \(url.path) was not migrated: other programs wrote to it each time. Close them, and open it again.")
  }

  /// The model of a new store: that of the plan's last version, among versions with equal hashes.
  func modelOfNewStore() throws -> ModelDescription {
    guard let plan else { return model }
    let versions = try SchemaVersions(plan, prepare: prepare)
    let wanted = try VersionHashes(model)
    guard versions.versions.count(where: { $0.hashes == wanted }) > 1, let index = try versions.index(of: model) else {
      return model
    }
    var model = model
    model.versionIdentifiers = versions.versions[index].model.versionIdentifiers
    return model
  }

  /// Whether a store that has the container's entities is of an earlier version of the plan, with equal hashes.
  func isDue(_ metadata: StoreMetadata) throws -> Bool {
    guard let plan, let last = plan.schemas.last, !metadata.versionIdentifiers.contains("\(last.versionIdentifier)")
    else { return false }
    let versions = try SchemaVersions(plan, prepare: prepare)
    guard let start = versions.index(of: metadata), let end = try versions.index(of: model), start < end else {
      return false
    }
    return versions.path(from: start, to: end)?.isEmpty == false
  }

  /// - Returns: `false` if another program wrote to the store meanwhile.
  private func runOnce(_ versions: SchemaVersions?) throws -> Bool {
    guard let versions, let route = try route(versions, of: url) else {
      if versions == nil { try PersistentStore.migrate(at: url, through: [model], keepsOtherEntities: true) }
      return true
    }
    guard route.needsCopy else {
      try PersistentStore.migrate(at: url, through: route.models, from: route.source)
      return true
    }
    let copy = try WorkingCopy(of: url)
    // Another process may have migrated the store just before it was copied.
    guard let route = try self.route(versions, of: copy.url) else { return true }
    var model = route.source
    for step in route.steps {
      try run(step, on: copy.url, from: model)
      model = step.to.model
    }
    try PersistentStore.migrate(at: copy.url, through: Array(route.models.suffix(1)), from: model)
    return try copy.publish()
  }

  private func route(_ versions: SchemaVersions, of file: URL) throws -> MigrationRoute? {
    try MigrationRoute(of: file, named: url.path, to: model, versions: versions)
  }

  // MARK: Custom stages

  private func run(_ step: SchemaVersions.Step, on file: URL, from model: ModelDescription) throws {
    switch step.stage {
    case .custom(_, _, let willMigrate, let didMigrate):
      try edit(file, step.from, willMigrate)
      try PersistentStore.migrate(at: file, through: [step.to.model], from: model)
      try edit(file, step.to, didMigrate)
    case .lightweight:
      try PersistentStore.migrate(at: file, through: [step.to.model], from: model)
    }
  }

  /// Runs a block of a custom stage with the objects of one version, and saves what it leaves unsaved.
  private func edit(_ file: URL, _ version: SchemaVersions.Version, _ block: ((ModelContext) throws -> Void)?) throws {
    guard let block else { return }
    let opening = ContainerOpening(
      schema: version.schema, migrationPlan: nil, configurations: [ModelConfiguration(url: file)], migrates: false,
      openStore: { configuration, _ in
        // The version's model without the entities that other stores of the container have.
        try ContainerOpening.openPersistentStore(configuration, version.model)
      })
    let container = ModelContainer(core: try opening.open(), migrationPlan: nil)
    defer { for store in container.core.stores { (store.engine as? PersistentStore)?.close() } }
    let context = ModelContext(container, isolation: nil)
    try block(context)
    if context.hasChanges { try context.save() }
  }
}
