internal import StoreRequests

// The changes of objects that undo makes. Each function makes a change as a client would, so that inverses follow and
// listeners hear it.
extension ContextCore {
  /// Assigns a to-one relationship; an object that left the context counts as nothing.
  func assign(_ destination: (any PersistentModel)?, to object: any PersistentModel, at property: Int) {
    let new = destination.flatMap { isHere($0) ? $0 : nil }
    let old = self.destination(of: object, at: property)
    if old !== new { replace(old, by: new, of: object, at: property) }
  }

  /// Replaces the present destination of a to-one relationship.
  func replace(
    _ old: (any PersistentModel)?, by new: (any PersistentModel)?, of object: any PersistentModel, at property: Int
  ) {
    setDestination(of: object, at: property, to: new)
    relationshipDidChange(of: object, at: property, from: old.map { [$0] } ?? [], to: new.map { [$0] } ?? [])
  }

  /// Assigns a to-one relationship an object that came back and has kept the link in its list, at the member's place.
  func assign(returned destination: any PersistentModel, to object: any PersistentModel, at property: Int) {
    let old = self.destination(of: object, at: property)
    guard old !== destination else { return }
    setDestination(of: object, at: property, to: destination)
    relationshipDidChange(of: object, at: property, from: old.map { [$0] } ?? [], to: [])
  }

  /// Takes changes of a to-many relationship's members back, but not what others have changed since.
  ///
  /// Objects that left the context are left out.
  /// - Parameter returned: the objects that came back because their deletion is undone.
  func takeBack(
    _ changes: MemberChanges, of object: any PersistentModel, at property: Int, takesMembers: Bool,
    returned: () -> Set<ObjectIdentifier>
  ) {
    func mayCome(_ member: any PersistentModel) -> Bool {
      isHere(member) && (takesMembers || !belongsElsewhere(member, than: object, at: property))
    }
    if !changes.replacements.isEmpty {
      if !isLoaded(object, at: property) { _ = targets(of: object, at: property) }
      let replacements = changes.replacementsToReverse(
        isPresent: { toggle($0, in: object, at: property)?.former.isEmpty == false }, returned: returned)
      for replacement in replacements.reversed() {
        var reverser = MemberReverser(replacement, where: mayCome)
        object._$visit(property, &reverser)
        if let reversal = reverser.reversal { replace(reversal, of: object, at: property) }
      }
    }
    guard isLoaded(object, at: property) else { return }
    for (member, isMember) in changes.unlistedLinks(returned: returned) where !isMember || mayCome(member) {
      guard let toggle = toggle(member, in: object, at: property), toggle.former.isEmpty == isMember else { continue }
      replace(toggle, of: object, at: property)
    }
  }

  /// Whether a relationship's member can have one owner, and has another one.
  private func belongsElsewhere(
    _ member: any PersistentModel, than owner: any PersistentModel, at property: Int
  ) -> Bool {
    guard let relationship = binding(of: owner)?.properties[property].relationship, !relationship.isInverseToMany,
      let inverse = relationship.inverse, let current = destination(of: member, at: inverse)
    else { return false }
    return current !== owner
  }

  /// Whether an object is in this context.
  func isHere(_ object: any PersistentModel) -> Bool { object._$state.owner === self && object._$state._isAttached }

  /// Whether a to-many relationship is loaded.
  private func isLoaded(_ object: any PersistentModel, at property: Int) -> Bool {
    var keeper = StorageKeeper()
    object._$visit(property, &keeper)
    return keeper.storage?._isPending == false
  }

  /// The replacement that adds an object to the loaded members of a relationship, or removes it.
  func toggle(
    _ member: any PersistentModel, in object: any PersistentModel, at property: Int
  ) -> MemberReplacement? {
    var search = MemberSearch(member)
    object._$visit(property, &search)
    return search.toggle
  }

  /// Replaces some of the loaded members of a to-many relationship.
  private func replace(_ replacement: MemberReplacement, of object: any PersistentModel, at property: Int) {
    guard !replacement.isEmpty else { return }
    changeStream.send(.willChange(object, property: property))
    markChanged(object, at: property, original: nil)
    var replacer = MemberReplacer(replacement)
    notifying(object, at: property) { $0._$visit(property, &replacer) }
    guard replacer.isDone else { return }
    changeStream.send(.replaced(object, property: property, replacement))
    relationshipDidChange(of: object, at: property, from: replacement.former, to: replacement.current)
  }

  func isEqual(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 === $1 }
  }

  /// Takes back changes of the unsaved additions and removals of a to-many relationship.
  ///
  /// - Parameter keepsMembers: whether the loaded members have the earlier state already. Otherwise they are loaded again when needed.
  func takeBack(
    _ members: [MemberChanges.Member], of object: any PersistentModel, at property: Int, keepsMembers: Bool
  ) {
    let marks = members.map { member in
      let isLost = member.mark == .added && !isHere(member.object)
      return (object: member.object, mark: isLost ? nil : member.mark)
    }
    let changed = marks.filter { object._$state.extras?.links[property]?[$0.object] != $0.mark }
    guard !keepsMembers || !changed.isEmpty else { return }
    changeStream.send(.willChange(object, property: property))
    for (member, mark) in changed { setMark(mark, of: object, property, member) }
    if let links = object._$state.extras?.links[property], !links.added.isEmpty || !links.removed.isEmpty {
      markChanged(object, at: property, original: nil)
    }
    if !keepsMembers { emptyMembers(of: object, at: property) }
  }

  /// Marks a property as equal to its row again, after its changes were undone.
  ///
  /// - Returns: whether the object must be read again because others have saved its row.
  @discardableResult
  func becomeUnchanged(_ object: any PersistentModel, at property: Int) -> Bool {
    guard object._$state.owner === self, object._$state.status == .changed, object._$state.isChanged(property) else {
      return false
    }
    if let links = object._$state.extras?.links[property], !links.added.isEmpty || !links.removed.isEmpty {
      return false
    }
    object._$state.unmarkChanged(property)
    var releaser = ReferenceReleaser()
    object._$visit(property, &releaser)
    let isOutdated = object._$state.extras?.isOutdated == true
    guard object._$state.changedMask == 0 else { return isOutdated }
    object._$state.extras?.isOutdated = false
    object._$state.extras?.settledVersion = nil
    unit.changed.remove(object)
    becomeClean(object)
    return isOutdated
  }

  // MARK: Deleted rows

  /// Replaces the foreign keys of an object by their destinations, before the object loses its row.
  func holdDestinations(
    of object: any PersistentModel, _ destination: (_ key: ObjectKey, _ property: Int) -> (any PersistentModel)?
  ) {
    guard let binding = binding(of: object) else { return }
    for property in binding.relationships {
      var reader = LinkReader()
      object._$visit(property, &reader)
      guard case .key(let key) = reader.content else { continue }
      var setter = ToOneSetter(destination(key, property))
      object._$visit(property, &setter)
    }
  }

  /// Makes an object whose row is deleted a new object. Its relationships keep the destinations that still exist.
  func bringBack(_ object: any PersistentModel) {
    let isOurs = object._$state.owner?.container === container
    if !isOurs { object._$state.entity = 0 }
    holdDestinations(of: object) { key, property in isOurs ? self.object(for: key, of: object, at: property) : nil }
    renew(object)
    forgetOrphans(of: object)
  }

  /// Makes an object whose deletion was saved a new object without a row.
  func renew(_ object: any PersistentModel) {
    guard object._$state.status == .orphaned else { return }
    object._$state._take(_ModelPlace(status: .detached))
    object._$state.clearChanges()
    object._$state.extras?.temporaryIdentity = nil
  }

  /// Removes objects whose rows are gone from the relationships of an object that is to be inserted.
  func forgetOrphans(of object: any PersistentModel) {
    guard object._$state.status == .detached, let binding = container.binding(of: type(of: object)) else { return }
    for property in binding.relationships {
      var reader = LinkReader()
      object._$visit(property, &reader)
      guard case .objects(let members) = reader.content,
        members.contains(where: { $0._$state.status == .orphaned })
      else { continue }
      if binding.properties[property].relationship?.isToMany == true {
        var loader = MemberLoader(members: members.filter { $0._$state.status != .orphaned })
        object._$visit(property, &loader)
      } else {
        var setter = ToOneSetter(nil)
        object._$visit(property, &setter)
      }
    }
  }
}

/// The places of two lists that remain without the common prefix and the common suffix.
func differingPlaces(
  _ left: [any PersistentModel], _ right: [any PersistentModel]
) -> (left: Range<Int>, right: Range<Int>) {
  let shorter = min(left.count, right.count)
  var start = 0
  while start < shorter, left[start] === right[start] { start += 1 }
  var tail = 0
  while tail < shorter - start, left[left.count - 1 - tail] === right[right.count - 1 - tail] { tail += 1 }
  return (start..<left.count - tail, start..<right.count - tail)
}
