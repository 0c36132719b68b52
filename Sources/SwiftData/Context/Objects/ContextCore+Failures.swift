internal import Logging

// Failed reads. A failed read loses nothing, and the next read tries again.
extension ContextCore {
  /// Logs a failed read by a function that cannot throw; the next save completes the read or throws.
  func noteReadFailure(_ error: any Error, _ activity: String) {
    log(error, activity)
    readFailure = readFailure ?? error
    lastReadFailure = error
    unit.isIncomplete = true
  }

  /// Runs an operation that reads with functions that cannot throw.
  ///
  /// - Throws: the first failed read, in place of any error that followed from it.
  func reportingReadFailures(_ body: () throws -> Void) throws {
    readFailure = nil
    do { try body() } catch { throw readFailure ?? error }
    if let readFailure { throw readFailure }
  }

  /// Records that a getter returned a default because the row could not be read.
  ///
  /// A value assigned to the object later may be computed from that default, so the save refuses it.
  func noteUnreadable(_ object: any PersistentModel, at property: Int) {
    guard object._$state._isAttached, let error = lastReadFailure else { return }
    object._$state.needExtras().unreadable[property] = "\(error)"
    container.stage?.noteUnreadable(object, error)
  }

  /// Forgets the failed reads of an object whose row has been read since.
  ///
  /// A relationship to many is read by itself, so its failed read counts until its members are loaded. Once a value was assigned, all
  /// stay: the save refuses it, and names the property that could not be read.
  func forgetFailedReads(of object: any PersistentModel, _ binding: EntityBinding) {
    guard let extras = object._$state.extras, !extras.unreadable.isEmpty, extras.assignedUnread.isEmpty else { return }
    extras.unreadable = extras.unreadable.filter { binding.toMany.contains($0.key) }
  }

  func forgetFailedRead(ofMembersOf owner: any PersistentModel, at property: Int) {
    guard let extras = owner._$state.extras, extras.assignedUnread.isEmpty else { return }
    extras.unreadable[property] = nil
  }

  /// Logs that a to-one relationship leads to a missing row and reads as `nil`; one warning for each missing row.
  ///
  /// The keys of a deleted owner, and keys older than a save that this context has not merged yet, are no damage.
  func noteMissingRow(
    of destination: any PersistentModel, ofDestinationOf owner: any PersistentModel, at property: Int
  ) {
    guard owner._$state._isAttached, inbox.isEmpty, let row = destination._$state.objectKey,
      deletedObjects.reportedRows.insert(row).inserted
    else { return }
    let name = ModelClass.of(type(of: owner)).property(at: property)?.name ?? "a relationship"
    Logger(label: "SwiftData").warning(
      """
      \(type(of: owner)).\(name) of \(owner.persistentModelID) leads to \(destination.persistentModelID), whose row is missing, \
      and reads as nil. If a new context reads the same, another program or a deletion without delete rules left the key: \
      assign the relationship anew.
      """)
  }

  /// Turns an object without changes into a fault, which reads its row on next use; notifies observers of all properties.
  func becomeFault(_ object: any PersistentModel, forgetting properties: [Int]) {
    guard [.clean, .fault].contains(object._$state.status), binding(of: object) != nil else { return }
    var emptier = StorageEmptier()
    notifyingAll(object) { object in
      for property in properties { object._$visit(property, &emptier) }
      object._$state.status = .fault
    }
    aliases.touch(object)
    openFaults.add(object._$state.key, of: object._$state.entity)
  }

  /// Turns an object without changes, whose values are outdated, into a fault.
  func forgetValues(of object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    object._$state.version = 0
    becomeFault(object, forgetting: binding.stored + binding.toMany)
  }

  /// Marks an object as clean after its changes were dropped, or as a fault if its row could not be read.
  func becomeClean(_ object: any PersistentModel) {
    guard object._$state.isUnread, binding(of: object) != nil else {
      object._$state.status = .clean
      return
    }
    object._$state.isUnread = false
    object._$state.status = .fault
    openFaults.add(object._$state.key, of: object._$state.entity)
  }

  /// Reads the values that failed to load when objects were changed or deleted, and updates their inverses.
  ///
  /// - Throws: the store's error if a read fails again.
  func completeUnit() throws {
    // Reading members may apply delete rules, and an observer may fetch: both come here again.
    guard unit.isIncomplete, !isCompletingUnit else { return }
    isCompletingUnit = true
    defer { isCompletingUnit = false }
    try reportingReadFailures {
      for object in unit.changed.array + unit.deleted.array { fill(object) }
      guard readFailure == nil else { return }
      let assignments = unit.assignments
      for (index, assignment) in assignments.enumerated() {
        settle(assignment)
        guard readFailure == nil else { return dropAssignments(index) }
      }
      dropAssignments(assignments.count)
    }
    unit.isIncomplete = false
  }

  /// Removes the oldest interrupted assignments. An observer may have rolled back meanwhile, so that there are fewer.
  private func dropAssignments(_ count: Int) { unit.assignments.removeFirst(min(count, unit.assignments.count)) }

  /// Updates the inverses for an assignment whose previous destinations could not be read at the time.
  private func settle(_ assignment: UnitOfWork.Assignment) {
    let (object, property) = (assignment.object, assignment.property)
    guard object._$state._isAttached, object._$state.isChanged(property) else { return }
    // A new object that has left the context since stays outside.
    let new = targets(of: object, at: property).filter { isHere($0) }
    var keeper = StorageKeeper()
    object._$visit(property, &keeper)
    guard let assigned = keeper.storage, let original = object._$state.extras?.originals[property] else { return }
    var restorer = StorageRestorer(original: original)
    object._$visit(property, &restorer)
    let old = targets(of: object, at: property)
    var putter = StoragePutter(storage: assigned)
    object._$visit(property, &putter)
    if readFailure == nil { relationshipDidChange(of: object, at: property, from: old, to: new) }
  }

  /// Handles a row that now belongs to another class, which only another program can cause.
  ///
  /// An object without changes becomes orphaned, as if its row had been deleted and another row inserted. An object
  /// with changes keeps them.
  ///
  /// - Returns: whether the row needs a new object.
  func leaves(_ object: any PersistentModel, itsRowTo binding: EntityBinding) -> Bool {
    let former = self.binding(of: object)?.name ?? "?"
    Logger(label: "SwiftData").error(
      """
      Row \(object._$state.key) of \(former) is one of \(binding.name) now: another program has changed its entity. Objects of \
      \(former) for it are taken for deleted; fetch it again.
      """)
    switch object._$state.status {
    case .clean, .fault: orphan(object)
    case .changed, .deleted, .detached, .inserted, .orphaned: return false
    }
    return true
  }

  /// Logs a row with key 0: key 0 means "no row" in an object, and Core Data assigns keys from 1 on (CD-2.2).
  func reportKeyZero(_ binding: EntityBinding) {
    Logger(label: "SwiftData").error(
      "A row of \(binding.name) has the key 0, which Core Data never assigns: the row is skipped.")
  }
}
