import CoreDataStore
import DatabaseFiles
import ErrorReporting
import Foundation
import ToolConsole

/// Copies of stores that are only tried out, in the system's temporary folder.
enum TrialCopy {
  /// Calls `body` with a copy of a store, and then removes the copy.
  ///
  /// A copy that a killed run left is removed too. A store error about the copy gets the store's path.
  /// - Throws: `StoreError`, ``Failure`` if the copy cannot be written; the errors of `body`.
  static func with<Result>(_ store: URL, _ body: (_ copy: URL) throws -> Result) throws -> Result {
    let folder = try temporaryFolder("trial")
    return try withExtendedLifetime(folder) {
      let place = folder.url.appendingPathComponent(store.lastPathComponent)
      do {
        try StoreCopy.copyShowingProgress(from: store, to: place)
      } catch let error as StoreCopyError {
        throw Failure(
          place, line: nil, error.problem, remedy: "name a temporary folder with enough room: TMPDIR=FOLDER")
      }
      do { return try body(place) } catch let error as StoreError where error.path == place.standardizedFileURL.path {
        throw StoreError(path: store.path, error.kind)
      }
    }
  }

  /// A folder in the system's temporary folder, removed with the value, or by a later run if this one is killed.
  ///
  /// - Throws: ``Failure``
  static func temporaryFolder(_ purpose: String) throws -> DraftFolder {
    let parent = FileManager.default.temporaryDirectory
    do { return try DraftFolder(of: "store-tool", in: parent.path, purpose: purpose) } catch {
      throw Failure(
        parent, line: nil, "no folder can be made in it: \(Failure.reason(error))",
        remedy: "name a temporary folder that you may write: TMPDIR=FOLDER")
    }
  }
}
