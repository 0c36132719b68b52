internal import ManagedModel
internal import StoreRequests

/// Loaded relationships that no longer agree with the links of a row that was read again, or is gone.
///
/// They are collected while rows are read, and loaded again afterwards, because observers are notified of it.
struct StaleInverses {
  private(set) var links: [Link] = []
  /// Objects without rows that may be members of relationships without an inverse or with an unknown owner.
  private(set) var lost: [any PersistentModel] = []

  /// A member that came to an owner's relationship, or left it.
  struct Link {
    let owner: any PersistentModel
    let property: Int
    let kind: MemberChange.Kind
    let member: any PersistentModel
  }

  var isEmpty: Bool { links.isEmpty && lost.isEmpty }

  mutating func add(_ link: Link) { links.append(link) }

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
    var emptied: Set<Place> = []
    var deleted: [any PersistentModel] = []
    for link in stale.links {
      let (owner, property) = (link.owner, link.property)
      guard owner._$state._isAttached, let relationship = binding(of: owner)?.properties[property].relationship else {
        continue
      }
      if owner._$state.status == .deleted, link.kind == .add { deleted.append(owner) }
      if !relationship.isToMany {
        if [.clean, .fault].contains(owner._$state.status),
          leads(owner, property, to: link.member) == (link.kind == .remove)
        {
          outdated.append(owner)
        }
      } else if owner._$state.isChanged(property) || owner._$state.status == .deleted {
        // The order of the members is unsaved, or the list belongs to a deleted object, which keeps it.
        change(owner, property, link.kind, link.member)
      } else if emptied.insert(Place(owner: ObjectIdentifier(owner), property: property)).inserted {
        var emptier = StorageEmptier()
        notifying(owner, at: property) { $0._$visit(property, &emptier) }
      }
    }
    decideAgain(deleted)
    takeOutOfLists(stale.lost)
    reread(outdated)
  }

  /// Adds a member to a loaded list, or removes it, unless the owner's unsaved changes say otherwise.
  private func change(
    _ owner: any PersistentModel, _ property: Int, _ kind: MemberChange.Kind, _ member: any PersistentModel
  ) {
    let links = owner._$state.extras?.links[property]
    let isListed = linked(owner, property).contains { $0 === member }
    switch kind {
    case .add: if isListed || links?.removed.contains(member) == true { return }
    case .remove: if !isListed || links?.added.contains(member) == true { return }
    }
    var change = MemberChange(kind: kind, object: member)
    notifying(owner, at: property) { $0._$visit(property, &change) }
  }

  private struct Place: Hashable {
    let owner: ObjectIdentifier
    let property: Int
  }

  private func leads(_ object: any PersistentModel, _ property: Int, to other: any PersistentModel) -> Bool {
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
    identityMap.forEachOwner { owner in
      guard owner._$state._isAttached, owner._$state.status != .deleted, let binding = binding(of: owner) else {
        return
      }
      for property in binding.toMany {
        guard let relationship = binding.properties[property].relationship, mayHold(relationship) else { continue }
        filter.isTest = true
        filter.hasFound = false
        owner._$visit(property, &filter)
        if filter.hasFound { holders.append((owner, property)) }
      }
    }
    filter.isTest = false
    for (owner, property) in holders { notifying(owner, at: property) { $0._$visit(property, &filter) } }
  }
}
