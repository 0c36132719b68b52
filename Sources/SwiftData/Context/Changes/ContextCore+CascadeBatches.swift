internal import StoreRequests

extension ContextCore {
  /// Leaves the cascades of deleted objects to the save's SQL, if no other object in memory is concerned.
  ///
  /// So the save loads no object only to delete it. The save calls this before it applies delete rules.
  func scheduleCascades() {
    let objects = unit.undecided.array
    guard !objects.isEmpty, unit.batches.isEmpty, conflictPolicy != .fail, aliases.isEmpty, !changeStream.needsObjects,
      objects.allSatisfy(isDeletedUnchanged)
    else { return }
    var scope = BatchScope()
    var keys: [Int32: [ObjectKey]] = [:]
    for object in objects {
      guard let row = object._$state.rowKey else { return }
      keys[object._$state.entity, default: []].append(row)
    }
    var changes: [(store: Int, change: BatchChange)] = []
    for (tag, rows) in keys.sorted(by: { $0.key < $1.key }) {
      let store = store(tag)
      // Rows that require the objects may be deleted with them; only a save by objects knows.
      guard store.engine.capabilities.contains([.batch, .filter]), requirements(of: tag).isEmpty,
        scope.addDeletions([tag], in: store),
        let binding = binding(tag)
      else { return }
      let selection = BatchSelection(
        entityName: binding.name, includesSubentities: false, predicate: .objectMembership(FetchPath(), rows))
      changes.append((store.index, .delete(selection)))
    }
    guard scope.hasCascade, !isInMemory(scope, besides: objects) else { return }
    unit.undecided = ObjectList()
    unit.batches = changes.map { store, change in
      let owners = objects.filter { isIn(store, $0) }
      return PendingBatch(changes: [store: .batch(change)], scope: scope, objects: owners) { core, _ in
        for owner in owners where owner._$state.status == .deleted { core.unit.undecided.append(owner) }
        try core.decideDeletions()
      }
    }
  }

  /// Whether an object is deleted as its row was read: a changed relationship would decide about other objects.
  private func isDeletedUnchanged(_ object: any PersistentModel) -> Bool {
    object._$state.status == .deleted && object._$state.changedMask == 0
      && object._$state.extras?.links.isEmpty != false && object._$state.extras?.isRowGone != true
  }

  /// Whether objects other than the given, deleted objects are in memory and may be concerned by their deletion.
  private func isInMemory(_ scope: BatchScope, besides deleted: [any PersistentModel]) -> Bool {
    guard unit.inserted.isEmpty || !unit.inserted.contains(where: { scope.concerns($0._$state.entity) }),
      !unit.changed.contains(where: { scope.concerns($0._$state.entity) })
    else { return true }
    let known = Set(deleted.map { ObjectIdentifier($0) })
    guard !unit.deleted.contains(where: { scope.concerns($0._$state.entity) && !known.contains(ObjectIdentifier($0)) })
    else { return true }
    let tables = Set(scope.written.compactMap { binding($0)?.table })
    func othersCount() -> Int { tables.reduce(0) { $0 + identityMap.table($1).count } - deleted.count }
    // A sweep visits every registered object. It must not cost more than loading the objects of a small cascade.
    if othersCount() > 0, identityMap.count <= 4096 + 4 * deleted.count { sweep() }
    return othersCount() > 0
  }
}

private func isIn(_ store: Int, _ object: any PersistentModel) -> Bool {
  EntityTag.store(object._$state.entity) == store
}
