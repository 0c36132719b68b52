internal import Foundation
internal import StoreRequests

extension SnapshotEngine {
  /// Makes snapshots of the changed objects, and gives them to the store.
  ///
  /// An update holds all values of its object. The members of to-many relationships are in the snapshots of both sides, so the
  /// relationship changes of a change set say nothing new.
  func save(_ changes: ChangeSet) throws -> SaveResult {
    try using {
      if let deletion = changes.deletion as? any StoreDeletion { return try deletion.run(by: self) }
      var newcomers: [PersistentIdentifier: any BackingData] = [:]
      var written = WrittenSnapshots<Store.Snapshot>()
      written.inserted = try changes.insertions.map { try snapshot(of: model(of: $0.source), &newcomers) }
      written.updated = try changes.updates.map { try snapshot(of: model(of: $0.source), &newcomers) }
      keep([:])
      let stored = try storedSnapshots(of: changes)
      try alignPartners(changes, stored, &written, &newcomers)
      let deleted = changes.deletions.compactMap { stored[$0.object] }
      let state = editingState(of: changes)
      begin(state)
      let answer = try store.save(
        DataStoreSaveChangesRequest(
          inserted: written.inserted, updated: written.updated + written.relinked.map(\.snapshot), deleted: deleted,
          editingState: state))
      return try settle(changes, written, answer)
    }
  }

  /// Lets the store delete the objects that a predicate selects.
  ///
  /// - Throws: ``BatchRefusal`` if the store can neither tell these objects nor delete them at once.
  fileprivate func delete<Model: PersistentModel>(_ deletion: DescriptorDeletion<Model>) throws -> SaveResult {
    let entityName = Schema.entityName(for: Model.self)
    guard let store = store as? any DataStoreBatching else {
      throw BatchRefusal.unsupported(entity: entityName, property: "")
    }
    begin(deletion.editingState)
    keep([:])
    var result = SaveResult()
    do {
      let selected = try self.store.fetchIdentifiers(
        DataStoreFetchRequest(
          editingState: deletion.editingState, descriptor: FetchDescriptor(predicate: deletion.predicate)))
      // Before the deletion, since it may throw.
      let deleted = try objectKeys(
        of: selected.filter { deletion.includeSubclasses || $0.entityName == entityName }, Model.self)
      try store.delete(
        DataStoreBatchDeleteRequest(
          editingState: deletion.editingState, predicate: deletion.predicate,
          includeSubclasses: deletion.includeSubclasses))
      result.batchDeleted = deleted.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    } catch is DataStoreError {
      throw BatchRefusal.unsupported(entity: entityName, property: "")
    }
    for object in result.batchDeleted { table.forget(object) }
    return result
  }

  /// The object whose values a change has.
  func model(of source: any RowSource) throws -> any PersistentModel {
    if let source = source as? any ModelRowSource { return source.model }
    throw SwiftDataError(.storeFailure, "The store \(store.configuration.name) saves objects of model classes only.")
  }

  /// The snapshot of an object, whose lists do not name the objects that the save deletes.
  func snapshot(
    of object: any PersistentModel, _ related: inout [PersistentIdentifier: any BackingData]
  ) throws -> Store.Snapshot {
    let former = Self.hideDeletedMembers(of: object)
    defer {
      for (property, storage) in former {
        var putter = StoragePutter(storage: storage)
        object._$visit(property, &putter)
      }
    }
    func take<Model: PersistentModel>(_ object: Model) -> Store.Snapshot {
      let data: any BackingData = object.persistentBackingData
      return Store.Snapshot(from: data, relatedBackingDatas: &related)
    }
    let snapshot = take(object)
    if let problem = (snapshot as? DefaultSnapshot)?.problem {
      throw SwiftDataError(.modelValidationFailure, "\(problem) Nothing was saved.")
    }
    return snapshot
  }

  /// Takes deleted members out of an object's lists.
  ///
  /// - Returns: the former storages of these lists, by property.
  private static func hideDeletedMembers(
    of object: any PersistentModel
  ) -> [(property: Int, storage: any _PropertyStorage)] {
    guard let core = object._$state.owner, !core.unit.deleted.isEmpty, let binding = core.binding(of: object) else {
      return []
    }
    return binding.toMany.compactMap { property in
      let members = core.targets(of: object, at: property)
      guard members.contains(where: { $0._$state.status == .deleted }) else { return nil }
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      var loader = MemberLoader(members: members.filter { $0._$state.status != .deleted })
      object._$visit(property, &loader)
      return keeper.storage.map { (property, $0) }
    }
  }

  private func editingState(of changes: ChangeSet) -> EditingState {
    (changes.requester as? ContextCore)?.editingState ?? EditingState(author: changes.author)
  }

  /// The rows to delete and to change, as the store has them.
  ///
  /// - Throws: ``SaveError/conflicts(_:)`` for a row that is to be changed and is gone, and for one of another version.
  private func storedSnapshots(of changes: ChangeSet) throws -> [ObjectKey: Store.Snapshot] {
    let objects = changes.deletions.map(\.object) + changes.updates.map(\.object)
    guard !objects.isEmpty else { return [:] }
    let stored: [ObjectKey: Store.Snapshot]
    do { stored = try snapshots(for: objects) } catch DataStoreError.unsupportedFeature {
      // A store that only takes objects cannot be asked for them.
      return [:]
    }
    var conflicts: [SaveError.Conflict] = []
    func check(_ object: ObjectKey, _ expected: Int64?, isRequired: Bool) throws {
      let actual = try stored[object].map { try row(of: $0).version }
      let isConflict = actual == nil ? isRequired : expected.map { $0 != actual } ?? false
      guard isConflict else { return }
      conflicts.append(
        .init(
          entityName: try existing(object.entity).name, object: object, expectedVersion: expected,
          actualVersion: actual))
    }
    for update in changes.updates { try check(update.object, update.version, isRequired: true) }
    for deletion in changes.deletions {
      try check(deletion.object, deletion.version, isRequired: deletion.version != nil)
    }
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    return stored
  }

  /// Gives the inserted objects their keys, and the written rows their versions.
  private func settle(
    _ changes: ChangeSet, _ written: WrittenSnapshots<Store.Snapshot>,
    _ answer: DataStoreSaveChangesResult<Store.Snapshot>
  ) throws -> SaveResult {
    var result = SaveResult()
    let remapped = answer.remappedIdentifiers
    // The store may give a new object the identifier of a deleted one.
    for deletion in changes.deletions { table.forget(deletion.object) }
    var isWritten: Set<ObjectKey> = []
    for (index, (insertion, snapshot)) in zip(changes.insertions, written.inserted).enumerated() {
      let entity = try existing(insertion.entity)
      guard let permanent = remapped[snapshot.persistentIdentifier], !permanent.isTemporary else {
        throw SwiftDataError(
          .storeFailure,
          """
          The store \(store.configuration.name) saved a new object of \(entity.name) and gave it no permanent identifier: its \
          save(_:) must return one for each inserted snapshot in remappedIdentifiers.
          """)
      }
      let own = try ownEntity(of: permanent, for: entity)
      let isKnown = table.known(permanent) != nil
      let object = table.key(of: permanent, own)
      let wasMerged = (isKnown && table.isStored(object)) || !isWritten.insert(object).inserted
      insertion.source.assign(object, wasMerged: wasMerged)
      if wasMerged { result.merged.append((index, object)) }
      result.inserted.append((object, table.written(object, hash: try hash(of: snapshot, remapped))))
    }
    for (update, snapshot) in zip(changes.updates, written.updated) {
      result.updatedVersions.append(table.written(update.object, hash: try hash(of: snapshot, remapped)))
    }
    for (object, snapshot) in written.relinked {
      _ = table.written(object, hash: try hash(of: snapshot, remapped))
      result.relinked.append(object)
    }
    var reregistered: [PersistentIdentifier: Store.Snapshot] = [:]
    for (identifier, snapshot) in answer.snapshotsToReregister {
      let permanent = remapped[identifier] ?? identifier
      reregistered[permanent] = snapshot
      if let object = table.known(permanent) { result.affected.append(object) }
    }
    result.position = answer.historyToken
    result.affected.sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
    keep(reregistered)
    return result
  }

  private func hash(
    of snapshot: Store.Snapshot, _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws -> SnapshotHash { try content(of: snapshot, replacing: remapped).1.hash }
}

/// A deletion whose class is not known where a save begins.
private protocol StoreDeletion {
  func run<Store: DataStore>(by engine: SnapshotEngine<Store>) throws -> SaveResult
}

extension DescriptorDeletion: StoreDeletion {
  fileprivate func run<Store: DataStore>(by engine: SnapshotEngine<Store>) throws -> SaveResult {
    try engine.delete(self)
  }
}
