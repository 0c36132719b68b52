import CoreDataStore
import Foundation
import ToolConsole

extension StoreCopy {
  /// Copies a store with its progress on the terminal. An interruption ends the copy, and nothing is left of it.
  ///
  /// - Parameter change: changes the copy before it takes its place.
  /// - Throws: as ``copy(from:to:replaces:busyTimeout:progress:changing:)``; `Interruption.Requested`.
  @discardableResult
  static func copyShowingProgress(
    from store: URL, to place: URL, replaces: Bool = false, changing change: Change? = nil
  ) throws -> Report {
    try ToolConsole.Progress.shared.during("copying \(store.lastPathComponent)") {
      try copy(
        from: store, to: place, replaces: replaces, progress: ToolConsole.Progress.shared.report, changing: change)
    }
  }
}

extension Failure {
  /// A copy that was not made.
  ///
  /// - Parameter suggestsForce: whether the command has `--force`, which was not given.
  init(ofCopy error: StoreCopyError, suggestsForce: Bool) {
    var message = Message(file: error.path, error)
    if error.kind == .exists, suggestsForce { message.remedy = "name another place, or use --force" }
    self.init([message])
  }
}
