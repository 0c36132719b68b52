/// What a save does about rows that somebody else has changed since they were read. Not in Apple's framework.
public enum SaveConflictPolicy: Sendable, Hashable {
  /// Changed properties are written, the others keep what the store has; what a row had become is read back after the save.
  ///
  /// This is what SwiftData does. A changed object whose row is gone is an error all the same.
  case mergeByProperty
  /// Nothing is written, and the save throws ``SwiftDataError/saveConflict``, which names the objects.
  case fail
}
