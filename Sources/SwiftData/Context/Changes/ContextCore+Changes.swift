internal import ManagedModel
internal import StoreRequests

extension ContextCore {
  /// Inserts an object, all objects that it reaches through relationships, and the detached objects whose relationships lead to these.
  ///
  /// An object that the context cannot keep makes each save throw. An object whose row is deleted gets a new row.
  ///
  /// If several stores keep objects of a class, a new object goes to the store of `owner`. Without an owner it goes to the
  /// store of a destination of its relationships, else to the first store that allows saving.
  /// - Parameter store: has objects of the class, and takes the object in any case.
  func insert(
    _ object: any PersistentModel, besides owner: (any PersistentModel)? = nil, into store: OpenStore? = nil
  ) {
    exclusiveUse.check("inserting an object")
    guard !isClosed else { return }
    switch object._$state.status {
    case .detached: break
    case .deleted where object._$state.owner === self:
      expandBatches(concerning: object._$state.entity)
      comeBack([aliases.original(of: object) ?? object])
      return synchronizeAliases(all: true)
    case .orphaned:
      guard object._$state.hasRowValues else { return refuse(object) }
      bringBack(object)
    case .inserted, .fault, .clean, .changed, .deleted:
      if object._$state.owner !== self { refuse(object) }
      return
    }
    guard let own = bindingForInsertion(of: object, besides: owner, into: store) else { return refuse(object) }
    if own.relationships.isEmpty { return attach(object, own) }
    var attached: [any PersistentModel] = []
    var waiting = [object]
    while let next = waiting.popLast() {
      guard next._$state.status == .detached else { continue }
      guard let binding = next === object ? own : bindingForInsertion(of: next, besides: object) else {
        refuse(next)
        continue
      }
      attach(next, binding)
      attached.append(next)
      for property in binding.toMany { removeRepetitions(of: next, at: property, linked(next, property)) }
      waiting += takeReferrers(of: next).reversed()
      for property in binding.relationships.reversed() { waiting += linked(next, property).reversed() }
    }
    for next in attached where !aliases.isEmpty {
      for property in binding(of: next)?.relationships ?? [] { replaceAliases(of: next, at: property) }
    }
    // Records the members before their inverses are updated, so that no member is added twice.
    for next in attached {
      for property in binding(of: next)?.toMany ?? [] { noteMembers(of: next, property, linked(next, property)) }
    }
    for next in attached {
      guard let binding = binding(of: next) else { continue }
      for property in binding.relationships {
        guard let relationship = binding.properties[property].relationship else { continue }
        for member in linked(next, property) { link(next, property, relationship, to: member) }
      }
    }
    let cascaded = withCascades(of: attached).dropFirst(attached.count)
    if !cascaded.isEmpty { comeBack(Array(cascaded)) }
  }

  /// The binding of a new object in the store to which it is assigned.
  private func bindingForInsertion(
    of object: any PersistentModel, besides owner: (any PersistentModel)?, into store: OpenStore? = nil
  ) -> EntityBinding? {
    let type = type(of: object)
    if let store { return container.binding(of: type, in: store) }
    guard let first = container.binding(of: type), container.isInSeveralStores(type) else {
      return container.binding(of: type)
    }
    let neighbours = [owner].compactMap(\.self) + first.relationships.flatMap { linked(object, $0) }
    let store = neighbours.first { $0._$state.owner === self && $0._$state._isAttached }?._$state.entity
    return store.flatMap { container.binding(of: type, besides: $0) } ?? first
  }

  private func attach(_ object: any PersistentModel, _ binding: EntityBinding) {
    object._$state._take(_ModelPlace(owner: self, entity: binding.tag, status: .inserted))
    unit.inserted.append(object)
    object._$state.extras?.temporaryIdentity?.place = Int(object._$state.place)
    // The object may have been refused while another context had it.
    if !unit.refused.isEmpty { unit.refused.removeAll { $0.object === object } }
    changeStream.send(.inserted(object))
  }

  /// Makes each save throw because of an object that cannot be inserted.
  private func refuse(_ object: any PersistentModel) {
    let (code, reason) = refusal(of: object)
    let wayOut = "Each save fails until delete(_:) of this object, or rollback(), takes the insertion back"
    let error = SwiftDataError(code, "\(reason). \(wayOut). Nothing was saved.")
    log(error, "inserting an object")
    unit.refused.append(.init(object: object, isDeletion: false, error: error))
    changeStream.send(.inserted(object))
  }

  /// Takes a refused insertion back, or makes each save throw if the object is another context's.
  private func refuseDeletion(of object: any PersistentModel) {
    let count = unit.refused.count
    unit.refused.removeAll { $0.object === object && !$0.isDeletion }
    guard unit.refused.count == count, object._$state._isAttached, object._$state.owner !== self,
      !unit.refused.contains(where: { $0.object === object })
    else { return }
    let error = SwiftDataError(
      .modelValidationFailure,
      """
      \(object.persistentModelID) was deleted in a context but \(belonging(of: object)). Each save fails until rollback() takes \
      the deletion back. Nothing was saved.
      """)
    log(error, "deleting an object")
    unit.refused.append(.init(object: object, isDeletion: true, error: error))
    changeStream.send(.deleted(object))
  }

  /// The reason why an object cannot be inserted, and the remedy, as a sentence without its end.
  private func refusal(of object: any PersistentModel) -> (SwiftDataError.Kind, String) {
    let type = type(of: object)
    if object._$state.status == .orphaned {
      return (
        .modelValidationFailure,
        """
        An object of class \(type) was inserted whose row is deleted or never existed, and whose values were never read: make a \
        new object
        """
      )
    }
    if object._$state._isAttached {
      return (
        .modelValidationFailure,
        "\(object.persistentModelID) was inserted into a context but \(belonging(of: object))"
      )
    }
    if let superclass = _getSuperclass(type) as? any PersistentModel.Type, type._$entity.superclass != superclass {
      return (
        .unsupportedSchema,
        """
        An object of class \(type) was inserted, a subclass of \(superclass) that is no model itself: write @Model on \(type), \
        and give it to ModelContainer(for:)
        """
      )
    }
    if container.isWithoutStore(type) {
      return (
        .unknownSchema,
        """
        An object of class \(type) was inserted, and no store here keeps objects of it: a stage of a migration runs for each store, \
        with the objects of that store. Insert it where fetches find objects of its class, or after the migration
        """
      )
    }
    let names = container.names(missing: type)
    return (
      .unknownSchema,
      """
      An object of class \(names.missing) was inserted, which the container's schema (\(names.known)) lacks: give the class to \
      ModelContainer(for:)
      """
    )
  }

  func linked(_ object: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    var reader = LinkReader()
    object._$visit(property, &reader)
    if case .objects(let objects) = reader.content { return objects }
    return []
  }

  /// Marks an object as deleted by the next save; an unsaved object leaves the context at once.
  ///
  /// The delete rules of saved objects are applied later, by ``decideDeletions(keepingValues:)``.
  func delete(_ object: any PersistentModel) {
    exclusiveUse.check("deleting an object")
    guard !isClosed else { return }
    guard object._$state.owner === self else { return refuseDeletion(of: object) }
    expandBatches(concerning: object._$state.entity)
    if let original = aliases.original(of: object) {
      synchronizeAliases()
      delete(original)
      return synchronizeAliases()
    }
    unit.cascades.forget(object)
    markDeleted(object)
  }

  /// Deletes an object because the delete rule of another one says so.
  func deleteWithOwner(_ object: any PersistentModel, _ owner: any PersistentModel) {
    noteCascade(to: object, of: owner)
    markDeleted(object)
  }

  private func noteCascade(to member: any PersistentModel, of owner: any PersistentModel) {
    switch member._$state.status {
    case .inserted, .fault, .clean, .changed: unit.cascades.add(member, of: owner)
    case .deleted, .detached: if unit.cascades.contains(member) { unit.cascades.add(member, of: owner) }
    case .orphaned: break
    }
  }

  private func markDeleted(_ object: any PersistentModel) {
    var waiting = [object]
    while let next = waiting.popLast() {
      if mark(next) {
        let members = applyDeleteRules(to: next)
        for member in members { noteCascade(to: member, of: next) }
        waiting += members.reversed()
      }
      leave(next)
    }
  }

  /// Marks an object as deleted before its delete rules are followed, so that cycles of cascades end.
  ///
  /// - Returns: whether the object is unsaved, so that its rules apply at once.
  private func mark(_ object: any PersistentModel) -> Bool {
    fill(object)
    unit.hasLostObjects = true
    switch object._$state.status {
    case .detached, .deleted, .orphaned: return false
    case .inserted:
      changeStream.send(.deleted(object))
      unit.inserted.remove(object)
      object._$state.status = .deleted
      return true
    case .clean, .changed, .fault:
      changeStream.send(.deleted(object))
      // The delete rules of a fault need its values, and those of an outdated object the stored ones.
      if object._$state.status == .fault || object._$state.extras?.isOutdated == true { object._$state.isUnread = true }
      unit.changed.remove(object)
      object._$state.status = .deleted
      unit.deleted.append(object)
      unit.undecided.append(object)
      return false
    }
  }

  /// Removes an unsaved, deleted object from the context.
  private func leave(_ object: any PersistentModel) {
    guard object._$state.status == .deleted, object._$state.key == 0, object._$state.owner === self else { return }
    detach(object)
  }

  /// Takes an unsaved object out of the context, without the links that the context gave it.
  func detach(_ object: any PersistentModel) {
    object._$state.status = .detached
    takeBackGivenLinks(of: object)
    object._$state.clearChanges()
    object._$state.owner = nil
    object._$state.entity = 0
  }

  /// Drops all changes: removes new objects, restores deleted objects, and restores the original values of changed objects.
  func rollback() {
    exclusiveUse.check("rolling back")
    synchronizeAliases()
    // Changes that observers make meanwhile belong to the next save.
    let dropped = unit
    unit = UnitOfWork()
    for object in dropped.inserted {
      changeStream.send(.willRefresh(object))
      detach(object)
      object._$state.extras?.formerIdentifier = nil
    }
    let pending = dropped.changed.array + dropped.deleted.array
    let gone = pending.filter { $0._$state.extras?.isRowGone == true }
    let outdated = pending.filter { $0._$state.extras?.isOutdated == true }
    for object in pending { restore(object) }
    for object in gone { orphan(object) }
    reread(outdated.filter { [.clean, .fault].contains($0._$state.status) })
    refreshStaleInverses()
    synchronizeAliases(all: true)
    changeStream.send(.rolledBack)
  }

  /// Restores the original values of a changed or deleted object.
  func restore(_ object: any PersistentModel) {
    let originals = object._$state.extras?.originals ?? [:]
    let binding = binding(of: object)
    let former = binding.map { linkedRows(of: object, $0) } ?? []
    notifyingAll(object) { object in
      for property in object._$state.changedProperties {
        if let original = originals[property] {
          var restorer = StorageRestorer(original: original)
          object._$visit(property, &restorer)
        } else {
          var emptier = StorageEmptier()
          object._$visit(property, &emptier)
        }
      }
    }
    unit.changed.remove(object)
    object._$state.clearChanges()
    // Others may have given the object to an owner that did not show it because of the changes.
    if let binding { noteMoves(of: object, binding, from: former) }
    becomeClean(object)
  }
}
