internal import StoreRequests

extension ContextCore {
  /// Turns objects into faults if the store itself changed values of their rows.
  ///
  /// These are the derived attributes of saved rows, and values that triggers changed in saved rows and other rows.
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

  /// Turns an object into a fault without the values that triggers may have changed.
  ///
  /// A program's own triggers change attributes that are not derived. So in a class without derived attributes, all
  /// attributes are dropped.
  private func becomeFault(_ object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    let forgotten =
      binding.derived.isEmpty ? binding.stored.filter { binding.properties[$0].relationship == nil } : binding.derived
    becomeFault(object, forgetting: forgotten)
  }
}
