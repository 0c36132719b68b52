internal import Foundation
internal import Logging
internal import StoreRequests

extension ContextCore {
  /// Brings registered objects to the state that other contexts have saved: one query per entity.
  ///
  /// Objects with unsaved changes keep their values; the save decides whether they conflict. An object whose row was deleted leaves the
  /// context, see ``rowIsGone(of:)``.
  func adoptSavedChanges() {
    let changes = inbox.drain(objectCount: identityMap.count)
    guard !changes.isEmpty else { return }
    stateNumber += 1
    exclusiveUse.during("merging others' changes") {
      let gone = changes.deleted.compactMap { registered($0.entity, $0.key) }
      for object in gone { noteOutdated(object) }
      keepLinks(among: gone)
      for object in gone { rowIsGone(of: object) }
      refreshStaleInverses()
      var newer: [any PersistentModel] = []
      // Their delete rules need the newer values.
      var deleted: [any PersistentModel] = []
      var changed: [any PersistentModel] = []
      if changes.isComplete {
        for row in changes.updated {
          guard let object = registered(row.entity, row.key) else { continue }
          noteOutdated(object)
          if hasStoredValues(object) { newer.append(object) }
          if object._$state.status == .deleted { deleted.append(object) }
          if object._$state.status == .changed { changed.append(object) }
        }
      } else {
        if !unit.changed.isEmpty { unit.hasOutdatedObjects = true }
        identityMap.forEach { if hasStoredValues($0) { newer.append($0) } }
        deleted = unit.deleted.array
        changed = unit.changed.array
      }
      decideAgain(deleted)
      reloadMembers(changes.exclusiveOwners)
      reread(newer.filter(hasStoredValues))
      reloadMembers(ofChanged: changed)
    }
    changeStream.send(.merged(changes))
  }

  private func noteOutdated(_ object: any PersistentModel) {
    if object._$state.status == .changed { unit.hasOutdatedObjects = true }
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

  /// Removes an object from the context after its row was deleted elsewhere.
  ///
  /// Unsaved changes of the object are dropped; the next `didSave` names it. Under the policy `.fail` the object stays until a save
  /// throws or a rollback forgets the changes.
  func rowIsGone(of object: any PersistentModel) {
    switch object._$state.status {
    case .clean, .fault, .deleted: orphan(object)
    case .changed where conflictPolicy == .fail: object._$state.needExtras().isRowGone = true
    case .changed: drop(object)
    case .detached, .inserted, .orphaned: break
    }
  }

  /// Removes an object with unsaved changes from the context, because its row is deleted.
  func drop(_ object: any PersistentModel) {
    let identifier = object.persistentModelID
    withoutUndo { releaseUnsavedLinks(to: object) }
    orphan(object)
    unit.dropped.append(identifier)
    Logger(label: "SwiftData").warning(
      "Unsaved changes of \(identifier) are dropped: another context or process has deleted the object.")
  }

  /// Removes an object from unsaved links of other objects, whose foreign keys would refer to a deleted row.
  private func releaseUnsavedLinks(to object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    for property in binding.relationships {
      guard let inverse = binding.properties[property].relationship?.inverse else { continue }
      for member in unsavedMembers(of: object, at: property) {
        let state = member._$state.status
        guard state == .inserted || state == .changed, member._$state.isChanged(inverse) || state == .inserted,
          let back = self.binding(of: member)?.properties[inverse].relationship
        else { continue }
        takeOut(object, of: member, at: inverse, back)
      }
    }
  }

  /// The loaded members of a relationship, or those that were added since it was read.
  private func unsavedMembers(of object: any PersistentModel, at property: Int) -> [any PersistentModel] {
    let loaded = linked(object, property)
    return loaded.isEmpty ? Array(object._$state.extras?.links[property]?.added ?? ObjectList()) : loaded
  }
}
