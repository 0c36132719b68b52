internal import ManagedModel

// Links to deleted objects that no delete rule clears.
extension ContextCore {
  /// Sets optional to-one relationships to `nil` if the next save deletes their destination, or the destination is deleted
  /// already.
  ///
  /// This concerns only relationships that the delete rules leave as they are: without an inverse, or with an inverse whose delete rule
  /// is `.noAction`. A relationship whose inverse denies the deletion keeps its destination, since the save must not go through. For a
  /// required relationship the validation refuses the save. Cost: a look at each new and each changed object.
  func releaseDeletedDestinations() {
    guard unit.hasLostObjects else { return }
    for object in unit.inserted.array + unit.changed.array {
      guard let binding = binding(of: object) else { continue }
      for property in binding.relationships
      where object._$state.status == .inserted || object._$state.isChanged(property) {
        guard let relationship = binding.properties[property].relationship, !relationship.isToMany,
          relationship.description.isOptional, let destination = held(object, property).first, isGone(destination),
          !denies(destination, relationship)
        else { continue }
        setDestination(of: object, at: property, to: nil)
      }
    }
  }

  /// Whether a deleted object denies its deletion because of a relationship that leads to it.
  private func denies(_ destination: any PersistentModel, _ relationship: RelationshipBinding) -> Bool {
    guard destination._$state.status == .deleted, let inverse = relationship.inverse else { return false }
    return binding(of: destination)?.properties[inverse].relationship?.deleteRule == .deny
  }

  /// Whether optional to-one relationships may lead to an object of an entity that no delete rule clears when the object is deleted.
  func mayLeaveLinks(_ object: any PersistentModel) -> Bool {
    let tag = object._$state.entity
    if let known = entitiesLeavingLinks[tag] { return known }
    let store = store(tag)
    let leaves = store.ownBindings.contains { owner in
      linksWithoutRule(owner).contains { property in
        guard let destination = owner.properties[property].relationship?.destination else { return false }
        return store.kinds(of: destination).contains(tag)
      }
    }
    entitiesLeavingLinks[tag] = leaves
    return leaves
  }

  /// The optional to-one relationships of an entity that stay as they are when their destination is deleted.
  func linksWithoutRule(_ owner: EntityBinding) -> [Int] {
    owner.relationships.filter { property in
      guard let relationship = owner.properties[property].relationship, !relationship.isToMany,
        relationship.description.isOptional
      else { return false }
      guard let inverse = relationship.inverse else { return true }
      return binding(relationship.destination)?.properties[inverse].relationship?.deleteRule == .noAction
    }
  }
}
