internal import StoreRequests

extension ContextCore {
  /// The objects that the end of a save looks at again.
  private struct Unsettled {
    /// Objects that may lack values of their rows.
    var stale: [any PersistentModel] = []
    /// Objects whose rows new objects have written over. Each has the rows to which its new object leads.
    var aliasLinks: [(original: any PersistentModel, links: [ObjectKey?])] = []
  }

  /// Updates the live objects to the state that the stores have written.
  ///
  /// - Parameter isComplete: whether all stores have saved their changes.
  func finish(
    _ saved: [(plan: SavePlan, result: SaveResult)], isComplete: Bool, _ announcement: inout SavedChanges
  ) {
    // Every object is settled below; removing each from its list would cost a look-up.
    let batches = unit.batches
    if isComplete {
      let dropped = unit.dropped
      unit = UnitOfWork()
      unit.dropped = dropped
    }
    var unsettled = Unsettled()
    for (plan, result) in saved {
      announcement.transactions[plan.store.index] = .some(result.transaction)
      announcement.tokens[plan.store.index] = result.position as? any HistoryToken
      unsettled.stale += finishBatches(batches, of: plan, result, &announcement)
      let reusesRows = reusesRows(plan, result)
      if reusesRows { finishDeletions(plan, &announcement) }
      finishInsertions(plan, result, &unsettled, &announcement)
      finishUpdates(plan, result, &unsettled, &announcement)
      if !reusesRows { finishDeletions(plan, &announcement) }
      announcement.exclusiveOwners.formUnion(plan.exclusiveOwners.changed)
    }
    if !isComplete { for (plan, _) in saved { forgetBatches(of: plan.store.index) } }
    if uniquenessPolicy == .keepExisting {
      for (plan, result) in saved {
        for merge in result.merged { unsettled.stale += forgetLinks(of: plan.inserted[merge.insertion]) }
      }
    }
    announceAliases(saved)
    settle(unsettled, after: saved, &announcement)
  }

  /// Tells listeners of new objects that are no longer objects of their own. They may fetch, so all rows are settled before.
  private func announceAliases(_ saved: [(plan: SavePlan, result: SaveResult)]) {
    for (plan, result) in saved {
      for merge in result.merged {
        let object = plan.inserted[merge.insertion]
        if aliases.original(of: object) != nil { changeStream.send(.willRefresh(object)) }
      }
    }
  }

  // MARK: Rows

  /// Gives the new objects their rows and announces them.
  private func finishInsertions(
    _ plan: SavePlan, _ result: SaveResult, _ unsettled: inout Unsettled, _ announcement: inout SavedChanges
  ) {
    let first = announcement.inserted.count
    announcement.inserted.reserveCapacity(first + plan.inserted.count)
    for (index, object) in plan.inserted.enumerated() {
      let former = object._$state.extras?.formerIdentifier
      let identifier = settle(object, result.inserted[index].object, result.inserted[index].version)
      announcement.inserted.append(identifier)
      if former == identifier { announcement.returned.append(identifier) }
    }
    if !result.merged.isEmpty { announceMerged(plan, result, from: first, &announcement) }
    for merge in result.merged {
      let object = plan.inserted[merge.insertion]
      if let original = aliases.original(of: object) {
        unsettled.stale.append(original)
        if let binding = binding(of: object) {
          unsettled.aliasLinks.append((original, linkedRows(of: object, binding)))
        }
      } else if !hasAllValues(object, of: plan) {
        unsettled.stale.append(object)
      }
    }
  }

  /// Announces insertions that were written over stored rows as updates, since other contexts know these rows.
  ///
  /// - Parameter first: the place of the store's first insertion among the announced ones.
  private func announceMerged(
    _ plan: SavePlan, _ result: SaveResult, from first: Int, _ announcement: inout SavedChanges
  ) {
    let own = announcement.inserted[first...]
    var merged = Set(result.merged.map { own[first + $0.insertion] })
    announcement.merged += merged.sorted()
    let indexes = Set(result.merged.map(\.insertion))
    // If two new objects became one row, the row is an insertion.
    merged.subtract(own.indices.lazy.filter { !indexes.contains($0 - first) }.map { own[$0] })
    announcement.inserted.removeSubrange(first...)
    var seen: Set<PersistentIdentifier> = []
    announcement.inserted += own.filter { !merged.contains($0) && seen.insert($0).inserted }
    // A merged object that was also changed is announced with the changed objects.
    merged.subtract(plan.updated.lazy.map { self.identifier(of: $0) })
    announcement.updated += merged.sorted()
  }

  /// Gives changed objects the versions of their rows and announces them, also objects whose rows the store changed by itself.
  private func finishUpdates(
    _ plan: SavePlan, _ result: SaveResult, _ unsettled: inout Unsettled, _ announcement: inout SavedChanges
  ) {
    for (index, object) in plan.updated.enumerated() {
      let version = result.updatedVersions[index]
      // The row was written elsewhere since it was read: the object reads it again.
      if version != object._$state.version + 1 { unsettled.stale.append(object) }
      settle(object, version: version)
      announcement.updated.append(identifier(of: object))
    }
    for row in result.moved {
      let tag = EntityTag.make(store: plan.store.index, entity: row.entity)
      announcement.updated.append(identifier(of: ObjectKey(entity: tag, key: row.key)))
      if let object = registered(tag, row.key), object._$state.version > 0 { object._$state.version += 1 }
    }
    unsettled.stale += finishRelinked(plan, result, &announcement)
    for object in plan.unwritten {
      // A policy has dropped what this object would write. Its row has newer values.
      if object._$state.extras?.settledVersion != nil { unsettled.stale.append(object) }
      settle(object, version: object._$state.version)
    }
  }

  /// Whether new objects have rows of deleted ones, as a custom store may decide. The deleted objects then leave their rows first.
  private func reusesRows(_ plan: SavePlan, _ result: SaveResult) -> Bool {
    guard plan.store.descriptorEngine != nil, !plan.deleted.isEmpty else { return false }
    return !Set(result.inserted.map(\.object)).isDisjoint(with: plan.changes.deletions.map(\.object))
  }

  private func finishDeletions(_ plan: SavePlan, _ announcement: inout SavedChanges) {
    keepLinks(among: plan.deleted)
    for object in plan.deleted {
      announcement.deleted.append(identifier(of: object))
      orphan(object, obeysRules: true)
    }
  }

  /// Announces rows in which the save changed a key of a one-to-one relationship.
  ///
  /// - Returns: the registered objects of these rows.
  private func finishRelinked(
    _ plan: SavePlan, _ result: SaveResult, _ announcement: inout SavedChanges
  ) -> [any PersistentModel] {
    guard !result.relinked.isEmpty else { return [] }
    let written = Set(
      result.inserted.map(\.object) + plan.changes.updates.map(\.object) + result.moved + result.batchUpdated)
    return Set(result.relinked).sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }.compactMap { row in
      let tag = EntityTag.make(store: plan.store.index, entity: row.entity)
      if !written.contains(row) {
        announcement.updated.append(identifier(of: ObjectKey(entity: tag, key: row.key)))
      }
      return registered(tag, row.key)
    }
  }

  /// Whether a new object has all values of the row that its insertion has overwritten.
  ///
  /// The members of a to-many relationship may be more, and the store computes derived values.
  private func hasAllValues(_ object: any PersistentModel, of plan: SavePlan) -> Bool {
    guard plan.changes.duplicates == .overwrite, plan.store.engine.capabilities.contains(.overwrite),
      let binding = binding(of: object)
    else { return false }
    return binding.toMany.isEmpty && binding.derived.isEmpty
  }

  private func identifier(of object: any PersistentModel) -> PersistentIdentifier {
    identifier(of: ObjectKey(entity: object._$state.entity, key: object._$state.key))
  }

  /// Sets the row and the permanent identifier of a new object.
  private func settle(_ object: any PersistentModel, _ row: ObjectKey, _ version: Int64) -> PersistentIdentifier {
    let tag = EntityTag.make(entity: row.entity, besides: object._$state.entity)
    let identifier = identifier(of: ObjectKey(entity: tag, key: row.key))
    object._$state.settle(entity: tag, key: row.key, identifier)
    settle(object, version: version)
    guard let binding = binding(tag) else { return identifier }
    if let known = identityMap.object(binding.table, row.key), known !== object, let original = binding.model(known) {
      aliases.add(object, of: original)
    } else {
      identityMap.insert(object, table: binding.table, key: row.key)
    }
    return identifier
  }

  private func settle(_ object: any PersistentModel, version: Int64) {
    object._$state.settle(version: version)
    aliases.touch(object)
    unit.inserted.remove(object)
    unit.changed.remove(object)
    guard let binding = binding(of: object) else { return }
    var releaser = ReferenceReleaser()
    for property in binding.relationships { object._$visit(property, &releaser) }
  }

  // MARK: Reading again

  /// Reads again what the context does not know of the written rows, and brings relationships and aliases up to date.
  private func settle(
    _ unsettled: Unsettled, after saved: [(plan: SavePlan, result: SaveResult)], _ announcement: inout SavedChanges
  ) {
    reread(unsettled.stale)
    // If several new objects became one row, the owners of the last one have it.
    for (original, links) in unsettled.aliasLinks {
      if let binding = binding(of: original) { noteMoves(of: original, binding, from: links) }
    }
    refreshStaleInverses()
    reloadMembers(announcement.exclusiveOwners)
    for (plan, result) in saved { forgetDerivedValues(plan, result, &announcement) }
    guard !aliases.isEmpty else { return }
    synchronizeAliases(all: !unsettled.stale.isEmpty)
    for object in saved.flatMap({ $0.plan.inserted + $0.plan.updated }) {
      for property in binding(of: object)?.relationships ?? [] { replaceAliases(of: object, at: property) }
    }
  }
}
