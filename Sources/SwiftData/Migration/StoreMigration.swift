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
  let goal: MigrationGoal

  /// How often a migration starts anew because somebody wrote to the store meanwhile.
  private static let attempts = 3

  private var url: URL { configuration.url }
  private var model: ModelDescription { goal.model }
  private var duplicates: ChangeSet.DuplicatePolicy { configuration.migration.uniquenessPolicy.duplicates }

  /// - Throws: ``SwiftDataError``, ``StoreError``, `MigrationError`, or what a custom stage throws.
  func run() throws {
    let versions = try goal.versions()
    for _ in 0..<Self.attempts {
      do { if try runOnce(versions) { return } } catch let error as StoreError {
        guard case .migrated = error.kind else { throw error }
      }
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The store at \(url.path) was not migrated: other programs wrote to it each time. Close them, and open it again.")
  }

  /// - Returns: `false` if another program wrote to the store meanwhile.
  private func runOnce(_ versions: SchemaVersions?) throws -> Bool {
    guard let versions else { return try infer() }
    do { return try runStages(versions) } catch let error as UnlistedVersion {
      guard configuration.migration.infersUnlistedVersions else { throw error.reported }
      return try infer()
    }
  }

  private func runStages(_ versions: SchemaVersions) throws -> Bool {
    guard let route = try route(versions, of: url) else { return true }
    try backUp(route.source)
    if route.needsCopy { return try runOnCopy(versions) }
    try PersistentStore.migrate(
      at: url, through: route.steps.map(\.inferred) + (route.last.map { [MigrationStep($0)] } ?? []),
      from: route.source, duplicates: duplicates, progress: { report(route.steps, $0) })
    report(route.steps, route.steps.count)
    return true
  }

  private func infer() throws -> Bool {
    try backUp(nil)
    report(1, 0, "the changes")
    try PersistentStore.migrate(at: url, through: [model], keepsOtherEntities: true, duplicates: duplicates)
    report(1, 1, nil)
    return true
  }

  private func runOnCopy(_ versions: SchemaVersions) throws -> Bool {
    let copy = try WorkingCopy(of: url)
    // Another process may have migrated the store just before it was copied.
    guard let route = try route(versions, of: copy.url) else { return true }
    var model = route.source
    for (index, step) in route.steps.enumerated() {
      report(route.steps, index)
      try run(step, on: copy.url, from: model)
      model = step.to.model
    }
    if let last = route.last {
      try PersistentStore.migrate(at: copy.url, through: [last], from: model, duplicates: duplicates)
    }
    guard try copy.publish() else { return false }
    report(route.steps, route.steps.count)
    return true
  }

  private func route(_ versions: SchemaVersions, of file: URL) throws -> MigrationRoute? {
    try MigrationRoute(of: file, named: url.path, to: model, versions: versions)
  }

  // MARK: Options

  private func backUp(_ source: ModelDescription?) throws {
    guard let place = configuration.migration.backup else { return }
    let options = StoreOptions(isReadOnly: true, createsIfMissing: false)
    let hasModel = (try? StoreModel.read(url)) != nil
    let store = try PersistentStore.open(at: url, options: options, model: hasModel ? nil : source)
    defer { store.close() }
    do { try store.copy(to: place, replaces: true) } catch let error as StoreCopyError {
      throw SwiftDataError(.loadIssueModelContainer, "\(error)", underlyingError: error)
    }
  }

  private func report(_ steps: [SchemaVersions.Step], _ completed: Int) {
    let stage = steps.indices.contains(completed) ? "\(steps[completed])" : nil
    report(steps.count, min(completed, steps.count), stage)
  }

  private func report(_ count: Int, _ completed: Int, _ stage: String?) {
    configuration.migration.progress?(
      MigrationProgress(store: url, completedStages: completed, stageCount: count, stage: stage))
  }

  // MARK: Stages with code

  private func run(_ step: SchemaVersions.Step, on file: URL, from model: ModelDescription) throws {
    switch step.stage {
    case .custom(_, _, let willMigrate, let didMigrate):
      try edit(file, step.from, willMigrate)
      try PersistentStore.migrate(at: file, through: [step.inferred], from: model, duplicates: duplicates)
      try edit(file, step.to, didMigrate)
    case .sideBySide(_, _, let migrate):
      // The old side is a copy of its own.
      let old = try WorkingCopy(of: file)
      try PersistentStore.migrate(at: file, through: [step.inferred], from: model, duplicates: duplicates)
      try edit(old.url, step.from) { oldContext in try edit(file, step.to) { try migrate(oldContext, $0) } }
    case .lightweight, .sql:
      try PersistentStore.migrate(at: file, through: [step.inferred], from: model, duplicates: duplicates)
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
