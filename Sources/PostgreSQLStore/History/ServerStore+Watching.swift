import Foundation
import PostgreSQL
import StoreRequests
import Synchronization

extension ServerStore: WatchableEngine {
  /// Listens over a connection of its own, on a thread of its own. A lost connection is made again, and counts as a sign, since saves
  /// may have been missed meanwhile.
  package func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
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
