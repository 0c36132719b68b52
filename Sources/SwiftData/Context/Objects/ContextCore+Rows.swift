internal import StoreRequests

extension ContextCore {
  /// Loads rows by key into their objects and faults; one query.
  ///
  /// - Parameters:
  ///   - properties: the stored names of the needed properties; all of them if `nil`.
  ///   - mayBeUnchanged: whether objects that are read again are told of values that differ only.
  @discardableResult
  func load(
    _ keys: [ObjectKey], of binding: EntityBinding, properties: [String]? = nil, mayBeUnchanged: Bool = false
  ) throws -> [any PersistentModel] {
    let store = store(binding.tag)
    guard let plan = store.rowPlan(binding, properties: properties) else { return [] }
    return try store.reporting { engine in
      var objects: [any PersistentModel] = []
      let rows = try engine.fetch(keys: keys, columns: plan.columns)
      try RowMaterializer(rows, plan, store, self, comparesValues: mayBeUnchanged).forEach { object, binding, _ in
        if let object = binding.model(object) { objects.append(object) }
      }
      return objects
    }
  }

  /// Objects by their entities' tags, in the order of the tags.
  func grouped(_ objects: [any PersistentModel]) -> [(tag: Int32, objects: [any PersistentModel])] {
    Dictionary(grouping: objects) { $0._$state.entity }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Reads rows again if the context does not know all of their values.
  ///
  /// - Parameter mayBeUnchanged: whether most rows may have the known values, so that nobody is to hear of these objects.
  func reread(_ objects: [any PersistentModel], mayBeUnchanged: Bool = false) {
    for (tag, group) in grouped(objects) {
      guard let binding = binding(tag) else { continue }
      for object in group { object._$state.version = -1 }
      let keys = group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }
      do {
        try load(keys, of: binding, mayBeUnchanged: mayBeUnchanged)
        rowsAreGone(of: group.filter { $0._$state.version == -1 && $0._$state._isAttached })
      } catch {
        noteReadFailure(error, "reading objects of \(binding.name) again")
        for object in group { forgetValues(of: object) }
      }
    }
    refreshStaleInverses()
  }

  /// Removes an object from the context after its row is deleted; its last values stay readable.
  ///
  /// The caller then refreshes the relationships that had it, with ``refreshStaleInverses()``.
  /// - Parameter obeysRules: whether the object's delete rules have been applied.
  func orphan(_ object: any PersistentModel, obeysRules: Bool = false) {
    changeStream.send(.willRefresh(object))
    noteLoss(of: object, obeysRules: obeysRules)
    aliases.touch(object)
    if let binding = binding(of: object), object._$state.key != 0 {
      identityMap.remove(table: binding.table, key: object._$state.key)
    }
    unit.changed.remove(object)
    unit.deleted.remove(object)
    unit.hasLostObjects = true
    object._$state.clearChanges()
    // It gets no version, because its values differ from those of the row.
    if object._$state.isUnread { object._$state.version = 0 }
    object._$state.isUnread = false
    object._$state.status = .orphaned
  }

  /// Drops the loaded members of an object's to-many relationships; they are loaded again when needed.
  func dropMembers(of object: any PersistentModel) {
    guard let binding = binding(of: object), !binding.toMany.isEmpty else { return }
    var emptier = StorageEmptier()
    for property in binding.toMany { object._$visit(property, &emptier) }
  }

  /// Releases clean objects that only the context holds, if the number of objects has doubled since the last sweep.
  func sweepIfDue() {
    if identityMap.isDueForSweep { sweep() }
  }

  /// Releases clean objects that only the context holds.
  func sweep() {
    func mayGo(_ object: any PersistentModel) -> Bool {
      switch object._$state.status {
      case .clean, .fault: true
      case .changed, .deleted, .inserted, .detached, .orphaned: false
      }
    }
    var sweeper = StorageSweeper()
    identityMap.forEachOwner { object in
      guard mayGo(object), let binding = binding(of: object) else { return }
      for property in binding.toMany { object._$visit(property, &sweeper) }
    }
    identityMap.sweep(where: mayGo)
    openFaults = OpenFaults()
  }
}
