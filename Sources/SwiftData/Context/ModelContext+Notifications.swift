public import Foundation

extension ModelContext {
  /// Posted before a save writes; the object is the context.
  public static let willSave = Notification.Name("ModelContextWillSaveNotification")
  /// Posted after a save; the object is the context, the keys are those of ``NotificationKey``.
  public static let didSave = Notification.Name("ModelContextDidSaveNotification")

  /// What a notification of a save says, as arrays of `PersistentIdentifier`.
  public enum NotificationKey: String {
    /// Apple's state of the store; not posted here.
    case queryGeneration
    /// Everything registered is void; not posted here.
    case invalidatedAllIdentifiers
    /// The inserted objects.
    case insertedIdentifiers = "inserted"
    /// The updated objects.
    case updatedIdentifiers = "updated"
    /// The deleted objects.
    case deletedIdentifiers = "deleted"
  }

  /// Posts what is about to be saved.
  func post(_ name: Notification.Name) {
    var changes = SavedChanges()
    changes.inserted = core.unit.inserted.map { $0.persistentModelID }
    changes.updated = core.unit.changed.map { $0.persistentModelID }
    changes.deleted = core.unit.deleted.map { $0.persistentModelID }
    post(name, changes)
  }

  func post(_ name: Notification.Name, _ changes: SavedChanges) {
    NotificationCenter.default.post(
      name: name, object: self,
      userInfo: [
        NotificationKey.insertedIdentifiers.rawValue: changes.inserted,
        NotificationKey.updatedIdentifiers.rawValue: changes.updated,
        NotificationKey.deletedIdentifiers.rawValue: changes.deleted,
      ])
  }
}
