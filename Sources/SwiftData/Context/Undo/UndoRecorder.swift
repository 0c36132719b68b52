internal import FoundationAdditions
internal import ManagedModel
internal import StoreRequests

/// Records the changes of a context as actions of an undo manager, and restores the state before an action.
///
/// It listens to the context's ``ChangeStream``. The first change of an action registers it, and later changes join it
/// until ``completeAction()``. To undo an action is to make the opposite changes; the recorder hears them too, so that
/// they become the action to redo.
final class UndoRecorder: UndoParticipant {
  let manager: UndoManager
  private let core: ContextCore
  private var listener: Int?
  /// The action that further changes join.
  private var record: UndoRecord?
  /// Whether the action has deleted objects to which links may lead that no delete rule clears.
  private var leavesLinks = false
  private var leftLinks: LeftLinks
  private var saveCount = 0
  private var pauses = 0
  private var isRestoring = false
  /// Objects inserted since the last save.
  private var inserted: [any PersistentModel] = []
  /// Objects whose insertion a save merged with an existing row.
  private var merged: [ObjectIdentifier: any PersistentModel] = [:]
  /// Objects that came back after their deletion was saved, by the deleted row.
  private var renewed: [DeletedObjects.Row: any PersistentModel] = [:]

  init(_ core: ContextCore, _ manager: UndoManager) {
    self.core = core
    self.manager = manager
    leftLinks = LeftLinks(core)
    manager.add(self)
    listener = core.changeStream.addListener(hearsPlaces: true) { [weak self] in self?.hear($0) }
  }

  /// Drops all actions of the context.
  func stop() {
    if let listener { core.changeStream.removeListener(listener) }
    listener = nil
    manager.remove(self)
  }

  // MARK: Groups

  func completeAction() {
    core.synchronizeAliases()
    followDeletions()
    closeRecord()
  }

  /// Makes the changes that belong to the action that deleted objects.
  private func followDeletions() {
    try? core.decideDeletions(keepingValues: true)
    // No delete rule clears these links, and the save belongs to no action.
    if leavesLinks { core.withinAction { core.releaseDeletedDestinations() } }
  }

  /// Whether further changes join an action.
  var hasOpenAction: Bool { record != nil }

  private func closeRecord() {
    if leavesLinks, let record { leftLinks.addDeletions(of: record) }
    record?.close()
    record = nil
    leavesLinks = false
  }

  func actionsWereRemoved() {
    record = nil
    leavesLinks = false
    leftLinks.removeAll()
  }

  /// Ends the action and the manager's group of this event.
  func endEvent() {
    completeAction()
    manager.endEvent()
  }

  // MARK: Recording

  private var isRecording: Bool { pauses == 0 && manager.isUndoRegistrationEnabled }

  /// Makes changes that belong to no action; an open action goes on afterwards.
  ///
  /// The manager is not asked to stop: it would have the context follow delete rules, which may be in the middle of a merge.
  func pausing(_ body: () throws -> Void) rethrows {
    pauses += 1
    defer { pauses -= 1 }
    try body()
  }

  private func hear(_ change: ContextChange) {
    switch change {
    case .inserted(let object): noteInsertion(of: object)
    case .deleted(let object): noteDeletion(of: object)
    case .willChange(let object, let property):
      guard isRecording, !currentRecord().contains(object, at: property) else { return }
      // Reading the object may merge what others have saved, and end the action.
      let value = value(of: object, at: property)
      currentRecord().add(object, property, value)
      leftLinks.noteChange(of: object, at: property, from: value)
    case .linked(let step): if isRecording { record?.add(step) }
    case .replaced(let object, let property, let replacement):
      if isRecording { currentRecord().add(replacement, of: object, at: property) }
    case .saved(let saved): noteSave(saved)
    case .rolledBack:
      inserted = []
      leftLinks.rollBack()
      manager.removeAllActions(withTarget: self)
    case .willSave, .merged, .willRefresh: break
    }
  }

  private func currentRecord() -> UndoRecord {
    if let record { return record }
    let new = UndoRecord(saveCount: saveCount, stateNumber: core.stateNumber)
    let isFirst = manager.groupingLevel == 0
    manager.registerUndo(withTarget: self) { $0.restore(new) }
    record = new
    // On the main thread the manager ends its event itself.
    if isFirst, manager.groupsByEvent { core.modelContext?.isolation?.perform { $0.undoRecorder?.endEvent() } }
    return new
  }

  private func noteInsertion(of object: any PersistentModel) {
    guard object._$state.owner === core else { return }
    switch object._$state.status {
    case .inserted: inserted.append(object)
    case .deleted: break
    case .detached, .fault, .clean, .changed, .orphaned: return
    }
    guard isRecording else { return }
    let isReturn = object._$state.status == .deleted && !isRestoring
    currentRecord().add(object, wasPresent: false, isReturn: isReturn)
  }

  private func noteDeletion(of object: any PersistentModel) {
    guard isRecording else { return }
    currentRecord().add(object, wasPresent: true)
    leavesLinks = leavesLinks || core.mayLeaveLinks(object)
    guard object._$state.key != 0, let binding = core.binding(of: object) else { return }
    // Delete rules load the other relationships.
    for property in binding.toMany {
      guard let relationship = binding.properties[property].relationship,
        relationship.inverse == nil || relationship.deleteRule == .noAction
      else { continue }
      core.loadList(of: object, at: property)
    }
  }

  private func noteSave(_ saved: SavedChanges) {
    saveCount += 1
    if !inserted.isEmpty, !saved.updated.isEmpty {
      let updated = Set(saved.updated)
      for object in inserted where updated.contains(object.persistentModelID) {
        merged[ObjectIdentifier(object)] = object
      }
    }
    inserted = []
    closeRecord()
    leftLinks.noteSave()
    manager.endEvent()
  }

  private func value(of object: any PersistentModel, at property: Int) -> UndoRecord.Value {
    core.fill(object)
    guard let relationship = core.binding(of: object)?.properties[property].relationship else {
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage.map { .attribute($0) } ?? .destination(nil)
    }
    if relationship.isToMany {
      // A save may drop the place in the store of a member that leaves, so only a loaded list knows it.
      if relationship.description.isOrdered { core.loadList(of: object, at: property) }
      return .members
    }
    var reader = LinkReader()
    object._$visit(property, &reader)
    switch reader.content {
    case .key(let key): return .key(key)
    case .objects(let objects): return .destination(objects.first)
    case .unknown: return .destination(nil)
    }
  }

  // MARK: Restoring

  /// Brings all objects of a record to the state before its changes.
  private func restore(_ record: UndoRecord) {
    self.record = nil
    isRestoring = true
    defer { isRestoring = false }
    // The opposite action exists even if nothing is left to change, so that each undo has its redo.
    if isRecording { _ = currentRecord() }
    // Delete rules leave a deleted object its own links, in case an earlier deletion of it is undone, too.
    for entry in record.objects.reversed() where entry.isReturn { remove(entry.object) }
    followDeletions()
    let returned = bringBack(record)
    var kept = KeptMembers(core, of: returned)
    // A list puts its members back to their places. Their own relationships would put them at its end.
    for property in record.properties.reversed() where property.isList { restore(property, of: record, &kept) }
    for property in record.properties.reversed() where !property.isList { restore(property, of: record, &kept) }
    for property in record.properties where !property.isList { restoreGivenLink(property) }
    for entry in record.objects.reversed() where !entry.wasPresent { remove(entry.object) }
    followDeletions()
    for object in returned { core.forgetLostLinks(of: object) }
    if record.saveCount == saveCount {
      for property in record.properties.reversed() {
        restoreLinks(property, keepsMembers: record.stateNumber == core.stateNumber)
      }
      let outdated = record.properties.filter {
        !$0.wasChanged && core.becomeUnchanged($0.object, at: $0.index)
      }
      core.adoptValues(of: outdated.map(\.object).filter { $0._$state.status == .changed })
      core.reread(outdated.map(\.object).filter { [.clean, .fault].contains($0._$state.status) })
    }
    for property in record.properties { core.unit.lookup.noteNewValues(of: property.object) }
    closeRecord()
  }

  /// Inserts the objects that left the context, and revives deleted objects.
  ///
  /// - Returns: the revived objects.
  private func bringBack(_ record: UndoRecord) -> [any PersistentModel] {
    let missing = core.withCascades(of: record.objects.filter(\.wasPresent).map(\.object))
    // All objects lose their rows before the first one is inserted, because they refer to each other.
    let orphans = missing.filter { $0._$state.status == .orphaned && $0._$state.owner === core }
    for object in orphans {
      guard let row = core.row(of: object) else { continue }
      renewed[row] = object
      leftLinks.remove(row)
    }
    for object in orphans { core.holdDestinations(of: object) { self.destination($0, of: object, at: $1) } }
    for object in orphans {
      let identifier = object.persistentModelID
      core.renew(object)
      object._$state.needExtras().formerIdentifier = identifier
    }
    for object in missing {
      leftLinks.noteLinks(of: object)
      core.forgetOrphans(of: object)
    }
    let deleted = missing.filter { $0._$state.status == .deleted }
    for object in missing {
      if object._$state.status == .detached { core.insert(object) } else { core.revive(object) }
    }
    // The deleted objects have kept their own links. What is not theirs any more is known when all is restored.
    for object in deleted { core.restoreInverses(of: object) }
    return deleted
  }

  /// The object of a foreign key, also if the object has another row by now.
  ///
  /// An object that is still deleted takes the link back when its own deletion is undone.
  private func destination(
    _ key: ObjectKey, of object: any PersistentModel, at property: Int
  ) -> (any PersistentModel)? {
    if let row = core.row(of: key, besides: object) {
      if let known = renewed[row] { return known }
      if leftLinks.noteLink(of: object, at: property, to: row) { return nil }
    }
    return core.object(for: key, of: object, at: property)
  }

  private func restore(_ property: UndoRecord.Property, of record: UndoRecord, _ kept: inout KeptMembers) {
    let object = property.object
    guard core.isHere(object) else { return }
    switch property.value {
    case .attribute(let storage): core.put(storage, in: object, at: property.index)
    case .destination(let destination): assign(destination, to: property, &kept)
    case .key(let key): assign(destination(key, of: object, at: property.index), to: property, &kept)
    case .deletedDestination(let destination):
      guard core.isHere(destination) else { return }
      let leadsToFormerRow = leads(object, at: property.index, toFormerRowOf: destination)
      // Others may have given the object another destination.
      guard leadsToFormerRow || core.destination(of: object, at: property.index) == nil else { return }
      core.replace(nil, by: destination, of: object, at: property.index)
    case .members:
      core.takeBack(
        property.members, of: object, at: property.index,
        takesMembers: !record.insertedObjects.contains(ObjectIdentifier(object))
      ) { record.deletedObjects }
    }
  }

  private func assign(
    _ destination: (any PersistentModel)?, to property: UndoRecord.Property, _ kept: inout KeptMembers
  ) {
    if let destination, kept.contains(property.object, of: destination, inverseTo: property.index) {
      core.assign(returned: destination, to: property.object, at: property.index)
    } else {
      core.assign(destination, to: property.object, at: property.index)
    }
  }

  /// Whether a relationship has the key of the row that an object had before it came back. To read it would be to look for that row.
  private func leads(
    _ object: any PersistentModel, at property: Int, toFormerRowOf destination: any PersistentModel
  ) -> Bool {
    core.fill(object)
    var reader = LinkReader()
    object._$visit(property, &reader)
    guard case .key(let key) = reader.content, let row = core.row(of: key, besides: object) else { return false }
    return renewed[row] === destination
  }

  /// Notes again which side of a link the program has assigned.
  ///
  /// To restore one side gives the link to the other one. An unsaved object without a side of its own would lose it when it leaves.
  private func restoreGivenLink(_ property: UndoRecord.Property) {
    guard let extras = property.object._$state.extras else { return }
    if let given = property.given, core.linked(property.object, property.index).first === given {
      extras.given.give(given, at: property.index)
    } else {
      extras.given.forgetDestination(at: property.index)
    }
  }

  /// Takes an inserted object out of the context, or deletes it if it was saved.
  private func remove(_ object: any PersistentModel) {
    guard core.isHere(object), object._$state.status != .deleted,
      merged[ObjectIdentifier(object)] == nil
    else { return }
    core.delete(object)
  }

  /// Takes back what an action changed in the unsaved additions and removals of a to-many relationship.
  ///
  /// - Parameter keepsMembers: whether the store's members are those of the record.
  private func restoreLinks(_ property: UndoRecord.Property, keepsMembers: Bool) {
    guard core.isHere(property.object), case .members = property.value else { return }
    // Links that changed while the list was not loaded have no places. The store has the order.
    let keepsMembers = keepsMembers && property.members.unlistedLinks(returned: { [] }).isEmpty
    core.takeBack(property.members.members, of: property.object, at: property.index, keepsMembers: keepsMembers)
  }
}
