internal import CoreDataStore

extension ContextCore {
  /// Loads chosen properties of rows by key into those of their objects that are not loaded. One query per 512 keys.
  func load(
    _ keys: [ObjectKey], of binding: EntityBinding, properties: [String]
  ) throws -> [any PersistentModel] {
    let store = store(binding.tag)
    let plan = PartialRowPlan(properties, of: binding)
    return try store.reporting { persistent in
      try loadPartly(plan, store, from: persistent.fetch(keys: keys, columns: plan.columns))
    }
  }

  /// The objects of rows of which some properties are read; those with values of an older row are loaded anew, whole.
  func loadPartly(_ plan: PartialRowPlan, _ store: OpenStore, from cursor: RowCursor) throws -> [any PersistentModel] {
    var objects: [any PersistentModel] = []
    var outdated: [any PersistentModel] = []
    try PartialRowMaterializer(core: self, store: store, plan: plan, cursor: cursor).forEach { object, isOutdated in
      objects.append(object)
      if isOutdated { outdated.append(object) }
    }
    reread(outdated)
    return objects
  }

  /// Loads rows by key into their objects, faults among them. One query per 512 keys.
  @discardableResult
  func load(_ keys: [ObjectKey], of binding: EntityBinding) throws -> [any PersistentModel] {
    let store = store(binding.tag)
    guard let plan = store.rowPlan(EntityTag.entity(binding.tag)) else { return [] }
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
