internal import ErrorReporting
internal import Foundation
internal import Logging
internal import ManagedModel
internal import StoreRequests

/// Opens the store of a configuration, and brings an older one to the container's model before.
///
/// With a plan, the store goes through the plan's stages from its own version on. Without one, the changes are inferred from the
/// model in the store. The store is as it was until everything has succeeded.
struct StoreMigration {
  let configuration: ModelConfiguration
  let goal: MigrationGoal
  let migrator: any StoreMigrator

  /// - Throws: ``SwiftDataError``, `MigrationError`, the engine's errors, or what a custom stage throws.
  func open() throws -> any StoreEngine {
    if let engine = try openCurrent() { return engine }
    let route = try MigrationRoute(configuration: configuration, goal: goal)
    var steps: [MigrationStep] = []
    var stored: StoredVersion?
    let isChanged: Bool
    do {
      isChanged = try migrator.migrate(
        { version in
          stored = version
          steps = try route.steps(from: version)
          return steps
        }, progress: { report($0, of: steps) })
    } catch let refusal as MigrationError where steps.allSatisfy(\.isInferred) {
      // No change of the older classes helps against what a newer program has made.
      throw stored.flatMap { route.refusal(of: $0, for: refusal) } ?? refusal
    }
    if isChanged {
      report(steps.count, of: steps)
      warn(of: steps, from: stored?.model)
    }
    return try configuration.openEngine(goal)
  }

  /// Opens a store that needs no migration, or makes a new one; `nil` for a store of another version.
  private func openCurrent() throws -> (any StoreEngine)? {
    do {
      let engine = try configuration.openEngine(goal)
      guard goal.plan != nil, try goal.isDue(migrator.version(of: engine)) else { return engine }
    } catch let error as any StoreOpeningError where error.isOfOtherModel {}
    return nil
  }

  /// Warns of properties that inferred steps have removed: a newer program may have added them.
  private func warn(of steps: [MigrationStep], from stored: ModelDescription?) {
    let removals = steps.filter(\.isInferred).flatMap { step -> [ModelChange] in
      guard let source = step.source ?? stored else { return [] }
      return ModelDifference.removals(from: source, to: step.model)
    }
    guard !removals.isEmpty else { return }
    Logger(label: "SwiftData").warning(
      """
      The store at \(configuration.place) was migrated to classes that lack properties of it, and their values are gone: \
      \(abbreviatedList(removals.map(\.description), separator: "; ")). If a newer program has added them, go on with that program. \
      A migration plan refuses stores of newer versions.
      """)
  }

  private func report(_ completed: Int, of steps: [MigrationStep]) {
    configuration.migration.progress?(
      MigrationProgress(
        store: configuration.placeURL, completedStages: completed, stageCount: steps.count,
        stage: steps.indices.contains(completed) ? steps[completed].name : nil))
  }
}
