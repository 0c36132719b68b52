internal import ManagedModel
internal import StoreRequests

/// Loaded relationships that no longer agree with the links of a row that was read again, or is gone.
///
/// They are collected while rows are read, and loaded again afterwards, because observers are notified of it.
struct StaleInverses {
  /// Grouped by owner and property, in the order of the first links.
  private(set) var links: [[Link]] = []
  private var groups: [Place: Int] = [:]
  /// Objects without rows that may be members of relationships without an inverse or with an unknown owner.
  private(set) var lost: [any PersistentModel] = []

  /// A member that came to an owner's relationship, or left it.
  struct Link {
    let owner: any PersistentModel
    let property: Int
    let kind: MemberChange.Kind
    let member: any PersistentModel
  }

  private struct Place: Hashable {
    let owner: ObjectIdentifier
    let property: Int
  }

  var isEmpty: Bool { links.isEmpty && lost.isEmpty }

  mutating func add(_ link: Link) {
    let place = Place(owner: ObjectIdentifier(link.owner), property: link.property)
    if let group = groups[place] {
      links[group].append(link)
    } else {
      groups[place] = links.count
      links.append([link])
    }
  }

  mutating func addLost(_ object: any PersistentModel) { lost.append(object) }
}

extension ContextCore {
  /// The rows to which an object's to-one relationships with an inverse lead, in the order of the binding.
  func linkedRows(of object: any PersistentModel, _ binding: EntityBinding) -> [ObjectKey?] {
    binding.invertibleToOne.map { property in
      var reader = LinkReader()
      object._$visit(property, &reader)
      switch reader.content {
      case .unknown: return nil
      case .key(let key): return key
      case .objects(let objects): return objects.first?._$state.rowKey
      }
    }
  }

  /// Notes the owners whose member an object was, or is now, after its row was read again.
  func noteMoves(of object: any PersistentModel, _ binding: EntityBinding, from former: [ObjectKey?]) {
    for (index, row) in linkedRows(of: object, binding).enumerated() where row != former[index] {
      guard let inverse = binding.properties[binding.invertibleToOne[index]].relationship?.inverse else { continue }
      noteMove(of: object, .remove, former[index], inverse)
      noteMove(of: object, .add, row, inverse)
    }
  }

  /// After others have saved an object's row, notes the owners to which its unsaved changes lead.
  func noteOwners(of object: any PersistentModel, _ binding: EntityBinding) {
    for (property, row) in zip(binding.invertibleToOne, linkedRows(of: object, binding)) {
      guard let inverse = binding.properties[property].relationship?.inverse else { continue }
      noteMove(of: object, .add, row, inverse)
    }
  }

  /// Notes the partners of an object whose row was read for the first time: their unsaved changes may disagree with it.
  func notePartners(of object: any PersistentModel, _ binding: EntityBinding) {
    guard !binding.oneToOne.isEmpty, !unit.isEmpty else { return }
    for property in binding.oneToOne {
      var reader = LinkReader()
      object._$visit(property, &reader)
      guard case .key(let row) = reader.content, let inverse = binding.properties[property].relationship?.inverse
      else { continue }
      noteMove(of: object, .add, row, inverse)
    }
  }

  private func noteMove(
    of object: any PersistentModel, _ kind: MemberChange.Kind, _ row: ObjectKey?, _ inverse: Int
  ) {
    guard let row, let owner = registered(EntityTag.make(entity: row.entity, besides: object._$state.entity), row.key)
    else { return }
    staleInverses.add(.init(owner: owner, property: inverse, kind: kind, member: object))
  }

  /// Notes the owners whose member an object was that loses its row.
  ///
  /// - Parameter obeysRules: whether the object's delete rules have already updated the owners that they cover.
  func noteLoss(of object: any PersistentModel, obeysRules: Bool) {
    guard let binding = binding(of: object) else { return }
    var isLost = mayHaveExclusiveOwner(binding)
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship, let inverse = relationship.inverse,
        !obeysRules || relationship.deleteRule == .noAction
      else { continue }
      var reader = LinkReader()
      object._$visit(property, &reader)
      switch reader.content {
      case .unknown: isLost = isLost || relationship.isInverseToMany
      case .key(let row): noteMove(of: object, .remove, row, inverse)
      case .objects(let owners):
        for owner in owners where owner._$state.owner === self {
          staleInverses.add(.init(owner: owner, property: inverse, kind: .remove, member: object))
        }
      }
    }
    if isLost { staleInverses.addLost(object) }
  }

  /// Whether a to-many relationship without an inverse may have objects of an entity as members; see ``ExclusiveOwnership``.
  private func mayHaveExclusiveOwner(_ binding: EntityBinding) -> Bool {
    if let known = exclusivelyOwnedEntities[binding.tag] { return known }
    let store = store(binding.tag)
    let isMember = store.ownBindings.contains { owner in
      owner.toMany.contains { property in
        guard let relationship = owner.properties[property].relationship, relationship.inverse == nil else {
          return false
        }
        return store.kinds(of: relationship.destination).contains(binding.tag)
      }
    }
    exclusivelyOwnedEntities[binding.tag] = isMember
    return isMember
  }

  /// Brings the noted relationships up to date: loaded members are loaded again when needed, with the unsaved changes.
  func refreshStaleInverses() {
    guard !staleInverses.isEmpty else { return }
    let stale = staleInverses
    staleInverses = StaleInverses()
    var outdated: [any PersistentModel] = []
    var deleted: [any PersistentModel] = []
    for links in stale.links {
      let (owner, property) = (links[0].owner, links[0].property)
      guard owner._$state._isAttached, let relationship = binding(of: owner)?.properties[property].relationship else {
        continue
      }
      // A partner that is read for the first time is no new one.
      func isNew(_ link: StaleInverses.Link) -> Bool {
        link.kind == .add && (relationship.isToMany || !leads(owner, property, to: link.member))
      }
      if owner._$state.status == .deleted, links.contains(where: isNew) { deleted.append(owner) }
      if !relationship.isToMany {
        let wrong = links.filter { leads(owner, property, to: $0.member) == ($0.kind == .remove) }
        if wrong.isEmpty { continue }
        if [.clean, .fault].contains(owner._$state.status) {
          outdated.append(owner)
        } else if owner._$state.isChanged(property) {
          for link in wrong { adjust(link, relationship) }
        }
      } else if owner._$state.status == .deleted {
        changeMembers(of: owner, at: property, links)
      } else {
        emptyMembers(of: owner, at: property)
      }
    }
    decideAgain(deleted)
    takeOutOfLists(stale.lost)
    reread(outdated)
  }

  /// Changes the loaded members of a deleted object, which keeps them, unless its unsaved changes say otherwise.
  private func changeMembers(of owner: any PersistentModel, at property: Int, _ links: [StaleInverses.Link]) {
    var reader = LinkReader()
    owner._$visit(property, &reader)
    guard case .objects(let former) = reader.content else { return }
    let unsaved = owner._$state.extras?.links[property] ?? LinkChanges()
    var members = ObjectList()
    for member in former { members.append(member) }
    for link in links {
      switch link.kind {
      case .add: if !unsaved.removed.contains(link.member) { members.append(link.member) }
      case .remove: if !unsaved.added.contains(link.member) { members.remove(link.member) }
      }
    }
    let now = members.array
    guard !isEqual(former, now) else { return }
    var loader = MemberLoader(members: now)
    notifying(owner, at: property) { $0._$visit(property, &loader) }
  }

  /// Makes an object agree with an unsaved change of its partner in a one-to-one relationship, after others have saved another link.
  private func adjust(_ link: StaleInverses.Link, _ relationship: RelationshipBinding) {
    guard let inverse = relationship.inverse, [.clean, .fault, .changed].contains(link.member._$state.status),
      !link.member._$state.isChanged(inverse)
    else { return }
    withoutUndo { setDestination(of: link.member, at: inverse, to: link.kind == .add ? nil : link.owner) }
  }

  func leads(_ object: any PersistentModel, _ property: Int, to other: any PersistentModel) -> Bool {
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .unknown: return false
    case .key(let key): return key == other._$state.rowKey
    case .objects(let objects): return objects.contains { $0 === other }
    }
  }

  /// Removes objects whose rows are gone from all loaded members. Cost: one hash look-up for each loaded member of their
  /// classes.
  private func takeOutOfLists(_ lost: [any PersistentModel]) {
    guard !lost.isEmpty else { return }
    var isDestination: [Int32: Bool] = [:]
    let entities = Set(lost.map { $0._$state.entity })
    func mayHold(_ relationship: RelationshipBinding) -> Bool {
      let tag = relationship.destination
      if let known = isDestination[tag] { return known }
      let isOne = store(tag).kinds(of: tag).contains { entities.contains($0) }
      isDestination[tag] = isOne
      return isOne
    }
    var filter = MemberFilter(excluded: Set(lost.map { ObjectIdentifier($0) }))
    var holders: [(owner: any PersistentModel, property: Int)] = []
    func look(at owner: any PersistentModel) {
      guard owner._$state._isAttached, owner._$state.status != .deleted, let binding = binding(of: owner) else {
        return
      }
      for property in binding.toMany {
        guard let relationship = binding.properties[property].relationship, mayHold(relationship) else { continue }
        owner._$state.extras?.links[property]?.forgetLost()
        filter.isTest = true
        filter.hasFound = false
        owner._$visit(property, &filter)
        if filter.hasFound { holders.append((owner, property)) }
      }
    }
    identityMap.forEachOwner(look)
    unit.inserted.forEach(look)
    filter.isTest = false
    for (owner, property) in holders { notifying(owner, at: property) { $0._$visit(property, &filter) } }
  }
}
