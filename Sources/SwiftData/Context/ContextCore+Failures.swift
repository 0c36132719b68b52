internal import Logging

// What cannot be read at the moment: nothing is lost by it, and the next one who asks reads again.
extension ContextCore {
  /// Notes that a store could not be read by a way that cannot throw: it is logged, and no save goes on without it.
  func noteReadFailure(_ error: any Error, _ activity: String) {
    log(error, activity)
    readFailure = readFailure ?? error
    lastReadFailure = error
    unit.isIncomplete = true
  }

  /// Runs something that reads by ways that cannot throw.
  ///
  /// - Throws: the first failure to read, even where something was thrown because of what was then missing.
  func reportingReadFailures(_ body: () throws -> Void) throws {
    readFailure = nil
    do { try body() } catch { throw readFailure ?? error }
    if let readFailure { throw readFailure }
  }

  /// Remembers that a getter gave a default because the row could not be read.
  ///
  /// A value that is assigned to the property afterwards may be computed from that default: the save refuses it.
  func noteUnreadable(_ object: any PersistentModel, at property: Int) {
    guard object._$state._isAttached, let error = lastReadFailure else { return }
    object._$state.needExtras().unreadable[property] = "\(error)"
  }

  /// An object without changes reads its row again on its next use; observers hear that any property may have changed.
  func becomeFault(_ object: any PersistentModel, forgetting properties: [Int]) {
    guard [.clean, .fault].contains(object._$state.status), let binding = binding(of: object) else { return }
    var emptier = StorageEmptier()
    notifyingAll(object) { object in
      for property in properties { object._$visit(property, &emptier) }
      object._$state.status = .fault
    }
    openFaults[binding.table, default: []].append(object._$state.key)
  }

  /// An object whose changes are forgotten is as it was read, or a fault if it could not be.
  func becomeClean(_ object: any PersistentModel) {
    guard object._$state.isUnread, let binding = binding(of: object) else {
      object._$state.status = .clean
      return
    }
    object._$state.isUnread = false
    object._$state.status = .fault
    openFaults[binding.table, default: []].append(object._$state.key)
  }

  /// Reads what could not be read when objects were changed or deleted, and keeps the other sides of their relationships right.
  ///
  /// - Throws: what the store says if that fails again.
  func completeUnit() throws {
    guard unit.isIncomplete else { return }
    try reportingReadFailures {
      for object in unit.changed.array + unit.deleted.array { fill(object) }
      guard readFailure == nil else { return }
      let assignments = unit.assignments
      for (index, assignment) in assignments.enumerated() {
        settle(assignment)
        guard readFailure == nil else { return unit.assignments.removeFirst(index) }
      }
      unit.assignments.removeFirst(assignments.count)
    }
    unit.isIncomplete = false
  }

  /// Makes up for what an assignment to a relationship does to objects that were not known then.
  private func settle(_ assignment: UnitOfWork.Assignment) {
    let (object, property) = (assignment.object, assignment.property)
    guard object._$state._isAttached, object._$state.isChanged(property) else { return }
    let new = targets(of: object, at: property)
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

  /// A row has become one of another class, which only another program does: an object without changes is gone then, as if its
  /// row had been deleted and another inserted. One with changes keeps them.
  ///
  /// - Returns: whether the row is to have a new object.
  func leaves(_ object: any PersistentModel, itsRowTo binding: EntityBinding) -> Bool {
    let former = self.binding(of: object)?.name ?? "?"
    Logger(label: "SwiftData").error(
      """
      Row \(object._$state.key) of \(former) is one of \(binding.name) now: another program has changed its Z_ENT. Objects of \
      \(former) for it are taken for deleted; fetch it again.
      """)
    switch object._$state.status {
    case .clean, .fault: orphan(object)
    case .changed, .deleted, .detached, .inserted, .orphaned: return false
    }
    return true
  }

  /// Objects are told to have a row by its key, and rows that Core Data makes have keys from 1 on (CD-2.2).
  func reportKeyZero(_ binding: EntityBinding) {
    Logger(label: "SwiftData").error(
      "A row of \(binding.name) has the key (Z_PK) 0, which no program of Core Data's gives: it is passed over.")
  }
}
