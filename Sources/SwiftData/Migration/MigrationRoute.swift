internal import ErrorReporting
internal import ManagedModel
package import StoreRequests

/// The ways that bring a store of any version to a container's model.
struct MigrationRoute {
  private let configuration: ModelConfiguration
  private let model: ModelDescription
  private let versions: SchemaVersions?

  /// - Throws: ``SwiftDataError`` for a version of the plan that has no model.
  init(configuration: ModelConfiguration, goal: MigrationGoal) throws {
    self.configuration = configuration
    model = goal.model
    versions = try goal.versions()
  }

  /// The steps for a store of a version.
  ///
  /// - Throws: ``SwiftDataError`` for a version that the plan does not list, or from which no stages lead to the model.
  func steps(from stored: StoredVersion) throws -> [MigrationStep] {
    guard let versions else { return try inferred(stored) }
    if let start = versions.index(of: stored) { return try steps(from: start, versions) }
    if let former = versions.index(formerly: stored) {
      var first = MigrationStep(versions.versions[former].model)
      first.name = "the columns of \(versions.versions[former].type)"
      return try [first] + steps(from: former, versions)
    }
    if let whole = versions.index(containing: stored) {
      // A container of some of the version's classes has made the store.
      var first = MigrationStep(versions.versions[whole].model)
      first.name = "all classes of \(versions.versions[whole].type)"
      return try [first] + steps(from: whole, versions)
    }
    if let part = versions.index(within: stored) {
      return try steps(from: part, versions).map { step in
        var step = step
        step.keepsOtherEntities = true
        return step
      }
    }
    guard configuration.migration.infersUnlistedVersions || versions.areWithoutStages else {
      throw unknownVersion(stored, versions)
    }
    return try inferred(stored)
  }

  private func steps(from start: Int, _ versions: SchemaVersions) throws -> [MigrationStep] {
    let known = try versions.index(containing: model)
    let end = known ?? versions.index(naming: model)
    let (from, to) = (versions.versions[start], versions.versions[end])
    if start == end, known != nil {
      // A store of the same version may differ in what hashes do not tell.
      return [MigrationStep(model, keepsOtherEntities: true)]
    }
    guard let path = versions.path(from: start, to: end) else {
      if versions.areWithoutStages, start < end { return [MigrationStep(model, keepsOtherEntities: true)] }
      throw noStages(from, to, isBackward: start > end, versions)
    }
    let reads = StageReads()
    var steps = path.map { MigrationStep($0, of: configuration, reads) }
    if known == nil {
      // The rows of the version's other entities are no rows of a removed class.
      var last = MigrationStep(model, keepsOtherEntities: true)
      (last.name, last.source) = ("the classes", to.model)
      steps.append(last)
    }
    return steps
  }

  private func inferred(_ stored: StoredVersion) throws -> [MigrationStep] {
    guard try !stored.isFormer(model) else {
      throw SwiftDataError(
        .backwardMigration,
        "The store at \(configuration.place) had the container's classes in an earlier version, and was migrated since. Use the newer program, or give a migration plan with a stage back."
      )
    }
    try checkVersionNumber(of: stored)
    return [MigrationStep(model, keepsOtherEntities: true)]
  }

  /// Refuses to remove values from a store that has a greater version number than the container's schema.
  private func checkVersionNumber(of stored: StoredVersion) throws {
    guard let former = stored.model, let numbers = newerNumbers(of: stored) else { return }
    let removals = ModelDifference.removals(from: former, to: model)
    guard !removals.isEmpty else { return }
    let lost = abbreviatedList(removals.map(\.description), separator: "; ")
    throw newerStore(numbers, "values would go: \(lost)", purpose: "If the properties are to go")
  }

  /// The error of an inferred migration that was refused; `nil` if the store has no greater version number than the container's schema.
  ///
  /// The refusal's own remedy is left out: it is for whoever changes classes, not for an older program.
  func refusal(of stored: StoredVersion, for reason: MigrationError) -> SwiftDataError? {
    newerNumbers(of: stored).map {
      newerStore($0, "it cannot be migrated back: \(reason.problem)", purpose: "If the classes are the newer ones")
    }
  }

  /// The version numbers of a store and of the container's schema, if the store's is greater.
  private func newerNumbers(of stored: StoredVersion) -> (stored: Schema.Version, own: Schema.Version)? {
    guard let number = stored.versionIdentifiers.compactMap(Schema.Version.init).max(),
      let own = model.versionIdentifiers.compactMap(Schema.Version.init).max(), own < number
    else { return nil }
    return (number, own)
  }

  // MARK: Errors

  private func newerStore(
    _ numbers: (stored: Schema.Version, own: Schema.Version), _ consequence: String, purpose: String
  ) -> SwiftDataError {
    SwiftDataError(
      .backwardMigration,
      """
      The store at \(configuration.place) has version \(numbers.stored), which is newer than \(numbers.own), the version of the container's \
      schema, and \(consequence). Use the newer program, or give a migration plan with a stage back. \(purpose), give the schema a version \
      from \(numbers.stored) on: Schema(versionedSchema:).
      """)
  }

  private func noStages(
    _ from: SchemaVersions.Version, _ to: SchemaVersions.Version, isBackward: Bool, _ versions: SchemaVersions
  ) -> SwiftDataError {
    isBackward
      ? SwiftDataError(
        .backwardMigration,
        "The store at \(configuration.place) has version \(from.type), which is newer than \(to.type), and \(versions.plan) has no stage back. Use the newer program, or add a stage from \(from.type) to \(to.type)."
      )
      : SwiftDataError(
        .loadIssueModelContainer,
        "The store at \(configuration.place) has version \(from.type), and no stages of \(versions.plan) lead from there to \(to.type). Add them."
      )
  }

  private func unknownVersion(_ stored: StoredVersion, _ versions: SchemaVersions) -> SwiftDataError {
    let equal = { (version: SchemaVersions.Version) in
      version.hashes.hashes.count { stored.hashes[$0.key] == $0.value } * 2 - version.hashes.hashes.count
    }
    var sentence = "The store at \(configuration.place) has none of the versions of \(versions.plan)."
    if let nearest = versions.versions.max(by: { equal($0) < equal($1) }) {
      let changes =
        stored.model.map { ModelDifference(from: $0, to: nearest.model).changes.filter { $0.migration != .none } } ?? []
      let names = stored.hashes.hashes.keys.filter { stored.hashes[$0] != nearest.hashes[$0] }.sorted()
      let differences = changes.isEmpty ? names : changes.map(\.description)
      sentence += " \(nearest.type) is the nearest; it differs: \(abbreviatedList(differences, separator: "; "))."
    }
    return SwiftDataError(
      .loadIssueModelContainer,
      sentence
        + " Add the store's version to the plan, or let the configuration's migration.infersUnlistedVersions be true to have the changes inferred."
    )
  }
}

extension EngineConfiguration {
  /// The steps by which a container would migrate the store; for previews. Their code is not to be run.
  ///
  /// - Throws: ``SwiftDataError`` as the container does.
  package func migrationSteps(
    from stored: StoredVersion, to schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> [MigrationStep] {
    let goal = MigrationGoal(model: try schema.lowered(), plan: plan, prepare: { $0 })
    return try MigrationRoute(configuration: .standing(for: self, in: schema, plan), goal: goal).steps(from: stored)
  }
}
