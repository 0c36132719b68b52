/// The unsaved changes of a context, in the order in which they came, and the errors that its save has to throw.
struct UnitOfWork {
  var inserted = WorkList()
  var changed = WorkList()
  var deleted = WorkList()
  /// The same objects by class and by value.
  var lookup = PendingLookup()
  /// Deleted objects whose delete rules have not been applied yet.
  var undecided: [any PersistentModel] = []
  /// Links to objects of other contexts, which a save has to refuse.
  var strangers: [Stranger] = []

  /// Objects that `insert` could not take; the save throws the first one's error.
  var refused: [Refusal] = []
  /// Objects with unsaved changes whose rows somebody else deleted; the next `didSave` names them.
  var dropped: [PersistentIdentifier] = []

  /// Whether an object was deleted, or left the context, since the last save: unsaved links may lead to it.
  var hasLostObjects = false
  /// Whether something that could not be read may be missing.
  var isIncomplete = false
  /// Assignments to relationships of which it could not be read what they led to before.
  var assignments: [Assignment] = []

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

  /// An object that cannot be inserted.
  struct Refusal {
    let object: any PersistentModel
    let error: SwiftDataError
  }

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && refused.isEmpty }

  /// Everything that is not in the store as it is here.
  var all: [any PersistentModel] { inserted.array + changed.array + deleted.array }
}
