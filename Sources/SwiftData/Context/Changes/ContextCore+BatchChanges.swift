internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Schedules the deletion of the objects of a class that a predicate selects, or deletes them at once in memory.
  func delete<Model: PersistentModel>(
    _ type: Model.Type, where predicate: Predicate<Model>?, includeSubclasses: Bool
  ) throws {
    let descriptor = FetchDescriptor<Model>(predicate: predicate)
    let request = DescriptorDeletion(
      predicate: predicate, includeSubclasses: includeSubclasses, editingState: editingState)
    try schedule(descriptor, includeSubclasses: includeSubclasses, handingOver: request) { selection, binding, scope in
      let store = store(binding.tag)
      let kinds = store.kinds(of: binding.tag)
      // A row of an entity without a class is an object of the superclass, which SQL would not count as one.
      guard includeSubclasses || kinds.allSatisfy({ store.binding(EntityTag.entity($0))?.tag == $0 }) else {
        return nil
      }
      return scope.addDeletions(includeSubclasses ? kinds : [binding.tag], in: store) ? .delete(selection) : nil
    } apply: { core, isWanted in
      for object in try core.select(descriptor, keepingValues: true)
      where isWanted(object) && (includeSubclasses || Swift.type(of: object) == Model.self) { core.delete(object) }
    }
  }

  /// Leaves a change by a predicate to the next save if no unsaved change is concerned; otherwise changes the objects at once.
  ///
  /// Registered objects without changes follow when the save is done, see ``finishBatches(_:of:_:_:)``.
  ///
  /// - Parameters:
  ///   - deletion: the same change for a custom store that deletes by a predicate.
  ///   - change: returns the change for the engine and adds to its scope; `nil` if the engine cannot make it.
  ///   - apply: makes the change by objects.
  func schedule<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, includeSubclasses: Bool, handingOver deletion: (any DeletionRequest)? = nil,
    _ change: (BatchSelection, EntityBinding, inout BatchScope) throws -> BatchChange?,
    apply: @escaping PendingBatch.Apply
  ) throws {
    synchronizeAliases()
    try decideDeletions(keepingValues: true)
    var batch = PendingBatch(changes: [:], scope: BatchScope(), apply: apply)
    var scope = BatchScope()
    let bindings = try container.existingBindings(of: Model.self)
    guard !bindings.isEmpty else { return }
    for binding in bindings {
      let store = store(binding.tag)
      if bindings.count == 1, let deletion, !changeStream.needsObjects,
        handsOverDeletions(of: binding, includeSubclasses: includeSubclasses, &scope)
      {
        batch.changes[store.index] = .deletion(deletion)
        continue
      }
      guard store.engine.capabilities.contains([.batch, .filter]), !changeStream.needsObjects,
        let selection = try selection(descriptor, binding, includeSubclasses: includeSubclasses, &scope),
        let change = try change(selection, binding, &scope)
      else { return try changeObjects(apply) }
      batch.changes[store.index] = .batch(change)
    }
    guard !hasChanges(concerning: scope) else { return try changeObjects(apply) }
    batch = PendingBatch(changes: batch.changes, scope: scope, apply: apply)
    unit.batches.append(batch)
    changeStream.noteBatch()
  }

  /// Whether a custom store is to delete objects of a class by a predicate; then adds the classes to the scope.
  ///
  /// A store applies no delete rules: objects with relationships are deleted one by one.
  private func handsOverDeletions(
    of binding: EntityBinding, includeSubclasses: Bool, _ scope: inout BatchScope
  ) -> Bool {
    let store = store(binding.tag)
    guard store.descriptorEngine?.deletesByPredicate == true else { return false }
    let kinds = includeSubclasses ? store.kinds(of: binding.tag) : [binding.tag]
    guard kinds.allSatisfy({ store.binding(EntityTag.entity($0))?.relationships.isEmpty == true }) else { return false }
    return scope.addDeletions(kinds, in: store)
  }

  /// Makes deletions that custom stores are to make by objects instead, if the save has any other change.
  ///
  /// A custom store makes them with requests of their own, but a save is all or nothing.
  func expandMixedDeletions() throws {
    guard unit.batches.contains(where: \.isHandedOver) else { return }
    let isAlone = unit.batches.count == 1 && unit.inserted.isEmpty && unit.changed.isEmpty && unit.deleted.isEmpty
    if !isAlone { try expandBatches() }
  }

  private func changeObjects(_ apply: PendingBatch.Apply) throws {
    try expandBatches()
    try apply(self) { _ in true }
    try decideDeletions(keepingValues: true)
  }

  /// The rows that a descriptor selects, for the engine; `nil` if the engine has no form of the whole predicate.
  ///
  /// An engine that decides about a part of the rows only refuses the change if there is another row.
  private func selection<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ binding: EntityBinding, includeSubclasses: Bool, _ scope: inout BatchScope
  ) throws -> BatchSelection? {
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    // A fetch skips rows with key 0; see `reportKeyZero(_:)`.
    let keyZero = ObjectKey(entity: EntityTag.entity(binding.tag), key: 0)
    guard plan.hasWholeCondition, try !store.reporting({ try $0.hasRow(keyZero) }),
      scope.addReads([plan.request.predicate].compactMap(\.self), from: binding.tag, self)
    else { return nil }
    return BatchSelection(
      entityName: plan.request.entityName, includesSubentities: includeSubclasses, predicate: plan.request.predicate)
  }

  /// Whether unsaved changes decide what a batch change selects, or would be lost by it.
  private func hasChanges(concerning scope: BatchScope) -> Bool {
    unit.all.contains { scope.concerns($0._$state.entity) }
  }

  /// Makes the scheduled changes by objects.
  ///
  /// - Throws: the store's error if the objects cannot be read; the remaining changes stay scheduled.
  func expandBatches() throws {
    let batches = unit.batches
    unit.batches = []
    for (index, batch) in batches.enumerated() {
      do {
        try batch.changeObjects(self)
      } catch {
        unit.batches = Array(batches[index...])
        throw error
      }
    }
  }

  /// Makes the scheduled changes by objects if one of them concerns an entity that the context is about to use.
  func expandBatches(concerning tag: Int32) {
    guard !unit.batches.isEmpty, unit.batches.contains(where: { $0.scope.concerns(tag) }) else { return }
    do {
      try expandBatches()
    } catch {
      noteReadFailure(error, "loading the objects of a change by a predicate")
    }
  }

  /// Makes the scheduled changes by objects, for a program that asks for the changed objects.
  func showBatches() {
    guard !unit.batches.isEmpty else { return }
    exclusiveUse.during("loading the objects of a change by a predicate") {
      do {
        try expandBatches()
      } catch {
        noteReadFailure(error, "loading the objects of a change by a predicate")
      }
    }
  }

  /// Makes the scheduled changes by objects if an unsaved link refers to a row that they may delete.
  func expandBatchesOfLinkedRows() throws {
    let deleted = unit.batches.reduce(into: Set<Int32>()) { $0.formUnion($1.scope.deleted) }
    guard !deleted.isEmpty else { return }
    for object in unit.inserted.array + unit.changed.array {
      guard let binding = binding(of: object) else { continue }
      for property in binding.relationships {
        guard let destination = binding.properties[property].relationship?.destination,
          !deleted.isDisjoint(with: store(destination).kinds(of: destination))
        else { continue }
        var reader = LinkReader()
        object._$visit(property, &reader)
        let leadsToRow =
          switch reader.content {
          case .unknown: false
          case .key(let key): key.key != 0
          case .objects(let objects): objects.contains { $0._$state.key != 0 && deleted.contains($0._$state.entity) }
          }
        if leadsToRow { return try expandBatches() }
      }
    }
  }

  /// Forgets the changes by predicates that a store has saved.
  func forgetBatches(of store: Int) {
    for index in unit.batches.indices { unit.batches[index].changes[store] = nil }
    unit.batches.removeAll { $0.changes.isEmpty }
  }

  /// Brings registered objects to the state after the batch changes of a save, and announces the changed rows.
  ///
  /// - Returns: the registered objects whose rows have changed.
  func finishBatches(
    _ batches: [PendingBatch], of plan: SavePlan, _ result: SaveResult, _ announcement: inout SavedChanges
  ) -> [any PersistentModel] {
    guard !plan.changes.batches.isEmpty || plan.changes.deletion != nil else { return [] }
    var stale: [any PersistentModel] = []
    func tag(_ row: ObjectKey) -> Int32 { EntityTag.make(store: plan.store.index, entity: row.entity) }
    announcement.deleted.reserveCapacity(announcement.deleted.count + result.batchDeleted.count)
    for row in result.batchDeleted {
      announcement.deleted.append(identifier(of: ObjectKey(entity: tag(row), key: row.key)))
    }
    rowsAreGone(of: result.batchDeleted.compactMap { registered(tag($0), $0.key) })
    for row in result.batchUpdated {
      announcement.updated.append(identifier(of: ObjectKey(entity: tag(row), key: row.key)))
      // A fault without values reads its row when it is needed.
      if let object = registered(tag(row), row.key), object._$state.status != .fault || object._$state.version != 0 {
        stale.append(object)
      }
    }
    // The engine does not report objects whose rows another program has deleted meanwhile.
    for object in batches.flatMap(\.objects)
    where object._$state.status == .deleted && EntityTag.store(object._$state.entity) == plan.store.index {
      orphan(object)
    }
    return stale
  }
}
