/// How a save treats rows that another context or process changed or deleted since they were read. Not in Apple's framework.
///
/// Except under ``fail``, a deletion wins over a change. An object that somebody else has deleted leaves the context and loses its
/// changes, and the rest is saved. `ModelContext.didSave` names these objects under `NotificationKey.droppedIdentifiers`, and a
/// warning is logged. A row that this context deletes is deleted, whoever has changed it.
///
/// Members of relationships to many are added and removed one by one under every policy. No policy brings a link back to an object that
/// the save deletes: an optional relationship becomes `nil`, and a required one keeps the destination that this context gave it.
public enum SaveConflictPolicy: Sendable, Hashable {
  /// The save writes the changed properties, keeps the row's other values, and then reads them.
  ///
  /// ``ModelContext/update(model:where:includeSubclasses:set:)`` computes its values again from the row. If two contexts add to one balance,
  /// both additions count. A row that the predicate no longer selects keeps its values.
  ///
  /// Core Data: `NSMergePolicy.mergeByPropertyObjectTrump`.
  case mergeByProperty
  /// The save writes nothing and throws ``SwiftDataError/saveConflict``, which names the objects.
  ///
  /// Core Data: `NSMergePolicy.error`.
  case fail
  /// As ``mergeByProperty``, but a property that both sides have changed takes the row's value.
  ///
  /// Cost: the rows in conflict are read once more. Core Data: `NSMergePolicy.mergeByPropertyStoreTrump`.
  case keepStored
  /// The save writes all values of an object in conflict, also those that this context has not changed.
  ///
  /// Core Data: `NSMergePolicy.overwrite`.
  case overwrite
  /// An object in conflict loses its changes and takes the row's values; the other objects are saved.
  ///
  /// Core Data: `NSMergePolicy.rollback`.
  case rollback
}
