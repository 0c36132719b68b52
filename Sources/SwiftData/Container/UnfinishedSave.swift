/// A save over two stores of which only one was written, because the saving process was killed between the two commits.
///
/// A container completes such saves when it opens. This one could not be completed: usually because somebody has changed the same
/// objects since. See ``ModelContainer/unfinishedSaves``. Not in Apple's framework.
public struct UnfinishedSave: Sendable, Hashable, CustomStringConvertible {
  /// The identifier of the record, and of the store that has it.
  let record: String
  let recordStore: String
  /// The configuration of the store that has its part of the save.
  public let savedStore: String
  /// The number of the save in the history of ``savedStore``, as in ``DefaultHistoryTransaction``; `nil` if it keeps no history.
  public let transaction: Int64?
  /// The configuration of the store that lacks its part.
  public let unsavedStore: String
  /// Why the save was not completed.
  public let reason: String

  /// The stores, the transaction, the reason, and what to do.
  public var description: String {
    let number = transaction.map { " (transaction \($0))" } ?? ""
    return """
      A process was killed during a save: \(savedStore) is saved\(number), \(unsavedStore) is not, and could not be completed: \(reason) — \
      compare the objects of both stores, correct them, and call discard(_:) of the container
      """
  }
}

extension ModelContainer {
  /// Saves over several stores that a killed process left half done, and that could not be completed; usually empty.
  ///
  ///     for save in container.unfinishedSaves {
  ///       print(save)
  ///       try container.discard(save)
  ///     }
  ///
  /// The container looks for them when it opens, and at each save over several stores. It tries each again then, until you discard it. It
  /// logs each of them once. Not in Apple's framework.
  public var unfinishedSaves: [UnfinishedSave] { core.jointSaves.unfinished }

  /// Forgets an unfinished save: no container tries to complete it any more, nor reports it. The objects stay as they are.
  ///
  /// A save over three stores may be reported for two of them; both reports are forgotten. Not in Apple's framework.
  /// - Parameter save: one of ``unfinishedSaves``.
  /// - Throws: ``SwiftDataError/storeFailure`` if the store that was saved cannot be written.
  public func discard(_ save: UnfinishedSave) throws { try core.jointSaves.discard(save, from: core.stores) }
}
