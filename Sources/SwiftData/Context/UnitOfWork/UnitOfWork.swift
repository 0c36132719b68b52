/// The unsaved changes of a context in order, and the errors that its save must throw.
struct UnitOfWork {
  var inserted = WorkList()
  var changed = WorkList()
  var deleted = WorkList()
  /// Changes by predicates, in the order of their calls.
  var batches: [PendingBatch] = []
  /// The same objects, indexed by class and by value.
  var lookup = PendingLookup()
  /// Deleted objects whose delete rules have not been applied yet.
  var undecided = ObjectList()
  /// Undecided objects whose delete rules were applied before. They are applied again to what others have saved since.
  var decidedBefore: Set<ObjectIdentifier> = []
  /// The number of saves and merges when the delete rules of a deleted object were applied first.
  var decisionStates: [ObjectIdentifier: Int] = [:]
  /// The relationships to one that the program had changed before a delete rule cleared them.
  var clearedChanges: Set<PropertyPlace> = []
  /// What the delete rules have deleted.
  var cascades = CascadedDeletions()
  /// Where delete rules have taken deleted objects out of ordered lists.
  var formerPlaces = FormerPlaces()
  /// Links to objects of other contexts, which a save refuses.
  var strangers: [Stranger] = []

  /// Objects that `insert` or `delete` refused; the save throws the first refusal's error.
  var refused: [Refusal] = []
  /// Objects with unsaved changes whose rows were deleted elsewhere; the next `didSave` names them.
  var dropped: [PersistentIdentifier] = []

  /// Whether an object was deleted or left the context since the last save; unsaved links may still refer to it.
  var hasLostObjects = false
  /// Whether a changed object differs from its row in properties that the context did not change: others saved the row.
  var hasOutdatedObjects = false
  /// Changed objects whose rows others have saved since; some may have lost their changes again.
  var outdated = ObjectList()
  /// Changed objects whose rows others have deleted, and which stay until a save throws or a rollback; see ``SaveConflictPolicy/fail``.
  var rowless = ObjectList()
  /// Whether a failed read may have left changes incomplete.
  var isIncomplete = false
  /// Assignments to relationships whose previous destinations could not be read.
  var assignments: [Assignment] = []

  /// A property of an object that is in the unit.
  struct PropertyPlace: Hashable {
    let object: ObjectIdentifier
    let property: Int
  }

  struct Assignment {
    let object: any PersistentModel
    let property: Int
  }

  /// A relationship that was assigned an object of another context.
  struct Stranger {
    let owner: any PersistentModel
    let property: Int
    let stranger: any PersistentModel
  }

  /// An object that cannot be inserted or deleted.
  struct Refusal {
    let object: any PersistentModel
    let isDeletion: Bool
    let error: SwiftDataError
  }

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && refused.isEmpty && batches.isEmpty }

  /// All objects that differ from their rows.
  var all: [any PersistentModel] { inserted.array + changed.array + deleted.array }
}
