internal import CoreDataStore

extension ContextCore {
  /// Lets objects read their rows again when they are next used, if the store has changed values in them of its own accord:
  /// derived attributes of the rows that were saved, and what triggers did to those and to others.
  func forgetDerivedValues(_ plan: SavePlan, _ result: SaveResult, _ announcement: inout SavedChanges) {
    for object in plan.inserted + plan.updated where binding(of: object)?.derived.isEmpty == false {
      becomeFault(object)
    }
    guard !result.affected.isEmpty else { return }
    let written = Set(result.inserted.map(\.object) + plan.changes.updates.map(\.object))
    for row in result.affected {
      let tag = EntityTag.make(store: plan.store.index, entity: row.entity)
      if let object = registered(tag, row.key) { becomeFault(object) }
      if !written.contains(row) {
        announcement.refreshed.append(identifier(of: ObjectKey(entity: tag, key: row.key)))
      }
    }
  }

  /// As ``becomeFault(_:forgetting:)``, for what triggers may have changed.
  ///
  /// Triggers that a program made itself change other attributes than derived ones: where a class has none, any may be meant.
  private func becomeFault(_ object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    let forgotten =
      binding.derived.isEmpty ? binding.stored.filter { binding.properties[$0].relationship == nil } : binding.derived
    becomeFault(object, forgetting: forgotten)
  }
}
