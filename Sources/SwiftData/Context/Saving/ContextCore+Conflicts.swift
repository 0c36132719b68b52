internal import ManagedModel
internal import StoreRequests

// How a save goes on after somebody else has changed or deleted rows that it writes.
extension ContextCore {
  /// Settles the conflicts of a failed save as the policy says. Objects whose rows are deleted leave the context.
  ///
  /// - Parameter before: keeps the changes that the policy drops.
  /// - Returns: whether to try the save again.
  /// - Throws: ``SwiftDataError`` if the rows cannot be read.
  func settleConflicts(_ error: any Error, in store: OpenStore, _ before: ChangesBeforeSettling) throws -> Bool {
    guard case .conflicts(let conflicts)? = (error as? SwiftDataError)?.underlyingError as? SaveError else {
      return false
    }
    var gone: [any PersistentModel] = []
    var changed: [(object: any PersistentModel, version: Int64)] = []
    for conflict in conflicts {
      let tag = EntityTag.make(store: store.index, entity: conflict.object.entity)
      guard let object = registered(tag, conflict.object.key) else { continue }
      if let version = conflict.actualVersion {
        changed.append((object, version))
      } else {
        gone.append(object)
      }
    }
    rowsAreGone(of: gone)
    refreshStaleInverses()
    guard conflictPolicy != .fail, !conflicts.isEmpty, gone.count + changed.count == conflicts.count else {
      return false
    }
    try settle(changed.map(\.object), in: store, before)
    for (object, version) in changed where object._$state.status == .changed {
      object._$state.needExtras().settledVersion = version
    }
    return true
  }

  /// Changes objects whose rows somebody else has changed, so that the next attempt writes what the policy says.
  ///
  /// The save reads the rows again afterwards. It records no undo action.
  private func settle(
    _ objects: [any PersistentModel], in store: OpenStore, _ before: ChangesBeforeSettling
  ) throws {
    for object in objects { if let binding = binding(of: object) { before.keepConflicting(object, binding) } }
    // Inverses follow the dropped changes, so that other objects change, too.
    let listener = changeStream.addListener { change in
      guard case .willChange(let object, _) = change, let binding = self.binding(of: object) else { return }
      before.keep(object, binding)
    }
    defer { changeStream.removeListener(listener) }
    try withoutUndo {
      switch conflictPolicy {
      case .mergeByProperty:
        let changed = objects.filter { $0._$state.status == .changed }
        adoptValues(of: changed)
        try repeatUpdates(of: changed)
      case .fail: break
      // The save writes all values of an object in conflict.
      case .overwrite:
        try releaseMissingDestinations(of: objects, in: store)
        try replaceStoredDestinations(of: objects)
      case .keepStored: try dropChanges(of: objects, in: store) { try !isUnchanged($0, since: $1, at: $2) }
      case .rollback: try dropChanges(of: objects, in: store) { _, _, _ in true }
      }
      // A custom store gets all values of an object whose relationships to many keep a change, so none may be outdated.
      if [.keepStored, .rollback].contains(conflictPolicy) {
        adoptValues(of: objects.filter { $0._$state.status == .changed })
      }
      reread(objects.filter { [.clean, .fault].contains($0._$state.status) })
    }
  }

  /// Sets optional to-one relationships to `nil` whose destinations somebody else has deleted, so that no row leads to a missing row.
  ///
  /// The context may not know these destinations. Cost: a query for each relationship that has one.
  private func releaseMissingDestinations(of objects: [any PersistentModel], in store: OpenStore) throws {
    for object in objects where object._$state.status == .changed {
      guard let binding = binding(of: object) else { continue }
      for property in binding.relationships
      where binding.properties[property].hasColumns
        && binding.properties[property].relationship?.description.isOptional == true
      {
        guard let row = destinationRow(of: object, at: property, in: store),
          try !store.reporting({ try $0.hasRow(row) })
        else { continue }
        setDestination(of: object, at: property, to: nil)
      }
    }
  }

  /// Marks destinations as changed where the rows have others. The owners that the rows name then lose the objects.
  ///
  /// Cost: a query for each class.
  private func replaceStoredDestinations(of objects: [any PersistentModel]) throws {
    try withStoredRows(of: objects.filter { $0._$state.status == .changed }) { object, row in
      guard let binding = binding(of: object), !binding.invertibleToOne.isEmpty else { return }
      fill(object)
      let stored = linkedRows(of: row, binding)
      for (index, own) in linkedRows(of: object, binding).enumerated() where own != stored[index] {
        var keeper = StorageKeeper()
        object._$visit(binding.invertibleToOne[index], &keeper)
        markChanged(object, at: binding.invertibleToOne[index], original: keeper.storage)
      }
      noteMoves(of: object, binding, from: stored)
    }
  }

  /// The row that a to-one relationship leads to, there or not; `nil` for none, for a new object, and for one of another store.
  private func destinationRow(of object: any PersistentModel, at property: Int, in store: OpenStore) -> ObjectKey? {
    fill(object)
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .unknown: return nil
    case .key(let key): return key
    case .objects(let objects):
      guard let destination = objects.first, destination._$state.key != 0,
        EntityTag.store(destination._$state.entity) == store.index
      else { return nil }
      return ObjectKey(entity: EntityTag.entity(destination._$state.entity), key: destination._$state.key)
    }
  }

  /// Drops changes of objects. Inverses follow, as after a client's assignment.
  ///
  /// A relationship gets its stored destination: the one before the change may have another partner by now. Relationships to many have no
  /// columns, and keep their changes. A stored destination that this save deletes, or that has no row, does not come back: an optional
  /// relationship becomes `nil`, and a required one keeps its change. Cost: a query for each class, and for each dropped destination.
  /// - Parameter isDropped: whether to drop the change of a property, for a stored row and its object.
  private func dropChanges(
    of objects: [any PersistentModel], in store: OpenStore,
    where isDropped: (_ row: any PersistentModel, _ object: any PersistentModel, _ property: Int) throws -> Bool
  ) throws {
    var drops: [(object: any PersistentModel, property: Int, destination: LinkContent)] = []
    try withStoredRows(of: objects) { object, row in
      guard let binding = binding(of: object) else { return }
      for property in object._$state.changedProperties where binding.properties[property].hasColumns {
        guard try isDropped(row, object, property) else { continue }
        var stored = LinkReader()
        row._$visit(property, &stored)
        drops.append((object, property, stored.content))
      }
    }
    for drop in drops {
      if case .key(let key) = drop.destination, try isLost(key, besides: drop.object, in: store) {
        let relationship = binding(of: drop.object)?.properties[drop.property].relationship
        // It stays a change, which the save writes.
        if relationship?.description.isOptional == true { assign(nil, to: drop.object, at: drop.property) }
      } else {
        dropChange(of: drop.object, at: drop.property, drop.destination)
      }
    }
  }

  /// Whether a row will be missing after this save.
  private func isLost(_ row: ObjectKey, besides object: any PersistentModel, in store: OpenStore) throws -> Bool {
    let known = registered(EntityTag.make(entity: row.entity, besides: object._$state.entity), row.key)
    if known?._$state.status == .deleted { return true }
    return try !store.reporting { try $0.hasRow(row) }
  }

  /// Reads the rows of objects as objects of another context. Cost: a query for each class.
  ///
  /// A row that is deleted meanwhile is left out: it is a conflict of the next attempt.
  func withStoredRows(
    of objects: [any PersistentModel],
    _ body: (_ object: any PersistentModel, _ row: any PersistentModel) throws -> Void
  ) throws {
    guard !objects.isEmpty else { return }
    let reader = ContextCore(container)
    defer { reader.close() }
    for (tag, group) in grouped(objects) {
      guard let binding = binding(tag) else { continue }
      let keys = group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }
      let rows = Dictionary(
        try reader.load(keys, of: binding).map { ($0._$state.key, $0) }, uniquingKeysWith: { first, _ in first })
      for object in group { if let row = rows[object._$state.key] { try body(object, row) } }
    }
  }

  private func dropChange(of object: any PersistentModel, at property: Int, _ stored: LinkContent) {
    guard let original = object._$state.extras?.originals[property], let binding = binding(of: object) else { return }
    if binding.properties[property].relationship == nil {
      put(original, in: object, at: property)
    } else {
      let destination: (any PersistentModel)? =
        switch stored {
        case .key(let key): self.object(for: key, of: object, at: property)
        case .objects: nil
        case .unknown:
          withOriginal(original, of: object, at: property) { self.destination(of: object, at: property) }
        }
      assign(destination, to: object, at: property)
    }
    becomeUnchanged(object, at: property)
  }

  /// Whether a row still has the value that a changed object had when it was read.
  private func isUnchanged(
    _ row: any PersistentModel, since object: any PersistentModel, at property: Int
  ) throws -> Bool {
    guard let original = object._$state.extras?.originals[property] else { return true }
    var comparison = ValueComparison(other: original)
    row._$visit(property, &comparison)
    // Equal values of some types have several coded forms, and values of other types cannot be compared.
    if comparison.isEqual { return true }
    let before = try withOriginal(original, of: object, at: property) { try storedValues(of: object, at: property) }
    return try before == storedValues(of: row, at: property)
  }

  /// Runs a closure while a property has the storage that it had before its changes; sends no notification.
  private func withOriginal<Result>(
    _ original: any _PropertyStorage, of object: any PersistentModel, at property: Int, _ body: () throws -> Result
  ) rethrows -> Result {
    var keeper = StorageKeeper()
    object._$visit(property, &keeper)
    defer {
      if let changed = keeper.storage {
        var putter = StoragePutter(storage: changed)
        object._$visit(property, &putter)
      }
    }
    var restorer = StorageRestorer(original: original)
    object._$visit(property, &restorer)
    return try body()
  }
}
