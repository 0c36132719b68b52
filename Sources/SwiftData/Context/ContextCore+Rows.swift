internal import CoreDataStore

/// Makes objects of rows, or brings registered ones up to date.
///
/// A fault is filled; a clean object is read again if the row is newer (`Z_OPT`); one with changes keeps what it has.
extension ContextCore {
  func object(
    key: Int64, entity: Int32, version: Int64, reader: consuming RowReader, plan: RowPlan, store: OpenStore
  ) -> (any PersistentModel)? {
    guard let (binding, start) = plan.start(entity) else { return nil }
    reader.skip(start)
    var row = _RowReader(reader)
    if let known = identityMap.object(binding.table, key), let object = binding.model(known) {
      refresh(object, version: version, row: &row, binding: binding)
      return object
    }
    let object = binding.makeBlank()
    object._$state.attach(
      to: self, EntityTag.make(store: store.index, entity: entity), .clean, key: key, version: version)
    object._$read(from: &row)
    identityMap.insert(object, table: binding.table, key: key)
    return object
  }

  private func refresh(
    _ object: any PersistentModel, version: Int64, row: inout _RowReader, binding: EntityBinding
  ) {
    switch object._$state.status {
    case .fault:
      object._$read(from: &row)
      object._$state.version = version
      object._$state.status = .clean
    case .clean where object._$state.version != version:
      notifyingAll(object) { $0._$read(from: &row) }
      object._$state.version = version
    case .clean, .changed, .deleted, .detached, .inserted, .orphaned: break
    }
  }

  /// Loads rows by key into their objects, faults among them. One query per 512 keys.
  @discardableResult
  func load(_ keys: [ObjectKey], of binding: EntityBinding) throws -> [any PersistentModel] {
    let store = store(binding.tag)
    guard let plan = store.rowPlan(EntityTag.entity(binding.tag)) else { return [] }
    return try store.reporting { persistent in
      var objects: [any PersistentModel] = []
      let cursor = try persistent.fetch(keys: keys, columns: plan.columns)
      while try cursor.next() {
        if let object = object(
          key: cursor.key, entity: cursor.entity, version: cursor.version, reader: cursor.reader(), plan: plan,
          store: store)
        {
          objects.append(object)
        }
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
    identityMap.forEachOwner { object in if object._$state.status == .clean { dropMembers(of: object) } }
    identityMap.sweep { object in
      switch object._$state.status {
      case .clean, .fault: true
      case .changed, .deleted, .inserted, .detached, .orphaned: false
      }
    }
    openFaults = [:]
  }
}
