internal import Foundation
internal import Logging
internal import StoreRequests

extension ContextCore {
  /// Brings registered objects to the state that other contexts, containers and processes have saved.
  ///
  /// Cost: one pragma for each store in a file; the queries of ``adoptSavedChanges()``, and those that read the history of what other
  /// containers and processes have saved.
  func adoptOthersSaves() {
    // Nothing of an empty context can be old, unless live results are.
    if identityMap.count > 0 || inbox.keepsInsertions { container.remoteChanges.catchUp() }
    adoptSavedChanges()
  }

  /// Brings registered objects to the state that other contexts have saved: one query per entity.
  ///
  /// Objects with unsaved changes take over the values that they did not change; the save decides whether they conflict. An object whose
  /// row was deleted leaves the context, see ``rowsAreGone(of:)``.
  func adoptSavedChanges() {
    let changes = inbox.drain(objectCount: identityMap.count)
    guard !changes.isEmpty else { return }
    stateNumber += 1
    exclusiveUse.during("merging others' changes") {
      let gone = changes.deleted.compactMap { registered($0.entity, $0.key) }
      keepLinks(among: gone)
      rowsAreGone(of: gone)
      refreshStaleInverses()
      var newer: [any PersistentModel] = []
      // Their delete rules need the newer values.
      var deleted: [any PersistentModel] = []
      var changed: [any PersistentModel] = []
      if changes.isComplete {
        let known = changes.updated.compactMap { row in registered(row.entity, row.key).map { (row, $0) } }
        for (_, object) in known.sorted(by: { ($0.0.entity, $0.0.key) < ($1.0.entity, $1.0.key) }) {
          if hasStoredValues(object) { newer.append(object) }
          if object._$state.status == .deleted { deleted.append(object) }
          if object._$state.status == .changed { changed.append(object) }
        }
      } else {
        identityMap.forEach { if hasStoredValues($0) { newer.append($0) } }
        deleted = unit.deleted.array
        changed = unit.changed.array
      }
      decideAgain(deleted)
      reloadMembers(changes.exclusiveOwners)
      reread(newer.filter(hasStoredValues), mayBeUnchanged: !changes.isComplete)
      adoptValues(of: changed.filter { $0._$state.status == .changed })
    }
    changeStream.send(.merged(changes))
  }

  /// Reads the rows of objects with unsaved changes again. The changes stay, and the version that the save compares.
  ///
  /// Their relationships to many load their members again when needed. Under the policy `.overwrite` the other values stay, since the save
  /// may write them.
  func adoptValues(of objects: [any PersistentModel]) {
    guard !objects.isEmpty else { return }
    let read = conflictPolicy == .overwrite ? [] : objects.filter { !$0._$state.isUnread }
    let versions = read.map { $0._$state.version }
    unit.hasOutdatedObjects = unit.hasOutdatedObjects || conflictPolicy == .overwrite
    for (tag, group) in grouped(read) {
      guard let binding = binding(tag) else { continue }
      for object in group { object._$state.version = -1 }
      do {
        try load(group.map { ObjectKey(entity: EntityTag.entity(tag), key: $0._$state.key) }, of: binding)
      } catch {
        noteReadFailure(error, "reading objects of \(binding.name) again")
        unit.hasOutdatedObjects = true
      }
    }
    for (object, version) in zip(read, versions) { object._$state.version = version }
    for object in objects {
      object._$state.needExtras().isOutdated = true
      unit.outdated.append(object)
      guard let binding = binding(of: object) else { continue }
      for property in binding.toMany { emptyMembers(of: object, at: property) }
      noteOwners(of: object, binding)
    }
    refreshStaleInverses()
    for object in objects { unit.lookup.noteNewValues(of: object) }
  }

  /// Whether an object has values of its row; a fault may have some.
  func hasStoredValues(_ object: any PersistentModel) -> Bool {
    switch object._$state.status {
    case .clean: true
    case .fault: object._$state.version != 0
    case .changed, .deleted, .detached, .inserted, .orphaned: false
    }
  }

  /// The registered object of an identifier.
  func registered(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard let row = container.row(of: identifier) else { return nil }
    return registered(row.tag, row.key)
  }

  // MARK: Deleted rows

  /// Removes objects from the context after their rows were deleted elsewhere.
  ///
  /// Unsaved changes of the objects are dropped; the next `didSave` names them. Under the policy `.fail` a changed object stays until a
  /// save throws or a rollback forgets the changes.
  func rowsAreGone(of objects: [any PersistentModel]) {
    var gone: [any PersistentModel] = []
    for object in objects {
      switch object._$state.status {
      case .changed where conflictPolicy == .fail:
        object._$state.needExtras().isRowGone = true
        unit.hasOutdatedObjects = true
        unit.rowless.append(object)
      case .clean, .fault, .changed, .deleted: gone.append(object)
      case .detached, .inserted, .orphaned: break
      }
    }
    releaseUnsavedLinks(to: gone)
    for object in gone { object._$state.status == .changed ? drop(object) : orphan(object) }
  }

  /// Removes an object with unsaved changes from the context, because its row is deleted.
  func drop(_ object: any PersistentModel) {
    let identifier = object.persistentModelID
    orphan(object)
    unit.dropped.append(identifier)
    Logger(label: "SwiftData").warning(
      "Unsaved changes of \(identifier) are dropped: another context or process has deleted the object.")
  }

  /// Empties unsaved to-one relationships that lead to objects whose rows are gone.
  ///
  /// Relationships to many drop these objects with ``refreshStaleInverses()``. Cost: a look at each unsaved object.
  private func releaseUnsavedLinks(to objects: [any PersistentModel]) {
    guard !objects.isEmpty, !unit.isEmpty else { return }
    let gone = Set(objects.map { ObjectIdentifier($0) })
    for object in unit.inserted.array + unit.changed.array where !gone.contains(ObjectIdentifier(object)) {
      guard let binding = binding(of: object) else { continue }
      for property in binding.invertibleToOne
      where object._$state.status == .inserted || object._$state.isChanged(property) {
        guard let destination = knownDestination(of: object, at: property),
          gone.contains(ObjectIdentifier(destination))
        else { continue }
        withoutUndo { setDestination(of: object, at: property, to: nil) }
      }
    }
  }

  /// The destination of a to-one relationship if it is registered or unsaved.
  private func knownDestination(of object: any PersistentModel, at property: Int) -> (any PersistentModel)? {
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .unknown: return nil
    case .key(let key):
      return registered(EntityTag.make(entity: key.entity, besides: object._$state.entity), key.key)
    case .objects(let objects): return objects.first
    }
  }
}
