import CoreDataStore
import Dispatch
import ToolConsole

/// Waits until any process has written to a store's files.
final class WriteAlarm {
  private let written = DispatchSemaphore(value: 0)
  private var watch: (any Sendable & AnyObject)?

  /// Milliseconds after a write, one after another.
  ///
  /// SQLite writes the log first. A moment later it writes the log's index, which makes the save visible. The kernel does not report
  /// the second write. The longer delays find the save of a slow writer.
  private static let delays = [100, 500, 2000]
  /// The place of the next delay; at the end, the next write is waited for.
  private var next = delays.count

  /// Begins to watch, so that no later write is missed.
  init(_ store: PersistentStore) {
    watch = store.watch { [written] in written.signal() }
  }

  /// Returns soon after a write, and a few times more, each time a while later. Many writes lead to few returns.
  ///
  /// - Throws: `Interruption.Requested`
  func wait() throws {
    if next < Self.delays.count {
      next += 1
      if try isWritten(within: Self.delays[next - 1]) { next = 0 }
    } else {
      while try !isWritten(within: 250) {}
      next = 0
    }
  }

  private func isWritten(within milliseconds: Int) throws -> Bool {
    for start in stride(from: 0, to: milliseconds, by: 250) {
      let result = written.wait(timeout: .now() + .milliseconds(min(250, milliseconds - start)))
      try Interruption.shared.check()
      guard result == .success else { continue }
      while written.wait(timeout: .now()) == .success {}
      return true
    }
    return false
  }
}
