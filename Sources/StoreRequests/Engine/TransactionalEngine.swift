/// An engine whose save can wait with its commit until other stores have written their part.
///
/// So a save over several stores is all or nothing: the save of each store contains the save of the next store, and commits after
/// it. A failure before the first commit undoes all of them.
package protocol TransactionalEngine: StoreEngine {
  /// Whether a commit may fail, or its result get lost, although all is written. Such stores commit before other ones.
  var commitsRemotely: Bool { get }

  /// Like ``StoreEngine/save(_:)``, with a closure that runs after all is written and before the commit.
  ///
  /// The engine first does all of the commit's work that may fail. It calls the closure once, and saves nothing if it throws.
  /// - Parameter beforeCommit: gets the result that the save will have.
  func save(_ changes: ChangeSet, beforeCommit: (SaveResult) throws -> Void) throws -> SaveResult
}
