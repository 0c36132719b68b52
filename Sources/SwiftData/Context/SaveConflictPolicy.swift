/// How a save treats rows that another context or process changed or deleted since they were read. Not in Apple's framework.
public enum SaveConflictPolicy: Sendable, Hashable {
  /// The save writes the changed properties, keeps the row's other values, and then reads them.
  ///
  /// A deletion wins: the object leaves the context and loses its changes, and the rest is saved.
  /// `ModelContext.didSave` names these objects under `NotificationKey.droppedIdentifiers`, and a warning is logged.
  case mergeByProperty
  /// The save writes nothing and throws ``SwiftDataError/saveConflict``, which names the objects.
  case fail
}
