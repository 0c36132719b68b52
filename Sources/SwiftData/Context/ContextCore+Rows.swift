internal import CoreDataStore

extension ContextCore {
  /// Loads rows by key into their objects, faults among them. One query per 512 keys.
  ///
  /// - Parameter properties: the persistent names of the properties that are needed; all of them if `nil`.
  @discardableResult
  func load(
    _ keys: [ObjectKey], of binding: EntityBinding, properties: [String]? = nil
  ) throws -> [any PersistentModel] {
    let store = store(binding.tag)
    guard let plan = store.rowPlan(binding, properties: properties) else { return [] }
    return try store.reporting { persistent in
      var objects: [any PersistentModel] = []
      let cursor = try persistent.fetch(keys: keys, columns: plan.columns)
      try RowMaterializer(cursor, plan, store, self).forEach { object, binding in
        if let object = binding.model(object) { objects.append(object) }
      }
      return objects
    }
  }

  /// The object's row is gone: it leaves the context, its last values stay readable.
  func orphan(_ object: any PersistentModel) {
    if let binding = binding(of: object), object._$state.key != 0 {
      identityMap.remove(table: binding.table, key: object._$state.key)
    }
    unit.changed.remove(object)
    unit.deleted.remove(object)
    unit.hasLostObjects = true
    object._$state.clearChanges()
    object._$state.isUnread = false
    object._$state.status = .orphaned
  }

  /// Drops the loaded members of an object's to-many relationships; they are loaded again when needed.
  func dropMembers(of object: any PersistentModel) {
    guard let binding = binding(of: object), !binding.toMany.isEmpty else { return }
    var emptier = StorageEmptier()
    for property in binding.toMany { object._$visit(property, &emptier) }
  }

  /// Drops what an unsaved object leads to.
  func dropLinks(of object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    var emptier = StorageEmptier()
    for property in binding.relationships { object._$visit(property, &emptier) }
    object._$state.extras?.links.removeAll()
  }

  /// Lets go of clean objects that nobody else holds, if their number has doubled since the last time.
  func sweepIfDue() {
    guard identityMap.isDueForSweep else { return }
    func mayGo(_ object: any PersistentModel) -> Bool {
      switch object._$state.status {
      case .clean, .fault: true
      case .changed, .deleted, .inserted, .detached, .orphaned: false
      }
    }
    identityMap.forEachOwner { object in if mayGo(object) { dropMembers(of: object) } }
    identityMap.sweep(where: mayGo)
    openFaults = [:]
  }
}
