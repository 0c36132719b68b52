package import ManagedModel

/// The version of a store, as the store itself knows it.
package struct StoredVersion: Sendable, Equatable {
  package let hashes: VersionHashes
  /// The developer's names for the version.
  package let versionIdentifiers: [String]
  /// `nil` if the store does not keep its model.
  package let model: ModelDescription?
  /// The models that the store had before, if it keeps them.
  package let formerModels: [ModelDescription]

  package init(
    hashes: VersionHashes, versionIdentifiers: [String], model: ModelDescription?,
    formerModels: [ModelDescription] = []
  ) {
    self.hashes = hashes
    self.versionIdentifiers = versionIdentifiers
    self.model = model
    self.formerModels = formerModels
  }

  /// Whether the store had the entities of a model in an earlier version, and has others now.
  ///
  /// - Throws: `VersionHashError`
  package func isFormer(_ model: ModelDescription) throws -> Bool {
    let wanted = try VersionHashes(model)
    return try !hashes.contains(wanted) && formerModels.contains { try VersionHashes($0).contains(wanted) }
  }

  /// Whether the store has the model of a step already.
  ///
  /// - Throws: `VersionHashError`
  package func has(_ step: MigrationStep) throws -> Bool {
    let wanted = try VersionHashes(step.model)
    if step.keepsOtherEntities { return hashes.contains(wanted) }
    return hashes == wanted && Set(versionIdentifiers) == Set(step.model.versionIdentifiers)
  }
}

extension VersionHashes {
  /// Whether every entity of other hashes is among these, in the same version.
  package func contains(_ other: VersionHashes) -> Bool { other.hashes.allSatisfy { hashes[$0.key] == $0.value } }
}
