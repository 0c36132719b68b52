import ErrorReporting
import ManagedModel

/// Decides which versions a migration plan lists, and which of its stages can be inferred.
struct MigrationPlanTranslator {
  let bundle: ModelVersions
  let names: BundleNames
  /// The declarations of each version.
  let parts: [VersionParts]

  init(_ bundle: ModelVersions, names: BundleNames, parts: [VersionParts]) {
    self.bundle = bundle
    self.names = names
    self.parts = parts
  }

  /// The plan that leads from the oldest version to the current one.
  func plan(notes: inout [GeneratorNote]) -> MigrationPlanDeclaration {
    let listed = listedVersions(&notes)
    let stages = zip(listed, listed.dropFirst()).map { stage(from: $0, to: $1, &notes) }
    noteUnusedMappings(stages, &notes)
    return MigrationPlanDeclaration(
      comments: ["Migrates a store of any earlier version to the current one."],
      name: names.migrationPlan, schemas: listed.map(names.schema), stages: stages)
  }

  /// All versions up to the current one. Of several versions with equal entity hashes, only the last is listed.
  ///
  /// A store identifies its version only by the hashes, so equal hashes cannot be two stages of a migration.
  private func listedVersions(_ notes: inout [GeneratorNote]) -> [Int] {
    for version in bundle.versions.dropFirst(bundle.currentIndex + 1) {
      notes.append(
        note(
          .note, version, "the version comes after the current one, and the migration plan leaves it out",
          remedy: "make it the current version when stores are to be migrated to it"))
    }
    var listed: [Int] = []
    var laterHashes: [VersionHashes: Int] = [:]
    for index in (0...max(0, bundle.currentIndex)).reversed() where index < bundle.versions.count {
      if let hashes = try? VersionHashes(bundle.versions[index].model) {
        if let later = laterHashes[hashes] {
          let name = bundle.versions[later].name
          notes.append(
            note(
              .note, bundle.versions[index],
              "the version has the same entity hashes as \(quoted(name)), which stands for both in the migration plan",
              remedy: "nothing: both versions use the same stores"))
          continue
        }
        laterHashes[hashes] = index
      }
      listed.append(index)
    }
    return listed.reversed()
  }

  private func stage(from: Int, to: Int, _ notes: inout [GeneratorNote]) -> MigrationStageDeclaration {
    let difference = ModelDifference(from: bundle.versions[from].model, to: bundle.versions[to].model)
    let name = "migrateV\(bundle.number(from))toV\(bundle.number(to))"
    let declaration = MigrationStageDeclaration(
      name: name, from: names.schema(from), to: names.schema(to), obstacles: obstacles(of: difference))
    if let mapped = mapped(declaration, from: from, to: to, &notes) { return mapped }
    for change in difference.changes {
      guard let obstacle = change.obstacleSentence else { continue }
      var obstacleNote = note(
        .note, bundle.versions[to],
        "the step from \(quoted(bundle.versions[from].name)) cannot be inferred: \(obstacle)",
        remedy: "write \(names.migrationPlan).\(name)")
      obstacleNote.place = .entity(change.entity, property: change.property)
      notes.append(obstacleNote)
    }
    return declaration
  }

  /// The obstacles by entity, in the order of each entity's first change.
  private func obstacles(of difference: ModelDifference) -> [MigrationStageDeclaration.EntityObstacles] {
    var obstacles: [MigrationStageDeclaration.EntityObstacles] = []
    var positions: [String: Int] = [:]
    for change in difference.changes {
      guard let obstacle = change.obstacleDescription else { continue }
      let place = change.property.map { "\($0): " } ?? ""
      let sentence = "\(place)\(change.phrase): \(obstacle)"
      if let position = positions[change.entity] {
        obstacles[position].changes.append(sentence)
      } else {
        positions[change.entity] = obstacles.count
        obstacles.append(.init(entity: change.entity, changes: [sentence]))
      }
    }
    return obstacles
  }

  func note(
    _ severity: GeneratorNote.Severity, _ version: ModelVersions.Version, _ what: String, remedy: String
  ) -> GeneratorNote {
    GeneratorNote(severity: severity, version: version.name, entity: nil, property: nil, what: what, remedy: remedy)
  }
}
