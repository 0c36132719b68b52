import CoreDataStore
import ErrorReporting
import Foundation
import ToolConsole

/// The copy that is kept while a command changes a store in its place.
enum StoreBackup {
  /// `STORE.backup`, or `STORE-backup` for a store without a file extension.
  ///
  /// `Library.backup` would keep its big values in the folder of the store `Library`, since the names differ only in the extension (CD-5).
  static func place(for store: URL) -> URL {
    let place = URL(fileURLWithPath: store.path + ".backup")
    let hasExtension =
      place.deletingPathExtension().lastPathComponent != store.deletingPathExtension().lastPathComponent
    return hasExtension ? place : URL(fileURLWithPath: store.path + "-backup")
  }

  /// Copies a store to its backup, which must not exist.
  ///
  /// - Throws: `StoreError`, ``Failure``
  static func make(of store: URL) throws -> URL {
    let place = place(for: store)
    do {
      try StoreCopy.copyShowingProgress(from: store, to: place)
    } catch let error as StoreCopyError {
      throw Failure([message(error)])
    }
    return place
  }

  /// The message of a backup that was not made. The user cannot choose its place.
  private static func message(_ error: StoreCopyError) -> Message {
    var message = Message(file: error.path, error)
    switch error.kind {
    case .exists:
      message.problem = "the backup cannot be made here: the file exists already"
      message.remedy = "it may be the store before an earlier run: move it, or remove it if nothing needs it"
    case .sharedFolder, .folderNotWritable:
      message.problem = "the backup cannot be made here: \(error.problem)"
      message.remedy = "write the result to a file in another folder: --output FILE"
    case .noSpace:
      message.problem = "the backup cannot be made here: \(error.problem)"
      message.remedy = "free some space, or write the result to another disk: --output FILE"
    default: break
    }
    return message
  }
}
