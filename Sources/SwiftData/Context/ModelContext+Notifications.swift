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
    /// Changed objects that were not saved, because another context or process deleted them. Not in Apple's framework.
    case droppedIdentifiers = "dropped"
  }

  /// Posted on the main actor when the main context could not save by itself; the object is the context.
  ///
  /// The user info has the ``SwiftDataError`` under ``autosaveErrorKey``. The changes stay, and the next change of the context
  /// makes it try again. Not in Apple's framework.
  public static let autosaveDidFail = Notification.Name("ModelContextAutosaveDidFailNotification")

  /// The key of the error in the user info of ``autosaveDidFail``.
  public static let autosaveErrorKey = "error"

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
        NotificationKey.droppedIdentifiers.rawValue: changes.dropped,
      ])
  }
}
