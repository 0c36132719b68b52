internal import CoreDataStore

/// What an object asks of the context it is in; `ContextCore` is the one that answers.
///
/// All calls come on the thread that uses the object. None may fail: a store that cannot be read is logged and leaves the
/// object as it is, and reading then gives defaults.
protocol ModelOwner: AnyObject {
  /// The public context around the owner; `nil` once it has been released.
  var modelContext: ModelContext? { get }

  /// The identity of an object that has a row.
  func identifier(of key: ObjectKey) -> PersistentIdentifier

  /// Loads the values of a fault, so that its status is `clean` afterwards, or `orphaned` if its row is gone.
  func fill(_ fault: any PersistentModel)

  /// The object a to-one relationship leads to: the registered one, or a new fault; `nil` if its row is known to be gone.
  func object(for key: ObjectKey, of owner: any PersistentModel, at property: Int) -> (any PersistentModel)?

  /// The members of a to-many relationship in their order, with pending additions and removals applied.
  func members(of owner: any PersistentModel, at property: Int) -> [any PersistentModel]

  /// A property is about to change for the first time since the last read or save; its original storage is kept already and its
  /// bit is set. The owner registers the object as changed and sets its status.
  func willChange(_ object: any PersistentModel, at property: Int)

  /// A relationship was assigned; the owner inserts new members that are detached, keeps the other sides right and
  /// registers their objects as changed. `old` and `new` differ, and hold no object twice that stood once.
  func relationshipDidChange(
    of object: any PersistentModel, at property: Int, from old: [any PersistentModel], to new: [any PersistentModel])
}
