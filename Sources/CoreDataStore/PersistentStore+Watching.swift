internal import DatabaseFiles
internal import Dispatch
import Foundation
import StoreRequests

extension PersistentStore: WatchableEngine {
  /// Calls a closure on a private queue soon after any process has written to the store's files.
  ///
  /// Every save writes the write-ahead log, so the log is watched, and the main file for stores without a log. Costs three
  /// watches of the kernel. Where the kernel cannot tell, on a remote file system, a timer calls the closure each second.
  ///
  /// SQLite makes a save visible in the log's index a moment after it has written the log. The kernel reports no event
  /// for this.
  package func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
    guard let file = url?.resolvingSymlinksInPath() else { return nil }
    let names: Set<String> = [file.lastPathComponent, file.lastPathComponent + "-wal"]
    let folder = file.deletingLastPathComponent().path
    return FileWatcher.shared.watch(names, in: folder, changed: written) ?? PollingTimer(written)
  }
}

/// Calls a closure once in a second.
private final class PollingTimer: @unchecked Sendable {  // immutable; Dispatch guards the timer
  private let timer: any DispatchSourceTimer

  init(_ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(250))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
