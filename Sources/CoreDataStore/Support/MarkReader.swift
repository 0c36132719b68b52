import Foundation
import SQLite
import StoreRequests

/// A connection that tells whether anybody has saved, opened when it is first asked.
///
/// It has a lock of its own, so that a question never waits for a save.
final class MarkReader: @unchecked Sendable {  // all that is `var` is guarded by `lock`
  private let open: @Sendable () throws -> Connection
  private let lock = NSLock()
  private var connection: Connection?
  /// The number of connections that have been opened.
  private var number = 0
  private var isClosed = false

  init(_ open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// The connection's version of the data; `nil` if the store is locked, cannot be read, or is closed.
  func mark() -> OthersMark? {
    lock.withLock {
      guard !isClosed else { return nil }
      if connection == nil {
        connection = try? open()
        number += 1
      }
      // The numbers of writers are not negative.
      return connection.flatMap { OthersMark($0, number: -number) }
    }
  }

  /// Closes the connection until the next question.
  func pause() { lock.withLock(drop) }

  /// Closes the connection for good.
  func close() {
    lock.withLock {
      isClosed = true
      drop()
    }
  }

  private func drop() {
    connection?.close()
    connection = nil
  }
}

extension OthersMark {
  /// - Returns: `nil` if the store is locked, or cannot be read.
  init?(_ connection: Connection, number: Int) {
    guard let version = try? connection.withoutWaiting({ try $0.dataVersion() }) else { return nil }
    self.init(connection: number, version: version)
  }
}
