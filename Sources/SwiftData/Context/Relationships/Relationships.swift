internal import StoreRequests

/// Keeps both sides of relationships consistent, whether they are loaded or not.
extension ContextCore {
  /// Updates the inverses after an assignment to a relationship, inserts detached new members, and registers changed
  /// objects.
  ///
  /// `old` and `new` may omit members that are in both.
  func relationshipDidChange(
    of object: any PersistentModel, at property: Int, from old: [any PersistentModel], to new: [any PersistentModel]
  ) {
    guard !isClosed, let relationship = binding(of: object)?.properties[property].relationship else { return }
    // The members that stay are no aliases: each save replaces those that it makes.
    if !aliases.isEmpty, new.contains(where: { aliases.original(of: $0) != nil }) {
      replaceAliases(of: object, at: property)
    }
    let new = aliases.isEmpty ? new : new.map { aliases.original(of: $0) ?? $0 }
    if let original = aliases.original(of: object) { return passOn(object, property, to: original, old, new) }
    var before = ObjectList()
    for member in old { before.append(member) }
    var after = ObjectList()
    for member in new { after.append(member) }
    if after.count < new.count { removeRepetitions(of: object, at: property, linked(object, property)) }
    for member in before where !after.contains(member) { unlink(object, property, relationship, from: member) }
    for member in after where !before.contains(member) { link(object, property, relationship, to: member) }
  }

  /// Whether a changed list is compared only after aliases in it are replaced.
  ///
  /// The lists of an alias are merged with those of its original. Listeners are told of originals only.
  func mergesLists(of object: any PersistentModel) -> Bool {
    !aliases.isEmpty && (changeStream.needsPlaces || aliases.original(of: object) != nil)
  }

  /// Does the same after a change of a to-many relationship's list, and tells listeners of the places.
  func membersDidChange(
    of object: any PersistentModel, at property: Int, _ change: MemberDifference, to new: [some PersistentModel]
  ) {
    if change.hasRepetitions { removeRepetitions(of: object, at: property, new) }
    if let replacement = change.replacement {
      changeStream.send(.replaced(object, property: property, replacement))
    }
    guard !aliases.isEmpty, change.added.contains(where: { aliases.original(of: $0) != nil }) else {
      return relationshipDidChange(of: object, at: property, from: change.removed, to: change.added)
    }
    // The original of an added alias may be a member already.
    let added = Set(change.added.map { ObjectIdentifier($0) })
    var old = change.removed
    for member in new where !added.contains(ObjectIdentifier(member)) { old.append(member) }
    relationshipDidChange(of: object, at: property, from: old, to: new)
  }

  /// Tells listeners how the list of a to-many relationship differs from an earlier one. Cost: the lists' lengths.
  func noteReplacement(of object: any PersistentModel, at property: Int, from old: [any PersistentModel]) {
    guard changeStream.needsPlaces, binding(of: object)?.properties[property].relationship?.isToMany == true else {
      return
    }
    replaceAliases(of: object, at: property)
    removeRepetitions(of: object, at: property, linked(object, property))
    let replacement = MemberReplacement(from: old, to: linked(object, property))
    if !replacement.isEmpty { changeStream.send(.replaced(object, property: property, replacement)) }
  }

  /// Removes repeated members from an assigned relationship.
  func removeRepetitions(of object: any PersistentModel, at property: Int, _ members: [any PersistentModel]) {
    guard members.count > 1 else { return }
    var seen = Set<ObjectIdentifier>(minimumCapacity: members.count)
    let distinct = members.filter { seen.insert(ObjectIdentifier($0)).inserted }
    guard distinct.count < members.count else { return }
    var loader = MemberLoader(members: distinct)
    object._$visit(property, &loader)
  }

  /// Links an object to a new member: sets the member's inverse, and removes the member from its previous owner.
  func link(
    _ object: any PersistentModel, _ property: Int, _ relationship: RelationshipBinding, to member: any PersistentModel
  ) {
    // Recorded before the member is inserted: the member's inverse may lead here already, and must not add it twice.
    let isNew = relationship.isToMany && changeLinks(of: object, property, member, .add)
    guard isOurs(member, besides: object) else {
      if isNew { setMark(nil, of: object, property, member) }
      unit.strangers.append(.init(owner: object, property: property, stranger: member))
      return
    }
    guard let inverse = relationship.inverse else { return }
    if relationship.isInverseToMany {
      if addMember(object, to: member, at: inverse), member._$state.status == .inserted {
        member._$state.needExtras().given.add(object, at: inverse)
      }
      return
    }
    fill(member)
    let previous = destination(of: member, at: inverse)
    if let previous, previous === object {
      // Others have moved the member, and the context has not read its row again. Without a change of it, the program's link would be lost.
      guard isNew, member._$state.status != .inserted, !member._$state.isChanged(inverse) else { return }
    } else if let previous {
      forget(member, in: previous, at: property, relationship)
    }
    setDestination(of: member, at: inverse, to: object)
    if member._$state._isAttached { member._$state.needExtras().given.give(object, at: inverse) }
  }

  /// Unlinks an object from a removed member: clears the member's inverse.
  func unlink(
    _ object: any PersistentModel, _ property: Int, _ relationship: RelationshipBinding,
    from member: any PersistentModel
  ) {
    if relationship.isToMany {
      changeLinks(of: object, property, member, .remove)
      object._$state.extras?.given.remove(member, at: property)
    }
    guard let inverse = relationship.inverse, member._$state._isAttached else { return }
    if relationship.isInverseToMany {
      removeMember(object, from: member, at: inverse)
    } else if let current = destination(of: member, at: inverse), current === object {
      setDestination(of: member, at: inverse, to: nil)
    }
  }

  /// Removes a member that moved to another owner from its previous owner.
  private func forget(
    _ member: any PersistentModel, in previous: any PersistentModel, at property: Int,
    _ relationship: RelationshipBinding
  ) {
    guard previous._$state._isAttached else { return }
    if relationship.isToMany {
      removeMember(member, from: previous, at: property)
    } else {
      setDestination(of: previous, at: property, to: nil)
    }
  }

  /// Inserts a detached object into the store of its owner; returns whether the object is in this context and in that store.
  private func isOurs(_ object: any PersistentModel, besides owner: any PersistentModel) -> Bool {
    switch object._$state.status {
    case .detached:
      insert(object, besides: owner)
      return isBesides(object, owner)
    case .orphaned: return false
    case .inserted, .fault, .clean, .changed, .deleted: return isBesides(object, owner)
    }
  }

  /// Whether an object is in this context, and in the store of another object of the context.
  private func isBesides(_ object: any PersistentModel, _ other: any PersistentModel) -> Bool {
    object._$state.owner === self
      && EntityTag.store(object._$state.entity) == EntityTag.store(other._$state.entity)
  }

  // MARK: One side

  /// The current destination of a to-one relationship.
  func destination(of object: any PersistentModel, at property: Int) -> (any PersistentModel)? {
    fill(object)
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .unknown: return nil
    case .key(let key): return self.object(for: key, of: object, at: property)
    case .objects(let objects): return objects.first
    }
  }

  /// Removes an object from an owner's relationship.
  func takeOut(
    _ object: any PersistentModel, of owner: any PersistentModel, at property: Int, _ relationship: RelationshipBinding
  ) {
    if relationship.isToMany {
      removeMember(object, from: owner, at: property)
    } else if let current = destination(of: owner, at: property), current === object {
      setDestination(of: owner, at: property, to: nil)
    }
  }

  func setDestination(of object: any PersistentModel, at property: Int, to destination: (any PersistentModel)?) {
    fill(object)
    guard object._$state._isAttached else { return }
    changeStream.send(.willChange(object, property: property))
    notifying(object, at: property) { object in
      var setter = ToOneSetter(destination)
      object._$visit(property, &setter)
      markChanged(object, at: property, original: setter.original)
    }
  }

  /// - Returns: whether this is a change.
  @discardableResult
  func addMember(_ member: any PersistentModel, to owner: any PersistentModel, at property: Int) -> Bool {
    change(.add, member, of: owner, at: property)
  }

  func removeMember(_ member: any PersistentModel, from owner: any PersistentModel, at property: Int) {
    guard change(.remove, member, of: owner, at: property) else { return }
    owner._$state.extras?.given.remove(member, at: property)
  }

  /// - Returns: whether this is a change.
  private func change(
    _ kind: MemberChange.Kind, _ member: any PersistentModel, of owner: any PersistentModel, at property: Int
  ) -> Bool {
    fill(owner)
    guard owner._$state._isAttached else { return false }
    if changeStream.hasListeners || owner._$state._isObserved {
      let links = owner._$state.extras?.links[property]
      guard links?.isChanged(by: kind, member) != false else { return false }
      changeStream.send(.willChange(owner, property: property))
    }
    // Noted after observers have heard of the change: they may save or roll back.
    var isChange = false
    notifying(owner, at: property) { owner in
      isChange = changeLinks(of: owner, property, member, kind)
      guard isChange else { return }
      var change = MemberChange(kind, member, keepsPlace: changeStream.needsPlaces)
      owner._$visit(property, &change)
      if let replacement = change.replacement {
        changeStream.send(.replaced(owner, property: property, replacement))
      }
      markChanged(owner, at: property, original: nil)
    }
    return isChange
  }

  /// Records that a to-many relationship got or lost a member.
  ///
  /// - Returns: whether this changes what is recorded.
  @discardableResult
  func changeLinks(
    of object: any PersistentModel, _ property: Int, _ member: any PersistentModel, _ kind: MemberChange.Kind
  ) -> Bool {
    changeLinks(of: object, property, member, kind) { links in
      switch kind {
      case .add: links.add(member)
      case .remove: links.remove(member)
      }
    }
  }

  /// Sets what a to-many relationship records about a member.
  ///
  /// - Parameter kind: whether the member comes or goes with it; `nil` if it does neither.
  func setMark(
    _ mark: LinkChanges.Mark?, of object: any PersistentModel, _ property: Int, _ member: any PersistentModel,
    _ kind: MemberChange.Kind? = nil
  ) {
    changeLinks(of: object, property, member, kind) { $0[member] = mark }
  }

  private func changeLinks<Result>(
    of object: any PersistentModel, _ property: Int, _ member: any PersistentModel, _ kind: MemberChange.Kind?,
    _ change: (inout LinkChanges) -> Result
  ) -> Result {
    let extras = object._$state.needExtras()
    guard changeStream.hasListeners else { return change(&extras.links[property, default: LinkChanges()]) }
    let before = extras.links[property]?[member]
    let result = change(&extras.links[property, default: LinkChanges()])
    let after = extras.links[property]?[member]
    let step = LinkStep(
      owner: object, property: property, member: member, kind: kind, before: before, after: after)
    changeStream.send(.linked(step))
    return result
  }

  /// Records the members with which an object was inserted.
  func noteMembers(of object: any PersistentModel, _ property: Int, _ members: [any PersistentModel]) {
    for member in members { changeLinks(of: object, property, member, .add) }
  }

  /// Marks a property that was changed by the context instead of by an assignment.
  func markChanged(_ object: any PersistentModel, at property: Int, original: (any _PropertyStorage)?) {
    guard object._$state.markChanged(property) else { return }
    if let original { object._$state.needExtras().originals[property] = original }
    willChange(object, at: property)
  }
}
