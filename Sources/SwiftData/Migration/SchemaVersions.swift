internal import ManagedModel
internal import StoreRequests

/// The versions of a migration plan with their models, and the way from one to another.
struct SchemaVersions {
  struct Version {
    let type: any VersionedSchema.Type
    let schema: Schema
    let model: ModelDescription
    let hashes: VersionHashes
    /// The hashes of the same classes where an earlier version of this library stored them in other columns; `nil` if it did not.
    let formerHashes: VersionHashes?
  }

  struct Step {
    let stage: MigrationStage
    let from: Version
    let to: Version
  }

  let plan: any SchemaMigrationPlan.Type
  let versions: [Version]

  /// - Parameter prepare: makes the models of all versions those of one store.
  /// - Throws: ``SwiftDataError`` for a version that has no model, and for a stage that no store can pass.
  init(_ plan: any SchemaMigrationPlan.Type, prepare: ([ModelDescription]) -> [ModelDescription]) throws {
    self.plan = plan
    let types = Self.types(of: plan)
    let schemas = types.map { Schema(versionedSchema: $0) }
    let models = try prepare(schemas.map { try $0.lowered() })
    versions = try types.indices.map { index in
      let (type, schema, model) = (types[index], schemas[index], models[index])
      do {
        return Version(
          type: type, schema: schema, model: model, hashes: try VersionHashes(model),
          formerHashes: try model.withElementPerCase.map { try VersionHashes($0) })
      } catch {
        throw SwiftDataError(.unsupportedSchema, "Version \(type): \(error)", underlyingError: error)
      }
    }
    for stage in plan.stages { try check(stage) }
  }

  /// The versions that a plan lists, and those that only its stages name, beside the other version of the stage.
  private static func types(of plan: any SchemaMigrationPlan.Type) -> [any VersionedSchema.Type] {
    var types: [any VersionedSchema.Type] = []
    func index(_ type: any VersionedSchema.Type) -> Int? { types.firstIndex { $0 == type } }
    for type in plan.schemas where index(type) == nil { types.append(type) }
    for (from, to) in plan.stages.map(\.versions) {
      if index(from) == nil { types.insert(from, at: index(to) ?? types.count) }
      if index(to) == nil { types.insert(to, at: index(from).map { $0 + 1 } ?? types.count) }
    }
    return types
  }

  /// Whether the plan has no stages to go by. A plan of one version is what a program has before its first migration.
  var areWithoutStages: Bool { plan.stages.isEmpty || versions.count == 1 }

  private func check(_ stage: MigrationStage) throws {
    let (from, to) = stage.versions
    if case .lightweight = stage { return }
    guard from.versionIdentifier == to.versionIdentifier else { return }
    // Versions whose parts in one store are alike may differ in another store of the container.
    let wholes = try [from, to].map { try VersionHashes(Schema(versionedSchema: $0).lowered()) }
    guard wholes[0] == wholes[1] else { return }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The stage of \(plan) from \(from) to \(to) would never run: the two have equal classes and the versionIdentifier \(from.versionIdentifier), so that no store tells which it has. Give one of them a different versionIdentifier."
    )
  }

  /// The version of a store: by its hashes, and among versions of equal hashes by the version identifier (VH-18).
  func index(of stored: StoredVersion) -> Int? { last(of: stored) { versions[$0].hashes == stored.hashes } }

  /// The version whose classes an earlier version of this library stored in other columns, as in this store.
  func index(formerly stored: StoredVersion) -> Int? { last(of: stored) { versions[$0].formerHashes == stored.hashes } }

  /// The version that has all entities of a store.
  func index(containing stored: StoredVersion) -> Int? {
    last(of: stored) { versions[$0].hashes.contains(stored.hashes) }
  }

  /// The version whose entities a store has, beside entities that neither that version nor a later one has.
  ///
  /// A program that migrated without a plan keeps the entities of removed classes.
  func index(within stored: StoredVersion) -> Int? {
    last(of: stored) { index in
      let others = Set(stored.hashes.hashes.keys).subtracting(versions[index].hashes.hashes.keys)
      return stored.hashes.contains(versions[index].hashes)
        && versions[index...].allSatisfy { others.isDisjoint(with: $0.hashes.hashes.keys) }
    }
  }

  /// The last of some versions whose identifier the store has, else the last of them: its steps are the fewest.
  private func last(of stored: StoredVersion, where isMeant: (Int) -> Bool) -> Int? {
    let candidates = versions.indices.filter(isMeant)
    let named = candidates.last {
      stored.versionIdentifiers.contains(versions[$0].type.versionIdentifier.description)
    }
    return named ?? candidates.last
  }

  /// The last version with a container's model; `nil` if no version has it.
  func index(of model: ModelDescription) throws -> Int? {
    let wanted = try VersionHashes(model)
    return versions.lastIndex { $0.hashes == wanted }
  }

  /// The last version that has all entities of a container's model; if there is one, the last that has no others.
  func index(containing model: ModelDescription) throws -> Int? {
    let wanted = try VersionHashes(model)
    return try index(of: model) ?? versions.lastIndex { $0.hashes.contains(wanted) }
  }

  /// The last version that has an entity for each name of a container's model, equal or not. Without one, the last version.
  func index(naming model: ModelDescription) -> Int {
    let names = Set(model.entities.map(\.name))
    return versions.lastIndex { names.isSubset(of: $0.hashes.hashes.keys) } ?? versions.count - 1
  }

  /// The stages from one version to another, the fewest that there are; `nil` if the plan has no way.
  func path(from start: Int, to end: Int) -> [Step]? {
    var steps: [Int: Step] = [:]
    var reached = [start]
    var seen: Set<Int> = [start]
    var position = 0
    while position < reached.count, !seen.contains(end) {
      let current = reached[position]
      position += 1
      for stage in plan.stages where index(of: stage.versions.from) == current {
        guard let next = index(of: stage.versions.to), seen.insert(next).inserted else { continue }
        steps[next] = Step(stage: stage, from: versions[current], to: versions[next])
        reached.append(next)
      }
    }
    guard seen.contains(end) else { return nil }
    var result: [Step] = []
    var place = end
    while place != start, let step = steps[place], let previous = index(of: step.from.type) {
      result.append(step)
      place = previous
    }
    return result.reversed()
  }

  private func index(of type: any VersionedSchema.Type) -> Int? { versions.firstIndex { $0.type == type } }
}

extension MigrationStage {
  var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to), .custom(let from, let to, _, _), .sideBySide(let from, let to, _),
      .sql(let from, let to, _, _):
      (from, to)
    }
  }
}
