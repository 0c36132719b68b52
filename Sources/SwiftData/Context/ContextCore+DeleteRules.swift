internal import ManagedModel
internal import StoreRequests

extension ContextCore {
  /// Applies the delete rules of all objects deleted since the last call, as of the store's present state.
  ///
  /// Cost: one query for each relationship of the deleted objects' classes that has members to decide about.
  /// - Throws: the store's error if the affected objects cannot be read; the next call applies the rules again.
  func decideDeletions() throws {
    try reportingReadFailures {
      if !unit.undecided.isEmpty { adoptSavedChanges() }
      while !unit.undecided.isEmpty {
        let batch = unit.undecided
        unit.undecided = []
        for object in batch { fill(object) }
        readMembers(of: batch)
        for object in batch where object._$state.status == .deleted {
          for member in applyDeleteRules(to: object) { delete(member) }
        }
        guard readFailure == nil else { return unit.undecided.insert(contentsOf: batch, at: 0) }
      }
    }
  }

  /// The deleted objects whose delete rules have been applied.
  var decidedDeletions: [any PersistentModel] {
    guard !unit.deleted.isEmpty else { return [] }
    let others = Set((unit.undecided + unit.batches.flatMap(\.objects)).map { ObjectIdentifier($0) })
    return unit.deleted.filter { !others.contains(ObjectIdentifier($0)) }
  }

  /// Applies delete rules again, to the members that other contexts have saved since the rules were applied first.
  ///
  /// Members that other contexts save between this call and the transaction keep a foreign key without a row.
  func decideLaterMembers(of objects: [any PersistentModel]) throws {
    guard !objects.isEmpty else { return }
    try reportingReadFailures {
      var known: [ObjectIdentifier: [Int: Set<ObjectIdentifier>]] = [:]
      for owner in objects where owner._$state.status == .deleted {
        for property in ruledToMany(of: owner) {
          known[ObjectIdentifier(owner), default: [:]][property] = Set(
            linked(owner, property).map { ObjectIdentifier($0) })
        }
      }
      readMembers(of: objects)
      for owner in objects {
        for (property, members) in known[ObjectIdentifier(owner)] ?? [:] {
          let later = linked(owner, property).filter { !members.contains(ObjectIdentifier($0)) }
          for member in applyDeleteRule(of: owner, at: property, to: later) { delete(member) }
        }
      }
    }
    try decideDeletions()
  }

  /// Removes a deleted object from the inverses of its members.
  ///
  /// - Returns: the members to delete with it.
  func applyDeleteRules(to object: any PersistentModel) -> [any PersistentModel] {
    guard let binding = binding(of: object) else { return [] }
    return binding.relationships.flatMap { property -> [any PersistentModel] in
      guard let relationship = binding.properties[property].relationship, concernsMembers(relationship) else {
        return []
      }
      return applyDeleteRule(of: object, at: property, to: targets(of: object, at: property))
    }
  }

  /// - Returns: the members to delete with the object.
  private func applyDeleteRule(
    of object: any PersistentModel, at property: Int, to members: [any PersistentModel]
  ) -> [any PersistentModel] {
    guard let relationship = binding(of: object)?.properties[property].relationship else { return [] }
    switch relationship.deleteRule {
    case .cascade: return members.filter { stillLeads($0, to: object, relationship) }
    case .nullify:
      guard let inverse = relationship.inverse else { return [] }
      for member in members { release(member, from: object, at: inverse, relationship) }
      return []
    // The save decides about denied deletions, when all deletions are known.
    case .deny, .noAction: return []
    }
  }

  /// Whether a relationship's delete rule does anything to its members.
  private func concernsMembers(_ relationship: RelationshipBinding) -> Bool {
    switch relationship.deleteRule {
    case .cascade, .deny: true
    case .nullify: relationship.inverse != nil
    case .noAction: false
    }
  }

  /// The to-many relationships of an object whose delete rules do something to the members.
  private func ruledToMany(of object: any PersistentModel) -> [Int] {
    guard let binding = binding(of: object) else { return [] }
    return binding.toMany.filter { binding.properties[$0].relationship.map(concernsMembers) ?? false }
  }

  /// Whether a member has no unsaved link to another owner, which the store does not know yet.
  private func stillLeads(
    _ member: any PersistentModel, to object: any PersistentModel, _ relationship: RelationshipBinding
  ) -> Bool {
    guard relationship.isToMany, !relationship.isInverseToMany, let inverse = relationship.inverse,
      member._$state.status == .changed, member._$state.isChanged(inverse),
      let destination = destination(of: member, at: inverse)
    else { return true }
    return destination === object
  }

  /// Removes a deleted object from one member's inverse; the deleted object keeps its values.
  private func release(
    _ member: any PersistentModel, from object: any PersistentModel, at inverse: Int,
    _ relationship: RelationshipBinding
  ) {
    switch member._$state.status {
    case .detached, .deleted, .orphaned: return
    case .inserted, .fault, .clean, .changed: break
    }
    guard let back = binding(of: member)?.properties[inverse].relationship else { return }
    takeOut(object, of: member, at: inverse, back)
  }

  /// Reads the members to which delete rules apply, even if they are loaded, because other contexts may have saved new ones.
  private func readMembers(of objects: [any PersistentModel]) {
    for (_, group) in Dictionary(grouping: objects, by: { $0._$state.entity }) {
      guard let first = group.first, let binding = binding(of: first) else { continue }
      let owners = group.filter { $0._$state.status == .deleted && $0._$state.key != 0 }
      guard !owners.isEmpty else { continue }
      for property in ruledToMany(of: first) {
        guard let relationship = binding.properties[property].relationship else { continue }
        do {
          try loadMembers(of: owners, first: nil, at: property, relationship, binding)
        } catch {
          noteReadFailure(error, "loading \(binding.name).\(binding.properties[property].name)")
        }
      }
    }
  }
}
