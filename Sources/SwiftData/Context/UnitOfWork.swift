/// What a context has to save: objects in the order in which they came, and what is wrong already.
struct UnitOfWork {
  var inserted = WorkList()
  var changed = WorkList()
  var deleted = WorkList()
  /// Deleted objects whose delete rules have not been applied yet.
  var undecided: [any PersistentModel] = []
  /// Links to objects of other contexts, which a save has to refuse.
  var strangers: [Stranger] = []

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

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// Everything that is not in the store as it is here.
  var all: [any PersistentModel] { inserted.array + changed.array + deleted.array }
}
