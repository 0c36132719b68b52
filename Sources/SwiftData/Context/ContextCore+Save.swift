internal import CoreDataStore
internal import Foundation
internal import ManagedModel

extension ContextCore {
  /// Writes everything that is pending, a transaction per store; nothing at all changes in memory if that fails.
  ///
  /// - Throws: ``SwiftDataError``
  func save() throws {
    try exclusiveUse.during {
      adoptSavedChanges()
      synchronizeAliases()
      try completeUnit()
      try decideDeletions()
      guard !unit.isEmpty else { return }
      modelContext?.post(ModelContext.willSave)
      synchronizeAliases()
      try completeUnit()
      try decideDeletions()
      try reportingReadFailures { try validate() }
      let plans = SavePlan.plans(for: self)
      var saved: [(plan: SavePlan, result: SaveResult)] = []
      do {
        for plan in plans {
          saved.append((plan, try plan.store.reporting { try $0.save(plan.changes) }))
        }
      } catch {
        // Keys that were handed out are void; what an earlier store has committed stays.
        for plan in plans.dropFirst(saved.count) { plan.revokeKeys() }
        if !saved.isEmpty { finish(saved, isComplete: false) }
        throw SwiftDataError(saving: error, in: self)
      }
      finish(saved, isComplete: true)
    }
  }

  /// Applies what the stores have done to the live objects, and tells everybody.
  private func finish(_ saved: [(plan: SavePlan, result: SaveResult)], isComplete: Bool) {
    // Every object is settled below; taking each out of its list would cost a look-up.
    if isComplete { unit = UnitOfWork() }
    var announcement = SavedChanges()
    var stale: [any PersistentModel] = []
    for (plan, result) in saved {
      let first = announcement.inserted.count
      announcement.inserted.reserveCapacity(first + plan.inserted.count)
      for (index, object) in plan.inserted.enumerated() {
        announcement.inserted.append(settle(object, result.inserted[index].object, result.inserted[index].version))
      }
      if !result.merged.isEmpty {
        // To everybody else these are changes of rows that are known.
        let own = announcement.inserted[first...]
        var merged = Set(result.merged.map { own[first + $0.insertion] })
        let indexes = Set(result.merged.map(\.insertion))
        // Two new objects that became one row have inserted it.
        merged.subtract(own.indices.lazy.filter { !indexes.contains($0 - first) }.map { own[$0] })
        announcement.inserted.removeSubrange(first...)
        var seen: Set<PersistentIdentifier> = []
        announcement.inserted += own.filter { !merged.contains($0) && seen.insert($0).inserted }
        // Those that were changed besides are told with the changed ones.
        merged.subtract(plan.updated.lazy.map { self.identifier(of: $0) })
        announcement.updated += merged.sorted { "\($0)" < "\($1)" }
      }
      for merge in result.merged {
        let object = plan.inserted[merge.insertion]
        stale.append(aliases.original(of: object) ?? object)
      }
      for (index, object) in plan.updated.enumerated() {
        let version = result.updatedVersions[index]
        // Somebody else has written the row since it was read: what they wrote is read back.
        if version != object._$state.version + 1 { stale.append(object) }
        settle(object, version: version)
        announcement.updated.append(identifier(of: object))
      }
      for row in result.moved {
        let tag = EntityTag.make(store: plan.store.index, entity: row.entity)
        announcement.updated.append(identifier(of: ObjectKey(entity: tag, key: row.key)))
        if let object = registered(tag, row.key), object._$state.version > 0 { object._$state.version += 1 }
      }
      for object in plan.unwritten { settle(object, version: object._$state.version) }
      for object in plan.deleted {
        announcement.deleted.append(identifier(of: object))
        orphan(object)
      }
      announcement.exclusiveOwners.formUnion(plan.exclusiveOwners.changed)
    }
    reread(stale)
    reloadMembers(announcement.exclusiveOwners)
    for (plan, result) in saved { forgetDerivedValues(plan, result, &announcement) }
    if !aliases.isEmpty {
      synchronizeAliases(all: !stale.isEmpty)
      for object in saved.flatMap({ $0.plan.inserted + $0.plan.updated }) {
        for property in binding(of: object)?.relationships ?? [] { replaceAliases(of: object, at: property) }
      }
    }
    container.announce(announcement, from: inbox)
    modelContext?.post(ModelContext.didSave, announcement)
    sweepIfDue()
  }

  private func identifier(of object: any PersistentModel) -> PersistentIdentifier {
    identifier(of: ObjectKey(entity: object._$state.entity, key: object._$state.key))
  }

  /// A new object has its row now, and its identifier.
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
    unit.inserted.remove(object)
    unit.changed.remove(object)
    guard let binding = binding(of: object) else { return }
    var loosener = LinkLoosener()
    for property in binding.relationships { object._$visit(property, &loosener) }
  }

  /// Reads rows again whose values are not all known.
  func reread(_ objects: [any PersistentModel]) {
    for (tag, group) in Dictionary(grouping: objects, by: { $0._$state.entity }) {
      guard let binding = binding(tag) else { continue }
      for object in group { object._$state.version = -1 }
      let keys = group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }
      do {
        try load(keys, of: binding)
      } catch {
        noteReadFailure(error, "reading objects of \(binding.name) again")
        for object in group {
          object._$state.version = 0
          becomeFault(object, forgetting: binding.stored + binding.toMany)
        }
      }
    }
  }
}
