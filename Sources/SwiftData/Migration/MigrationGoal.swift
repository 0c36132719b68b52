internal import ManagedModel
internal import StoreRequests

/// The model to which a store is brought, and the plan that leads there.
struct MigrationGoal {
  let model: ModelDescription
  let plan: (any SchemaMigrationPlan.Type)?
  /// Makes the models of the plan's versions those of this store.
  let prepare: ([ModelDescription]) -> [ModelDescription]

  func versions() throws -> SchemaVersions? { try plan.map { try SchemaVersions($0, prepare: prepare) } }

  /// The model of a new store: that of the plan's last version, among versions with equal hashes.
  func modelOfNewStore() throws -> ModelDescription {
    guard let versions = try versions() else { return model }
    let wanted = try VersionHashes(model)
    guard versions.versions.count(where: { $0.hashes == wanted }) > 1, let index = try versions.index(of: model) else {
      return model
    }
    var model = model
    model.versionIdentifiers = versions.versions[index].model.versionIdentifiers
    return model
  }

  /// Whether a store that has the container's entities is of an earlier version of the plan, with equal hashes.
  func isDue(_ stored: StoredVersion) throws -> Bool {
    guard let plan, let last = plan.schemas.last, !stored.versionIdentifiers.contains("\(last.versionIdentifier)")
    else { return false }
    guard let versions = try versions(), let start = versions.index(of: stored),
      let end = try versions.index(of: model), start < end
    else { return false }
    return versions.path(from: start, to: end)?.isEmpty == false
  }
}
