import Foundation
import PostgreSQL
import StoreRequests
import Synchronization

extension ServerStore: WatchableEngine {
  /// Listens on a thread and over a connection of its own. After a lost connection it connects again and calls the closure, since
  /// saves may have happened meanwhile.
  package func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
    // Nobody else sees, or makes, changes in the transaction of a migration.
    guard !pool.isLending else { return nil }
    let watch = Watch()
    let address = pool.address
    let channel = Identifier(NotificationChannel.name(schema: layout.schema.name))
    Thread.detachNewThread { [state = watch.state] in
      state.run(address, "LISTEN \(channel)", written)
    }
    return watch
  }

  package func dataVersion() throws -> Int64 { try lastTransaction() ?? 0 }
}

/// Ends the listening when it is released.
private final class Watch: Sendable {
  let state = WatchState()

  deinit { state.end() }
}

private final class WatchState: Sendable {
  private let isEnded = Mutex(false)

  func end() { isEnded.withLock { $0 = true } }

  private var isRunning: Bool { isEnded.withLock { !$0 } }

  func run(_ address: ServerAddress, _ listen: String, _ written: @Sendable () -> Void) {
    var pause = 0.1
    while isRunning {
      do {
        let connection = try Connection(address)
        try connection.execute(listen)
        pause = 0.1
        written()
        while isRunning { if try !connection.notifications(waiting: 0.25).isEmpty { written() } }
      } catch {
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 5)
      }
    }
  }
}
