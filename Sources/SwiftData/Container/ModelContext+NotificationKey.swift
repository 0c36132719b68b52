extension ModelContext {
  /// The keys of a save notification's user info; the values are arrays of `PersistentIdentifier`.
  public enum NotificationKey: String {
    /// Apple's identifier of the store's state; not posted here.
    case queryGeneration
    /// All registered objects are invalid; not posted here.
    case invalidatedAllIdentifiers
    /// The inserted objects.
    case insertedIdentifiers = "inserted"
    /// The updated objects.
    case updatedIdentifiers = "updated"
    /// The deleted objects.
    case deletedIdentifiers = "deleted"
    /// Changed objects that were not saved, because another context or process deleted them. Not in Apple's framework.
    case droppedIdentifiers = "dropped"
    /// Rows into which the save merged several objects with equal unique values, see ``UniquenessPolicy``. Not in Apple's
    /// framework.
    case mergedIdentifiers = "merged"
    /// The ``DefaultHistoryToken`` of the position after the save, with the stores to which it wrote; after a save to custom stores
    /// only, the token that the first of them returned.
    ///
    /// Only in `didSave`, and in ``ModelContainer/remoteChange``.
    case historyTokens
    /// The positions after the save by store identifier, those of custom stores included: `[String: any HistoryToken]`.
    ///
    /// Only in `didSave`. ``HistoryObserver`` takes such positions. Not in Apple's framework.
    case historyTokensByStore
  }
}
