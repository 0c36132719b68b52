internal import Foundation
internal import ManagedModel
internal import StoreRequests

extension ContextCore {
  /// Writes all unsaved changes, one transaction per store, all or none; see ``JointSave``.
  ///
  /// Observers of its notifications may use the context on the saving thread, and other contexts on any thread.
  ///
  /// - Returns: the changes that the stores have written.
  /// - Throws: ``SwiftDataError``
  @discardableResult
  func save() throws -> SavedChanges {
    guard !isAnnouncingSave else {
      throw SwiftDataError(
        .contextIsBusy,
        """
        save() was called by an observer of ModelContext.willSave for the context that is being saved: remove the call, since \
        that save also writes what the observer changes.
        """)
    }
    let hasWork = try exclusiveUse.during("saving") {
      adoptSavedChanges()
      synchronizeAliases()
      try completeUnit()
      let decided = decidedDeletions
      scheduleCascades()
      try decideDeletions()
      try decideLaterMembers(of: decided)
      return !unit.isEmpty
    }
    guard hasWork || !unit.dropped.isEmpty else { return SavedChanges() }
    if hasWork {
      isAnnouncingSave = true
      defer { isAnnouncingSave = false }
      exclusiveUse.during("posting ModelContext.willSave") { modelContext?.post(ModelContext.willSave) }
    }
    stateNumber += 1
    var saved = SavedChanges()
    saved.author = editingState.author
    let failure = exclusiveUse.during("saving") {
      let result = Result { try write(&saved) }
      saved.dropped = unit.dropped
      unit.dropped = []
      return result
    }
    if !saved.isEmpty {
      container.activity.count(.saves)
      container.activity.count(
        .savedObjects, saved.inserted.count + Set(saved.updated).count + Set(saved.deleted).count)
      container.announce(saved, from: inbox)
      changeStream.send(.saved(saved))
      exclusiveUse.during("posting ModelContext.didSave") { modelContext?.post(ModelContext.didSave, saved) }
    }
    exclusiveUse.during("saving") { sweepIfDue() }
    try failure.get()
    return saved
  }

  /// Writes the unsaved changes.
  ///
  /// After conflicts that the policy settles, the other changes are written.
  /// A commit that fails after the commit of another store is tried once more.
  private func write(_ saved: inout SavedChanges) throws {
    var savedStores: [OpenStore] = []
    while true {
      synchronizeAliases()
      try completeUnit()
      try decideDeletions()
      try expandMixedDeletions()
      try expandBatchesOfLinkedRows()
      try expandBatchesOfRequiringRows()
      try decideDeletions()
      try reportingReadFailures {
        loadUnsavedOrders()
        try validate()
      }
      changeStream.send(.willSave)
      let plans = SavePlan.plans(for: self)
      let joint = JointSave()
      do {
        try joint.run(plans, of: container)
        for (plan, _) in joint.written { plan.store.historyRetention.applyIfDue(to: plan.store) }
        return finish(joint.written, isComplete: true, &saved)
      } catch {
        let written = Set(joint.written.map(\.plan.store.index))
        // The keys assigned by a failed save are invalid.
        for plan in plans where !written.contains(plan.store.index) { plan.revokeKeys() }
        if !written.isEmpty { finish(joint.written, isComplete: false, &saved) }
        savedStores += joint.written.map(\.plan.store)
        if (error as? SwiftDataError)?.underlyingError is BatchRefusal {
          try expandBatches()
          continue
        }
        var cause = error
        do { if let failed = joint.failed, try settleConflicts(error, in: failed) { continue } } catch { cause = error }
        if joint.canContinue, savedStores.count == joint.written.count { continue }
        let failed = joint.failed.flatMap { store in plans.first { $0.store === store } }
        throw SwiftDataError(saving: cause, in: self, failed).afterSaving(savedStores)
      }
    }
  }

  /// Updates the live objects to the state that the stores have written.
  private func finish(
    _ saved: [(plan: SavePlan, result: SaveResult)], isComplete: Bool, _ announcement: inout SavedChanges
  ) {
    // Every object is settled below; removing each from its list would cost a look-up.
    let batches = unit.batches
    if isComplete {
      let dropped = unit.dropped
      unit = UnitOfWork()
      unit.dropped = dropped
    }
    var stale: [any PersistentModel] = []
    var aliasLinks: [(original: any PersistentModel, links: [ObjectKey?])] = []
    for (plan, result) in saved {
      announcement.transactions[plan.store.index] = .some(result.transaction)
      announcement.tokens[plan.store.index] = result.position as? any HistoryToken
      stale += finishBatches(batches, of: plan, result, &announcement)
      let first = announcement.inserted.count
      announcement.inserted.reserveCapacity(first + plan.inserted.count)
      for (index, object) in plan.inserted.enumerated() {
        let former = object._$state.extras?.formerIdentifier
        let identifier = settle(object, result.inserted[index].object, result.inserted[index].version)
        announcement.inserted.append(identifier)
        if former == identifier { announcement.returned.append(identifier) }
      }
      if !result.merged.isEmpty {
        // For other contexts a merged insertion is an update of a known row.
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
      for merge in result.merged {
        let object = plan.inserted[merge.insertion]
        if let original = aliases.original(of: object) {
          stale.append(original)
          if let binding = binding(of: object) { aliasLinks.append((original, linkedRows(of: object, binding))) }
        } else if !hasAllValues(object, of: plan) {
          stale.append(object)
        }
      }
      for (index, object) in plan.updated.enumerated() {
        let version = result.updatedVersions[index]
        // The row was written elsewhere since it was read: the object reads it again.
        if version != object._$state.version + 1 { stale.append(object) }
        settle(object, version: version)
        announcement.updated.append(identifier(of: object))
      }
      for row in result.moved {
        let tag = EntityTag.make(store: plan.store.index, entity: row.entity)
        announcement.updated.append(identifier(of: ObjectKey(entity: tag, key: row.key)))
        if let object = registered(tag, row.key), object._$state.version > 0 { object._$state.version += 1 }
      }
      stale += finishRelinked(plan, result, &announcement)
      for object in plan.unwritten {
        // A policy has dropped what this object would write. Its row has newer values.
        if object._$state.extras?.settledVersion != nil { stale.append(object) }
        settle(object, version: object._$state.version)
      }
      keepLinks(among: plan.deleted)
      for object in plan.deleted {
        announcement.deleted.append(identifier(of: object))
        orphan(object, obeysRules: true)
      }
      announcement.exclusiveOwners.formUnion(plan.exclusiveOwners.changed)
    }
    if !isComplete { for (plan, _) in saved { forgetBatches(of: plan.store.index) } }
    if uniquenessPolicy == .keepExisting {
      for (plan, result) in saved {
        for merge in result.merged { stale += forgetLinks(of: plan.inserted[merge.insertion]) }
      }
    }
    reread(stale)
    // Of several new objects with one row, the last one's owners have it.
    for (original, links) in aliasLinks {
      if let binding = binding(of: original) { noteMoves(of: original, binding, from: links) }
    }
    refreshStaleInverses()
    reloadMembers(announcement.exclusiveOwners)
    for (plan, result) in saved { forgetDerivedValues(plan, result, &announcement) }
    if !aliases.isEmpty {
      synchronizeAliases(all: !stale.isEmpty)
      for object in saved.flatMap({ $0.plan.inserted + $0.plan.updated }) {
        for property in binding(of: object)?.relationships ?? [] { replaceAliases(of: object, at: property) }
      }
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

  /// Objects by their entities' tags, in the order of the tags.
  func grouped(_ objects: [any PersistentModel]) -> [(tag: Int32, objects: [any PersistentModel])] {
    Dictionary(grouping: objects) { $0._$state.entity }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Reads rows again if the context does not know all of their values.
  func reread(_ objects: [any PersistentModel]) {
    for (tag, group) in grouped(objects) {
      guard let binding = binding(tag) else { continue }
      for object in group { object._$state.version = -1 }
      let keys = group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }
      do {
        try load(keys, of: binding)
        rowsAreGone(of: group.filter { $0._$state.version == -1 && $0._$state._isAttached })
      } catch {
        noteReadFailure(error, "reading objects of \(binding.name) again")
        for object in group { forgetValues(of: object) }
      }
    }
    refreshStaleInverses()
  }
}
