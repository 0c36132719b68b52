internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// Opens the store of an engine that migrates by itself, and brings it to a container's model before.
///
/// All stages run in one transaction of the engine. The contexts of custom stages read and write in that transaction, too.
struct EngineMigration {
  private let configuration: any EngineConfiguration
  private let migrator: any StoreMigrator
  private let goal: MigrationGoal

  private var options: MigrationOptions { configuration.migration }

  /// `nil` if the configuration's engine does not migrate.
  init?(_ configuration: ModelConfiguration, _ goal: MigrationGoal) throws {
    guard let engine = configuration.dataStore?.engine, let migrator = try engine.migrator() else { return nil }
    self.configuration = engine
    self.migrator = migrator
    self.goal = goal
  }

  /// - Throws: ``SwiftDataError``, `MigrationError`, the engine's errors, or what a custom stage throws.
  func open() throws -> any StoreEngine {
    do {
      let engine = try configuration.openEngine(goal.modelOfNewStore())
      guard goal.plan != nil, let stored = try migrator.version(), try goal.isDue(stored) else { return engine }
    } catch is OtherModelError {}
    try run()
    return try configuration.openEngine(goal.model)
  }

  private func run() throws {
    let versions = try goal.versions()
    var stageCount = 0
    try migrator.migrate { transaction in
      stageCount = try versions.map { try runStages($0, in: transaction) } ?? infer(in: transaction)
    }
    if stageCount > 0 { report(stageCount, stageCount, nil) }
  }

  /// - Returns: the number of stages.
  private func infer(in transaction: any StoreMigrationTransaction) throws -> Int {
    guard try !transaction.isFormer(goal.model) else {
      throw SwiftDataError(
        .backwardMigration,
        "The store at \(configuration.place) had the container's classes in an earlier version, and was migrated since. Use the newer program, or give a migration plan with a stage back."
      )
    }
    report(1, 0, "the changes")
    return try transaction.infer(goal.model, keepsOtherEntities: true) ? 1 : 0
  }

  private func runStages(_ versions: SchemaVersions, in transaction: any StoreMigrationTransaction) throws -> Int {
    let route: MigrationRoute?
    do {
      route = try MigrationRoute(
        of: transaction.version, named: configuration.place, to: goal.model, versions: versions)
    } catch let error as UnlistedVersion {
      guard options.infersUnlistedVersions else { throw error.reported }
      return try infer(in: transaction)
    }
    // Another process may have migrated the store just before. A store of the same version may differ in what hashes do not tell.
    guard let route else { return try transaction.infer(goal.model, keepsOtherEntities: false) ? 1 : 0 }
    for (index, step) in route.steps.enumerated() {
      report(route.steps.count, index, "\(step)")
      try run(step, in: transaction)
    }
    if let last = route.last { try transaction.infer(last, keepsOtherEntities: false) }
    return max(1, route.steps.count)
  }

  private func run(_ step: SchemaVersions.Step, in transaction: any StoreMigrationTransaction) throws {
    func change() throws { try transaction.infer(step.to.model, keepsOtherEntities: false) }
    switch step.stage {
    case .lightweight: try change()
    case .sql(_, _, let before, let after):
      try transaction.execute(before)
      try change()
      try transaction.execute(after)
    case .custom(_, _, let willMigrate, let didMigrate):
      try edit(step.from, in: transaction, willMigrate)
      try change()
      try edit(step.to, in: transaction, didMigrate)
    case .sideBySide(_, _, let migrate):
      try transaction.withCopy(step.from.model) { old in
        try change()
        let oldContext = try context(old, step.from)
        try edit(step.to, in: transaction) { try migrate(oldContext, $0) }
      }
    }
  }

  /// Runs a block of a custom stage with the objects of one version, and saves what it leaves unsaved.
  private func edit(
    _ version: SchemaVersions.Version, in transaction: any StoreMigrationTransaction,
    _ block: ((ModelContext) throws -> Void)?
  ) throws {
    guard let block else { return }
    let context = try context(try transaction.engine(version.model), version)
    try block(context)
    if context.hasChanges { try context.save() }
  }

  private func context(_ engine: any StoreEngine, _ version: SchemaVersions.Version) throws -> ModelContext {
    let opening = ContainerOpening(
      schema: version.schema, migrationPlan: nil, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)],
      migrates: false, openStore: { _, _ in engine })
    return ModelContext(ModelContainer(core: try opening.open(), migrationPlan: nil), isolation: nil)
  }

  private func report(_ count: Int, _ completed: Int, _ stage: String?) {
    guard let progress = options.progress else { return }
    progress(
      MigrationProgress(store: configuration.placeURL, completedStages: completed, stageCount: count, stage: stage))
  }
}

extension EngineConfiguration {
  /// The place as a URL, for values that Apple's API gives as one.
  fileprivate var placeURL: URL { URL(string: place) ?? URL(fileURLWithPath: "/dev/null") }
}
