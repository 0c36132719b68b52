internal import ManagedModel
internal import StoreRequests

// Deleted objects that come back before a save.
//
// Such an object has kept its own links. Delete rules have taken it out of the relationships of other objects. The program may have
// changed those relationships since.
extension ContextCore {
  /// A link that came back to the other side.
  private struct RestoredLink {
    let object: any PersistentModel
    let owner: any PersistentModel
    /// The owner's relationship.
    let property: Int
    /// Whether the deleted object's own side differs from its row.
    let isUnsaved: Bool
  }

  /// Takes deletions back, with those that their cascades made alone, and settles both sides of all links.
  func comeBack(_ objects: [any PersistentModel]) {
    if objects.contains(where: { unit.decidedBefore.contains(ObjectIdentifier($0)) }) {
      // Others have saved other members. If they cannot be read, the next save reports it.
      try? decideDeletions(keepingValues: true)
    }
    let all = withCascades(of: objects)
    let deleted = all.filter { $0._$state.status == .deleted && $0._$state.owner === self }
    // Marks of others' changes since would be lost; then the links stay changes.
    let current = Set(deleted.map { ObjectIdentifier($0) }.filter { unit.decisionStates[$0] == stateNumber })
    let decided = deleted.filter { !unit.undecided.contains($0) }
    for object in all {
      switch object._$state.status {
      case .deleted: revive(object)
      case .detached: insert(object)
      case .inserted, .fault, .clean, .changed, .orphaned: break
      }
    }
    var outdated: [any PersistentModel] = []
    for link in decided.reversed().flatMap(restoreLinks)
    where current.contains(ObjectIdentifier(link.object)) && !link.isUnsaved && becomesUnchanged(link) {
      if becomeUnchanged(link.owner, at: link.property) { outdated.append(link.owner) }
    }
    reread(outdated.filter { [.clean, .fault].contains($0._$state.status) })
    for object in deleted { forgetLostLinks(of: object) }
  }

  /// Deleted objects, and the objects that only cascades of their deletions have deleted.
  func withCascades(of objects: [any PersistentModel]) -> [any PersistentModel] {
    guard !unit.cascades.isEmpty else { return objects }
    for object in objects { unit.cascades.forget(object) }
    var known = Set(objects.map { ObjectIdentifier($0) })
    var all = objects
    var place = 0
    while place < all.count {
      for member in unit.cascades.takeMembers(of: all[place]) where !known.contains(ObjectIdentifier(member)) {
        if let owner = otherOwner(of: member, besides: known) {
          unit.cascades.add(member, of: owner)
        } else {
          known.insert(ObjectIdentifier(member))
          all.append(member)
        }
      }
      place += 1
    }
    return all
  }

  /// A deleted object whose delete rule would delete a member, too. A member that was deleted before is not in its list.
  private func otherOwner(
    of member: any PersistentModel, besides returning: Set<ObjectIdentifier>
  ) -> (any PersistentModel)? {
    for property in binding(of: member)?.relationships ?? [] {
      guard let inverse = binding(of: member)?.properties[property].relationship?.inverse else { continue }
      let owner = loadedDestinations(of: member, at: property).first { owner in
        owner._$state.status == .deleted && owner._$state.owner === self
          && !returning.contains(ObjectIdentifier(owner))
          && binding(of: owner)?.properties[inverse].relationship?.deleteRule == .cascade
      }
      if let owner { return owner }
    }
    return nil
  }

  /// Takes back the deletion of an object alone.
  func revive(_ object: any PersistentModel) {
    guard object._$state.status == .deleted, object._$state.owner === self else { return }
    changeStream.send(.inserted(object))
    unit.deleted.remove(object)
    unit.undecided.remove(object)
    unit.decidedBefore.remove(ObjectIdentifier(object))
    unit.decisionStates[ObjectIdentifier(object)] = nil
    unit.cascades.forget(object)
    if object._$state.changedMask == 0 {
      becomeClean(object)
    } else {
      object._$state.status = .changed
      unit.changed.append(object)
    }
  }

  // MARK: The other sides

  /// Gives an object, whose deletion is undone, back to the relationships from which its delete rules took it.
  func restoreInverses(of object: any PersistentModel) { _ = restoreLinks(of: object) }

  private func restoreLinks(of object: any PersistentModel) -> [RestoredLink] {
    guard let binding = binding(of: object) else { return [] }
    var links: [RestoredLink] = []
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship, let inverse = relationship.inverse else {
        continue
      }
      let marks = object._$state.extras?.links[property]
      for member in targets(of: object, at: property) where isHere(member) {
        let isUnsaved = relationship.isToMany ? marks?[member] != nil : object._$state.isChanged(property)
        guard restore(object, in: member, at: inverse, isUnsaved: isUnsaved) else { continue }
        links.append(RestoredLink(object: object, owner: member, property: inverse, isUnsaved: isUnsaved))
      }
    }
    return links
  }

  /// - Parameter isUnsaved: whether the object's own side of the link differs from its row.
  /// - Returns: whether this is a change.
  private func restore(
    _ object: any PersistentModel, in owner: any PersistentModel, at property: Int, isUnsaved: Bool
  ) -> Bool {
    fill(owner)
    if binding(of: owner)?.properties[property].relationship?.isToMany == true {
      if let toggle = toggle(object, in: owner, at: property) {
        guard toggle.former.isEmpty else { return false }
        guard let removal = unit.formerPlaces.take(object, of: owner, at: property) else {
          return addMember(object, to: owner, at: property)
        }
        putBack(object, in: owner, at: property, removal)
        return true
      }
      guard let links = owner._$state.extras?.links[property], links.removed.contains(object) else { return false }
      changeStream.send(.willChange(owner, property: property))
      setMark(isUnsaved ? .added : nil, of: owner, property, object, .add)
      return true
    }
    var reader = LinkReader()
    owner._$visit(property, &reader)
    guard case .objects(let current) = reader.content, current.isEmpty else { return false }
    setDestination(of: owner, at: property, to: object)
    // An unsaved object is to lose the link again if it leaves.
    if owner._$state.status == .inserted { owner._$state.needExtras().given.give(object, at: property) }
    return true
  }

  /// Adds a member to a list at the place that it has left.
  private func putBack(
    _ object: any PersistentModel, in owner: any PersistentModel, at property: Int, _ removal: MemberReplacement
  ) {
    var reverser = MemberReverser(removal) { _ in true }
    owner._$visit(property, &reverser)
    guard let reversal = reverser.reversal else { return }
    changeStream.send(.willChange(owner, property: property))
    notifying(owner, at: property) { owner in
      changeLinks(of: owner, property, object, .add)
      var replacer = MemberReplacer(reversal)
      owner._$visit(property, &replacer)
      if replacer.isDone { changeStream.send(.replaced(owner, property: property, reversal)) }
      markChanged(owner, at: property, original: nil)
    }
  }

  /// Whether a property is as in its row, since a saved link came back. Drops the mark of a member.
  private func becomesUnchanged(_ link: RestoredLink) -> Bool {
    let (owner, property) = (link.owner, link.property)
    guard let relationship = binding(of: owner)?.properties[property].relationship else { return false }
    if relationship.isToMany {
      setMark(nil, of: owner, property, link.object)
      // An ordered list may have another order than the store's.
      return !relationship.description.isOrdered
    }
    let place = UnitOfWork.PropertyPlace(object: ObjectIdentifier(owner), property: property)
    guard !unit.clearedChanges.contains(place), let original = owner._$state.extras?.originals[property] else {
      return false
    }
    var keeper = StorageKeeper()
    owner._$visit(property, &keeper)
    guard let current = keeper.storage else { return false }
    var restorer = StorageRestorer(original: original)
    owner._$visit(property, &restorer)
    let wasLinked = leads(owner, property, to: link.object)
    var putter = StoragePutter(storage: current)
    owner._$visit(property, &putter)
    return wasLinked
  }

  // MARK: The own side

  /// Takes out of an object's relationships what has gone elsewhere, or was deleted, while the object was deleted.
  func forgetLostLinks(of object: any PersistentModel) {
    guard isHere(object), object._$state.status != .deleted, let binding = binding(of: object) else { return }
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship else { continue }
      let members = loadedDestinations(of: object, at: property)
      let lost = members.filter { !keeps($0, of: object, relationship) }
      guard !lost.isEmpty else { continue }
      guard relationship.isToMany else {
        setDestination(of: object, at: property, to: nil)
        continue
      }
      let unmarked = lost.filter { !isUnsavedLoss($0, relationship) }
      for member in lost where isUnsavedLoss(member, relationship) { removeMember(member, from: object, at: property) }
      guard !unmarked.isEmpty else { continue }
      object._$state.extras?.links[property]?.forgetLost()
      var filter = MemberFilter(excluded: Set(unmarked.map { ObjectIdentifier($0) }))
      notifying(object, at: property) { $0._$visit(property, &filter) }
    }
  }

  /// The destinations of a relationship that are in memory.
  private func loadedDestinations(of object: any PersistentModel, at property: Int) -> [any PersistentModel] {
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .unknown: return []
    case .objects(let objects): return objects
    case .key(let key):
      let tag = EntityTag.make(entity: key.entity, besides: object._$state.entity)
      return registered(tag, key.key).map { [$0] } ?? []
    }
  }

  /// Whether an object still has a destination of one of its relationships.
  private func keeps(
    _ member: any PersistentModel, of object: any PersistentModel, _ relationship: RelationshipBinding
  ) -> Bool {
    // A save refuses the links to objects of other contexts.
    guard member._$state._isAttached else { return false }
    guard member._$state.owner === self, let inverse = relationship.inverse else { return true }
    if member._$state.status == .deleted {
      guard !unit.undecided.contains(member),
        let rule = binding(of: member)?.properties[inverse].relationship?.deleteRule
      else { return true }
      return rule == .deny || rule == .noAction
    }
    return relationship.isInverseToMany || destination(of: member, at: inverse) === object
  }

  /// Whether an unsaved change of a member in this context is why it left.
  private func isUnsavedLoss(_ member: any PersistentModel, _ relationship: RelationshipBinding) -> Bool {
    guard isHere(member) else { return false }
    guard member._$state.status != .deleted, let inverse = relationship.inverse else { return true }
    return member._$state.isChanged(inverse)
  }
}
