/// Adds to a model the entities of an older model that it does not mention, so that a migration keeps their rows.
extension ModelDescription {
  /// An entity of the older model that corresponds to none of this model is added, unless its name is taken.
  ///
  /// Its relationships follow renamed entities. A to-one relationship whose inverse is gone stays without one, and becomes optional.
  /// Otherwise its rows would keep objects of this model from being deleted, and no class is left to delete the rows. A to-many
  /// relationship whose inverse is gone has no storage of its own, and goes.
  package func keepingOtherEntities(of old: ModelDescription) -> ModelDescription {
    let matching = ModelMatching(from: old, to: self)
    let taken = Set(entities.map(\.name))
    let kept = old.entities.filter { matching.destination(of: $0.name) == nil && !taken.contains($0.name) }
    guard !kept.isEmpty else { return self }
    let keeping = EntityKeeping(old: old, new: self, matching: matching, keptNames: Set(kept.map(\.name)))
    var result = self
    result.entities += kept.map { keeping.adapted($0) }
    let known = Set(composites.map(\.name))
    result.composites += old.composites.filter { !known.contains($0.name) }
    for index in result.configurations.indices where taken.isSubset(of: result.configurations[index].entityNames) {
      result.configurations[index].entityNames += kept.map(\.name)
    }
    return result
  }
}

private struct EntityKeeping {
  let old: ModelDescription
  let new: ModelDescription
  let matching: ModelMatching
  let keptNames: Set<String>

  func adapted(_ entity: EntityDescription) -> EntityDescription {
    var entity = entity
    entity.superentityName = entity.superentityName.flatMap(present)
    let inherited = inheritedNames(of: entity.superentityName)
    entity.properties = entity.properties.compactMap { property in
      guard !inherited.contains(property.name) else { return nil }
      guard case .relationship(let relationship) = property else { return property }
      return adapted(relationship).map { .relationship($0) }
    }
    let names = Set(entity.properties.map(\.name)).union(inherited)
    entity.uniquenessConstraints.removeAll { !names.isSuperset(of: $0) }
    entity.compoundIndexes.removeAll { !names.isSuperset(of: $0) }
    entity.fetchIndexes.removeAll { index in
      index.elements.contains {
        if case .property(let name) = $0.subject { !names.contains(name) } else { false }
      }
    }
    return entity
  }

  /// The name of an old entity in the new model.
  private func present(_ name: String) -> String? {
    keptNames.contains(name) ? name : matching.destination(of: name)
  }

  private func adapted(_ relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let destination = present(relationship.destinationEntityName) else { return nil }
    var relationship = relationship
    relationship.destinationEntityName = destination
    relationship.inverseEntityName = relationship.inverseEntityName.flatMap(present)
    if keptNames.contains(destination) || relationship.inverseName == nil { return relationship }
    // A mentioned entity has no relationship to an entity that is not mentioned.
    relationship.inverseName = nil
    relationship.inverseEntityName = nil
    relationship.isOptional = true
    relationship.minimumCount = 0
    return relationship.isToMany ? nil : relationship
  }

  private func inheritedNames(of superentity: String?) -> Set<String> {
    var names: Set<String> = []
    var seen: Set<String> = []
    var next = superentity
    while let name = next, seen.insert(name).inserted {
      if let entity = new.entity(named: name) {
        names.formUnion(entity.properties.map(\.name))
        next = entity.superentityName
      } else {
        let entity = old.entity(named: name)
        names.formUnion(entity?.properties.map(\.name) ?? [])
        next = entity?.superentityName.flatMap(present)
      }
    }
    return names
  }
}
