internal import ManagedModel
internal import StoreRequests

extension ContextCore {
  /// Applies the delete rules of all objects deleted since the last call, as of the store's present state.
  ///
  /// Cost: one query for each relationship of the deleted objects' classes that has members to decide about.
  /// - Parameter keepingValues: whether loaded members keep their values although the store has newer ones, for callers in the middle of
  ///   the program's work. The next merge decides again, see ``decideAgain(_:)``.
  /// - Throws: the store's error if the affected objects cannot be read; the next call applies the rules again.
  func decideDeletions(keepingValues: Bool = false) throws {
    // Only a save demands that every interrupted change can be completed.
    try? completeUnit()
    try reportingReadFailures {
      while !unit.undecided.isEmpty {
        let batch = unit.undecided.array
        let repeated = unit.decidedBefore
        unit.undecided = ObjectList()
        unit.decidedBefore = []
        for object in batch where unit.decisionStates[ObjectIdentifier(object)] == nil {
          unit.decisionStates[ObjectIdentifier(object)] = stateNumber
        }
        for object in batch where leadsByOutdatedKeys(object) { object._$state.isUnread = true }
        fillDeleted(batch)
        readMembers(of: batch, keepingValues: keepingValues)
        for object in batch where object._$state.status == .deleted {
          for member in applyDeleteRules(to: object, isRepeated: repeated.contains(ObjectIdentifier(object))) {
            deleteWithOwner(member, object)
          }
        }
        guard readFailure == nil else {
          unit.decidedBefore.formUnion(repeated)
          let later = unit.undecided
          unit.undecided = ObjectList(batch)
          for object in later { unit.undecided.append(object) }
          return
        }
      }
    }
  }

  /// The deleted objects whose delete rules have been applied.
  var decidedDeletions: [any PersistentModel] {
    guard !unit.deleted.isEmpty else { return [] }
    let scheduled = scheduledIdentities
    return unit.deleted.filter { !scheduled.contains(ObjectIdentifier($0)) && !unit.undecided.contains($0) }
  }

  /// The deleted objects whose delete rules the save's SQL applies. They are not read.
  private var scheduledIdentities: Set<ObjectIdentifier> {
    Set(unit.batches.flatMap(\.objects).map { ObjectIdentifier($0) })
  }

  /// Applies the delete rules of deleted objects once more, because others have saved other values or members of them.
  ///
  /// Rules that were applied before have no further effect on the same members.
  func decideAgain(_ objects: [any PersistentModel]) {
    guard !objects.isEmpty else { return }
    let scheduled = scheduledIdentities
    for object in objects where !scheduled.contains(ObjectIdentifier(object)) {
      object._$state.isUnread = true
      if unit.undecided.append(object) { unit.decidedBefore.insert(ObjectIdentifier(object)) }
    }
  }

  /// Whether others may have saved a deleted object since it was read, and its delete rules follow a key in its row.
  private func leadsByOutdatedKeys(_ object: any PersistentModel) -> Bool {
    guard object._$state.status == .deleted, !inbox.isEmpty, let row = object._$state.objectKey, inbox.mayName(row),
      let binding = binding(of: object)
    else { return false }
    return binding.relationships.contains { property in
      binding.properties[property].relationship.map { !$0.isToMany && concernsMembers($0) } ?? false
    }
  }

  /// Loads the values of deleted objects that were not read, or are outdated. Cost: one query per entity.
  private func fillDeleted(_ objects: [any PersistentModel]) {
    let unread = objects.filter { $0._$state.status == .deleted && $0._$state.isUnread && $0._$state.key != 0 }
    for (tag, group) in grouped(unread) {
      guard let binding = binding(tag) else { continue }
      do {
        try load(group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }, of: binding)
        // The save handles a row that is missing.
        for object in group { object._$state.isUnread = false }
      } catch {
        noteReadFailure(error, "loading objects of \(binding.name)")
      }
    }
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
          for member in applyDeleteRule(of: owner, at: property, to: later, isRepeated: true) {
            deleteWithOwner(member, owner)
          }
        }
      }
    }
    try decideDeletions()
  }

  /// Removes a deleted object from the inverses of its members.
  ///
  /// - Parameter isRepeated: whether the rules are applied again to what others have saved, which is no action to undo.
  /// - Returns: the members to delete with it.
  func applyDeleteRules(to object: any PersistentModel, isRepeated: Bool = false) -> [any PersistentModel] {
    guard let binding = binding(of: object) else { return [] }
    return binding.relationships.flatMap { property -> [any PersistentModel] in
      guard let relationship = binding.properties[property].relationship, concernsMembers(relationship) else {
        return []
      }
      return applyDeleteRule(of: object, at: property, to: targets(of: object, at: property), isRepeated: isRepeated)
    }
  }

  /// - Returns: the members to delete with the object.
  private func applyDeleteRule(
    of object: any PersistentModel, at property: Int, to members: [any PersistentModel], isRepeated: Bool
  ) -> [any PersistentModel] {
    guard let relationship = binding(of: object)?.properties[property].relationship else { return [] }
    switch relationship.deleteRule {
    case .cascade: return members.filter { stillLeads($0, to: object, relationship) }
    case .nullify:
      guard let inverse = relationship.inverse else { return [] }
      func releaseMembers() { for member in members { release(member, from: object, at: inverse, relationship) } }
      isRepeated ? withoutUndo(releaseMembers) : releaseMembers()
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

  /// Whether a stored member has no unsaved link to another owner, or to none.
  func stillLeads(
    _ member: any PersistentModel, to object: any PersistentModel, _ relationship: RelationshipBinding
  ) -> Bool {
    guard relationship.isToMany, !relationship.isInverseToMany, let inverse = relationship.inverse,
      [.changed, .deleted].contains(member._$state.status), member._$state.isChanged(inverse)
    else { return true }
    return destination(of: member, at: inverse) === object
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
    if back.isToMany, back.description.isOrdered, let removal = toggle(object, in: member, at: inverse) {
      unit.formerPlaces.add(removal, of: member, at: inverse)
    }
    if !back.isToMany, member._$state.isChanged(inverse) {
      unit.clearedChanges.insert(.init(object: ObjectIdentifier(member), property: inverse))
    }
    takeOut(object, of: member, at: inverse, back)
  }

  /// Reads the members to which delete rules apply, even if they are loaded, because other contexts may have saved new ones.
  private func readMembers(of objects: [any PersistentModel], keepingValues: Bool = false) {
    for (_, group) in grouped(objects) {
      guard let first = group.first, let binding = binding(of: first) else { continue }
      let owners = group.filter { $0._$state.status == .deleted && $0._$state.key != 0 }
      guard !owners.isEmpty else { continue }
      for property in ruledToMany(of: first) {
        guard let relationship = binding.properties[property].relationship else { continue }
        for owner in owners { keepOrder(of: owner, at: property) }
        do {
          try loadMembers(
            of: owners, first: nil, at: property, relationship, binding, keepingValues: keepingValues)
        } catch {
          noteReadFailure(error, "loading \(binding.name).\(binding.properties[property].name)")
        }
      }
    }
  }
}
