public import Foundation
internal import StoreRequests

extension ModelContext {
  /// Posted before a save writes, on its thread; the object is the context, the user info has the keys of ``NotificationKey``.
  ///
  /// The user info names the inserted, changed and deleted objects. It does not name those of a deletion or an update by a predicate that
  /// the save carries out in SQL, since that loads no objects; ``didSave`` names them. An observer may change the context, and asks it
  /// for `deletedModelsArray` or `changedModelsArray` to have those objects loaded. On another thread it may use other contexts only.
  /// Apple documents that its notification of this name has no user info.
  public static let willSave = Notification.Name("ModelContextWillSaveNotification")
  /// Posted after a save, on its thread; the object is the context, the user info has the keys of ``NotificationKey``.
  ///
  /// An observer may use the context. On another thread it may use other contexts only.
  public static let didSave = Notification.Name("ModelContextDidSaveNotification")

  /// Posted on the context's actor when an automatic save failed; the object is the context.
  ///
  /// The user info has the ``SwiftDataError`` under ``autosaveErrorKey``. The changes stay, and the next change tries
  /// again.
  /// Not in Apple's framework.
  public static let autosaveDidFail = Notification.Name("ModelContextAutosaveDidFailNotification")

  /// The key of the error in the user info of ``autosaveDidFail``.
  public static let autosaveErrorKey = "error"

  /// Posts a notification with the objects that the save is about to write.
  func post(_ name: Notification.Name) {
    var changes = SavedChanges()
    changes.inserted = core.unit.inserted.map { $0.persistentModelID }
    changes.updated = core.unit.changed.map { $0.persistentModelID }
    changes.deleted = core.unit.deleted.map { $0.persistentModelID }
    post(name, changes)
  }

  func post(_ name: Notification.Name, _ changes: SavedChanges) {
    // Not a dictionary of strings, which would be converted for each notification.
    var userInfo = [AnyHashable: Any](minimumCapacity: 7)
    userInfo[NotificationKey.insertedIdentifiers.rawValue] = changes.inserted
    userInfo[NotificationKey.updatedIdentifiers.rawValue] = changes.updated
    userInfo[NotificationKey.deletedIdentifiers.rawValue] = changes.deleted
    userInfo[NotificationKey.droppedIdentifiers.rawValue] = changes.dropped
    userInfo[NotificationKey.mergedIdentifiers.rawValue] = changes.merged
    let positions = HistoryPositions(changes, core.container)
    userInfo[NotificationKey.historyTokens.rawValue] = positions.token
    if !positions.byStore.isEmpty { userInfo[NotificationKey.historyTokensByStore.rawValue] = positions.byStore }
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
