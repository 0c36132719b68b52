internal import Foundation
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

  /// Writes the unsaved changes. If it throws, objects with rows keep their changes, including changes that a conflict policy had dropped.
  private func write(_ saved: inout SavedChanges) throws {
    let before = ChangesBeforeSettling()
    do { try write(&saved, before) } catch {
      bringBack(before)
      // The next save finds the conflicts again, perhaps under another policy.
      for object in unit.changed.array { object._$state.extras?.settledVersion = nil }
      throw error
    }
  }

  /// Writes the unsaved changes.
  ///
  /// After conflicts that the policy settles, the other changes are written.
  /// A commit that fails after the commit of another store is tried once more.
  private func write(_ saved: inout SavedChanges, _ before: ChangesBeforeSettling) throws {
    // Others may have saved since an earlier attempt settled its conflicts.
    if conflictPolicy == .mergeByProperty {
      for object in unit.changed.array { object._$state.extras?.settledVersion = nil }
    }
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
        if !written.isEmpty {
          finish(joint.written, isComplete: false, &saved)
          before.forget { written.contains(EntityTag.store($0._$state.entity)) }
        }
        savedStores += joint.written.map(\.plan.store)
        if (error as? SwiftDataError)?.underlyingError is BatchRefusal {
          // The batch changes apply to the objects as the program sees them.
          bringBack(before)
          try expandBatches()
          continue
        }
        var cause = error
        do { if let failed = joint.failed, try settleConflicts(error, in: failed, before) { continue } } catch {
          cause = error
        }
        if joint.canContinue, savedStores.count == joint.written.count { continue }
        let failed = joint.failed.flatMap { store in plans.first { $0.store === store } }
        // A program catches its own store's errors. If other stores are saved, it has to know that first.
        if let store = joint.failed, store.isOfClient(cause), savedStores.isEmpty { throw cause }
        throw SwiftDataError(saving: cause, in: self, failed).afterSaving(savedStores)
      }
    }
  }
}
