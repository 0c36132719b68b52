import Foundation
import PostgreSQL
package import StoreRequests
import Synchronization

extension ServerStore: WatchableEngine {
  /// Listens on a thread and over a connection of its own. After a lost connection it connects again and calls the closure, since
  /// saves may have happened meanwhile.
  ///
  /// A standby refuses `LISTEN`, and a pooler may give a listening session to another client. There the watch asks four times a second
  /// for the last save's number. Cost: one query each.
  package func watch(_ written: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
    // Nobody else sees, or makes, changes in the transaction of a migration.
    guard !pool.isLending else { return nil }
    let watch = Watch()
    let (address, deadline, mayListen) = (pool.address, pool.deadline, !sharesSessions)
    let listen = "LISTEN \(Identifier(NotificationChannel.name(schema: layout.schema.name)))"
    Thread.detachNewThread { [state = watch.state, weak self] in
      if mayListen, state.listens(to: address, listen, deadline: deadline, written) { return }
      state.poll({ self }, written)
    }
    return watch
  }

  /// The version of the store, and the number of its last save.
  fileprivate func numbers() throws -> [Int64] {
    try pool.reading { connection in
      let result = try connection.run(
        "SELECT version, last_transaction FROM \(layout.qualified(StoreDefinitions.store))")
      return result.rowCount == 1 ? [result.integer(0, 0), result.integer(0, 1)] : []
    }
  }

  package func dataVersion() throws -> Int64 { try lastTransaction() ?? 0 }

  /// Not known without a query.
  package func markOfOthers() -> OthersMark? { nil }
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

  /// Calls the closure when the number of the last save, or the version of the store, has changed. Ends with the store.
  func poll(_ store: () -> ServerStore?, _ written: @Sendable () -> Void) {
    var known: [Int64]?
    var found: [Int64]?
    var isLost = false
    while isRunning {
      // Holds the store no longer than the query takes.
      let isOpen = store().map { found = numbers(of: $0, isReported: isLost) } != nil
      guard isOpen else { return }
      // Saves may have happened before the first answer, and while the server was away.
      if let found, found != known || isLost { written() }
      isLost = found == nil
      known = found ?? known
      Thread.sleep(forTimeInterval: 0.25)
    }
  }

  /// The numbers of a store, or `nil` with one warning for each time that the server is away.
  private func numbers(of store: ServerStore, isReported: Bool) -> [Int64]? {
    do { return try store.numbers() } catch {
      if !isReported { warnOfSilence(store.pool.address, error) }
      return nil
    }
  }

  private func warnOfSilence(_ address: ServerAddress, _ error: any Error) {
    ServerLog.warn("\(address): nobody listens to the saves of others until the server is back: \(error)")
  }

  /// Listens until the end of the watch.
  ///
  /// - Parameter deadline: the seconds without a notification after which the server has to answer a question, and the seconds that it has for that.
  /// - Returns: `false` if nobody can listen at the address.
  func listens(
    to address: ServerAddress, _ listen: String, deadline: Double, _ written: @Sendable () -> Void
  ) -> Bool {
    var pause = 0.1
    var isReported = false
    while isRunning {
      do {
        let connection = try Connection(address, deadline: Int(deadline.rounded(.up)))
        // A pooler may give the session to other clients, and notifications get lost.
        if try connection.isBehindPooler() { return false }
        let settings = ServerSettings.idle.statements(for: .session, serverVersion: connection.serverVersion)
        try connection.execute("\(settings); \(listen)")
        pause = 0.1
        isReported = false
        written()
        try self.listen(over: connection, deadline, written)
      } catch let error as PostgreSQLError where error.state == .readOnlyTransaction && !error.isConnectionLost {
        // A standby lets nobody listen.
        return false
      } catch {
        // Once for each time that the server is away.
        if !isReported { warnOfSilence(address, error) }
        isReported = true
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 5)
      }
    }
    return true
  }

  private func listen(over connection: Connection, _ deadline: Double, _ written: @Sendable () -> Void) throws {
    var heard = ContinuousClock.now
    while isRunning {
      if try !connection.notifications(waiting: 0.25).isEmpty {
        written()
        heard = .now
      } else if ContinuousClock.now - heard >= .seconds(deadline) {
        // A connection may end without a sign.
        try connection.confirm(within: deadline)
        heard = .now
      }
    }
  }
}
