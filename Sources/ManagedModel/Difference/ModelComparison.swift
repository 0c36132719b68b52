import ErrorReporting

/// Compares the entities of two models and collects the changes.
struct ModelComparison {
  let source: EntityGraph
  let destination: EntityGraph
  let entities: Matching
  var changes: [ModelChange] = []
  /// For each destination entity, the matching of all its properties with the matched entity's properties; filled on
  /// first use.
  var propertyMatchings: [String: Matching] = [:]

  init(from source: ModelDescription, to destination: ModelDescription) {
    self.source = EntityGraph(source)
    self.destination = EntityGraph(destination)
    entities = Matching(from: source, to: destination)
  }

  mutating func compareAll() {
    let mergers = mergedHierarchies()
    for new in destination.model.entities {
      guard let oldName = entities.sources[new.name], let old = source.entity(oldName) else {
        changes.append(ModelChange(entity: new.name, kind: .entityAdded, migration: .lightweight))
        continue
      }
      compare(old, new, mergedWith: mergers[new.name])
      if !areOfEqualLines(old.name, new.name) { compareProperties(of: old, and: new) }
    }
    for old in source.model.entities where entities.destinations[old.name] == nil {
      changes.append(ModelChange(entity: old.name, kind: .entityRemoved, migration: .lightweight))
    }
  }

  /// Whether two entities and all their superentities are equal and matched by name. Most are, and they need no
  /// comparison.
  private func areOfEqualLines(_ old: String, _ new: String) -> Bool {
    let line = source.lineage(of: old)
    let other = destination.lineage(of: new)
    return line.allSatisfy { entities.sources[$0.name] == $0.name } && line == other
      && zip(line, other).allSatisfy { $0.isSpelled(as: $1) }
  }

  private mutating func compare(_ old: EntityDescription, _ new: EntityDescription, mergedWith merged: String?) {
    func change(_ kind: ModelChange.Kind, _ migration: ModelChange.Migration) -> ModelChange {
      ModelChange(entity: new.name, kind: kind, migration: migration)
    }
    if !new.name.hasBytes(of: old.name) {
      let migration = renaming(
        from: (old.name, old.renamingIdentifier), to: (new.name, new.renamingIdentifier))
      changes.append(change(.entityRenamed(from: old.name), migration))
    }
    let kept = new.superentityName.flatMap { entities.sources[$0] }
    if old.superentityName != kept || (kept == nil) != (new.superentityName == nil) {
      changes.append(
        change(
          .superentityChanged(from: old.superentityName, to: new.superentityName),
          merged.map { .custom(.mergedHierarchies(with: $0)) } ?? .lightweight))
    }
    if old.isAbstract != new.isAbstract {
      changes.append(
        change(
          .abstractnessChanged(isAbstract: new.isAbstract), new.isAbstract ? .custom(.undocumented) : .lightweight))
    }
    if (old.versionHashModifier ?? "") != (new.versionHashModifier ?? "") {
      changes.append(change(.versionHashModifierChanged, .lightweight))
    }
    if Set(old.uniquenessConstraints.map(Constraint.init)) != Set(new.uniquenessConstraints.map(Constraint.init)) {
      changes.append(change(.uniquenessConstraintsChanged, .lightweight))
    }
    if Set(old.fetchIndexes) != Set(new.fetchIndexes) || old.furtherCompoundIndexes != new.furtherCompoundIndexes {
      changes.append(change(.indexesChanged, .none))
    }
  }

  /// The migration that a new name requires.
  ///
  /// A name in another Unicode form has other version hashes and columns. Core Data is not known to match such names
  /// without a renaming identifier.
  func renaming(
    from old: (name: String, identifier: String?), to new: (name: String, identifier: String?)
  ) -> ModelChange.Migration {
    guard old.name == new.name else { return .lightweight }
    let isIdentified = new.identifier?.hasBytes(of: old.identifier ?? old.name) == true
    return isIdentified ? .lightweight : .custom(.undocumented)
  }

  /// A constraint in the form that VH-3 hashes. A set of them compares constraints without regard to order.
  private struct Constraint: Hashable {
    let text: String

    init(_ names: [String]) { text = names.joined(separator: ".") }
  }

  /// Destination entities whose inheritance tree joins entities of several source trees, each with the name of an
  /// entity from another source tree.
  ///
  /// "If two existing entities do not share a common parent in the source, they cannot share a common parent in the
  /// destination" (Core Data Model Versioning and Data Migration Programming Guide, Lightweight Migration).
  private func mergedHierarchies() -> [String: String] {
    struct Member {
      let name: String
      let sourceRoot: String
      let depth: Int
    }
    var trees: [String: [Member]] = [:]
    for entity in destination.model.entities {
      guard let old = entities.sources[entity.name], let sourceRoot = source.root(of: old) else { continue }
      let line = destination.lineage(of: entity.name)
      trees[line.first?.name ?? entity.name, default: []].append(
        Member(name: entity.name, sourceRoot: sourceRoot.name, depth: line.count))
    }
    var merged: [String: String] = [:]
    for members in trees.values {
      // In each source tree, the entity nearest to the root names the tree.
      guard let first = members.min(by: { $0.depth < $1.depth }),
        let other = members.filter({ $0.sourceRoot != first.sourceRoot }).min(by: { $0.depth < $1.depth })
      else { continue }
      for member in members {
        merged[member.name] = member.sourceRoot == first.sourceRoot ? other.name : first.name
      }
    }
    return merged
  }
}
