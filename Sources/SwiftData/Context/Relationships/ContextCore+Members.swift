internal import StoreRequests

/// Loads the members of to-many relationships, and applies unsaved changes to them.
extension ContextCore {
  /// The members of a to-many relationship in order, with pending additions and removals; `nil` if they cannot be read.
  func members(of owner: any PersistentModel, at property: Int) -> [any PersistentModel]? {
    loading("loading a to-many relationship") { loadedMembers(of: owner, at: property) }
  }

  private func loadedMembers(of owner: any PersistentModel, at property: Int) -> [any PersistentModel]? {
    if let original = aliases.original(of: owner) { return targets(of: original, at: property) }
    fill(owner)
    guard let binding = binding(of: owner), let relationship = binding.properties[property].relationship else {
      return []
    }
    guard owner._$state.key != 0 else {
      return owner._$state.extras?.links[property]?.applied(to: []) ?? []
    }
    let owners = companions(of: owner, binding, with: property) { companion in
      guard [.clean, .changed].contains(companion._$state.status) else { return false }
      var reader = LinkReader()
      companion._$visit(property, &reader)
      if case .unknown = reader.content { return true }
      return false
    }
    do {
      return try loadMembers(of: owners, first: owner, at: property, relationship, binding)
    } catch {
      noteReadFailure(error, "loading \(binding.name).\(binding.properties[property].name)")
      return nil
    }
  }

  /// Loads a to-many relationship of several objects with one query; returns the members of the first object.
  ///
  /// - Parameter keepingValues: whether members that were read before keep their values, though their rows may be newer.
  @discardableResult
  func loadMembers(
    of owners: [any PersistentModel], first: (any PersistentModel)?, at property: Int,
    _ relationship: RelationshipBinding, _ binding: EntityBinding, keepingValues: Bool = false
  ) throws -> [any PersistentModel] {
    expandBatches(concerning: relationship.destination)
    let store = store(binding.tag)
    guard let plan = store.rowPlan(EntityTag.entity(relationship.destination)) else { return [] }
    var related = RelatedObjects()
    try store.reporting { engine in
      let keys = owners.map { ObjectKey(entity: EntityTag.entity($0._$state.entity), key: $0._$state.key) }
      let rows = try engine.related(
        to: (binding.name, binding.properties[property].name), owners: keys, columns: plan.columns)
      try RowMaterializer(rows, plan, store, self, keepsValues: keepingValues).forEach { object, _, key in
        related.append(object, key, of: rows.owner)
      }
    }
    related.close()
    let destination = self.binding(relationship.destination)
    if let destination {
      var keys = related.keys(of: owners.map { $0._$state.key })
      if relationship.isInverseToMany {
        // An object may be a member of several owners.
        var seen: Set<Int64> = []
        keys.removeAll { !seen.insert($0).inserted }
      }
      remember(keys, of: destination)
    }
    var result: [any PersistentModel] = []
    let kept = keptMembers(relationship)
    func model(_ object: AnyObject) -> (any PersistentModel)? {
      destination?.model(object) ?? object as? any PersistentModel
    }
    for owner in owners {
      forgetFailedRead(ofMembersOf: owner, at: property)
      let stored = related.objects(of: owner._$state.key)
      if unit.isEmpty, owner !== first {
        var loader = StoredMemberLoader(members: stored)
        owner._$visit(property, &loader)
        continue
      }
      let members = withUnsavedLinks(
        of: owner, at: property, relationship, to: stored.compactMap(model),
        kept: kept[ObjectIdentifier(owner)] ?? [])
      if let first, owner === first {
        result = members
      } else {
        var loader = MemberLoader(members: members)
        owner._$visit(property, &loader)
      }
    }
    return result
  }

  /// The members in the store, with the unsaved changes of the owner and of the members.
  ///
  /// - Parameter kept: members that an unsaved change leads to the owner, although others may have moved them.
  private func withUnsavedLinks(
    of owner: any PersistentModel, at property: Int, _ relationship: RelationshipBinding,
    to stored: [any PersistentModel], kept: [any PersistentModel]
  ) -> [any PersistentModel] {
    guard !unit.isEmpty else { return stored }
    // A deleted object keeps the members that its delete rules have released.
    let known = owner._$state.status == .deleted ? Set(linked(owner, property).map { ObjectIdentifier($0) }) : []
    var members = stored.filter { known.contains(ObjectIdentifier($0)) || stillLeads($0, to: owner, relationship) }
    if !kept.isEmpty {
      let present = Set(members.map { ObjectIdentifier($0) })
      members += kept.filter { !present.contains(ObjectIdentifier($0)) }
    }
    guard var links = owner._$state.extras?.links[property] else { return members }
    if let inverse = relationship.inverse, !relationship.isInverseToMany {
      links.keepAdded { known.contains(ObjectIdentifier($0)) || destination(of: $0, at: inverse) === owner }
    }
    return links.applied(to: members)
  }

  /// The objects that an unsaved change leads to an owner, although others may have saved another owner, by their owner.
  ///
  /// Also the changed objects whose rows others have deleted, as long as they stay.
  private func keptMembers(_ relationship: RelationshipBinding) -> [ObjectIdentifier: [any PersistentModel]] {
    let objects = relationship.isInverseToMany ? unit.rowless : unit.outdated
    guard !objects.isEmpty, let inverse = relationship.inverse else { return [:] }
    let kinds = store(relationship.destination).kinds(of: relationship.destination)
    var kept: [ObjectIdentifier: [any PersistentModel]] = [:]
    for object in objects where object._$state.status == .changed && kinds.contains(object._$state.entity) {
      if relationship.isInverseToMany {
        for owner in linked(object, inverse) { kept[ObjectIdentifier(owner), default: []].append(object) }
      } else if object._$state.isChanged(inverse), let owner = destination(of: object, at: inverse) {
        kept[ObjectIdentifier(owner), default: []].append(object)
      }
    }
    return kept
  }

  /// Loads the list of a relationship that is not loaded. Cost: none for a loaded list, however long.
  func loadList(of object: any PersistentModel, at property: Int) {
    var keeper = StorageKeeper()
    object._$visit(property, &keeper)
    if keeper.storage?._isPending == true { _ = targets(of: object, at: property) }
  }

  /// The destinations of a relationship, loaded if necessary; none if they cannot be read.
  func targets(of object: any PersistentModel, at property: Int) -> [any PersistentModel] {
    guard let relationship = binding(of: object)?.properties[property].relationship else { return [] }
    guard relationship.isToMany else { return destination(of: object, at: property).map { [$0] } ?? [] }
    var reader = LinkReader()
    object._$visit(property, &reader)
    if case .objects(let members) = reader.content { return members }
    guard let members = members(of: object, at: property) else { return [] }
    var loader = MemberLoader(members: members)
    object._$visit(property, &loader)
    return members
  }
}
