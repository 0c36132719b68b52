import CoreDataStore
import Dispatch
import ToolConsole

/// Waits until any process has written to a store's files.
final class WriteAlarm {
  private let written = DispatchSemaphore(value: 0)
  private var watch: (any Sendable & AnyObject)?
  private var mayLag = false

  /// Begins to watch, so that no later write is missed.
  init(_ store: PersistentStore) {
    watch = store.watch { [written] in written.signal() }
  }

  /// Returns soon after a write, and once more a moment later: SQLite makes a save visible in the log's index a moment
  /// after it has written the log, and no event tells of this. Many writes lead to few returns.
  ///
  /// - Throws: `Interruption.Requested`
  func wait() throws {
    if mayLag {
      mayLag = false
      _ = written.wait(timeout: .now() + .milliseconds(100))
      while written.wait(timeout: .now()) == .success { mayLag = true }
      return try Interruption.shared.check()
    }
    while written.wait(timeout: .now() + .milliseconds(250)) == .timedOut { try Interruption.shared.check() }
    while written.wait(timeout: .now()) == .success {}
    mayLag = true
    try Interruption.shared.check()
  }
}
