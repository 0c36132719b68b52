import CoreDataStore
import Foundation
import ToolConsole

/// A store that a command makes. It is written beside its place, and takes its place in one step when it is complete.
enum NewStore {
  /// Makes a store, and its folder if that is missing.
  ///
  /// If the process is killed, only a hidden folder stays; the next run for the same place removes it.
  /// - Parameter writing: makes the store at the draft's place, and leaves no connection to it open.
  /// - Throws: `StoreError`, ``Failure``, the errors of `writing`. No new file or folder is left then. A file that another program has
  ///   put at the place meanwhile stays as it is.
  static func make(at place: URL, writing: StoreCopy.Change) throws {
    let folder = try StoreFile(place).folder
    let folders: MadeFolders
    do { folders = try MadeFolders(URL(fileURLWithPath: folder, isDirectory: true)) } catch {
      throw StoreError(path: place.path, .folderMissing(folder, reason: Failure.reason(error)))
    }
    do {
      try StoreCopy.make(at: place, replaces: false, writing: writing)
    } catch {
      folders.remove()
      guard let error = error as? StoreCopyError else { throw error }
      var message = Message(file: error.path, error)
      if error.kind == .exists { message.remedy = "run the command again, to change the store that is there now" }
      throw Failure([message])
    }
  }
}
