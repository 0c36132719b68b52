import CPostgreSQL
import Foundation

// What a connection needs that listens.
extension Connection {
  /// Makes sure that the server still answers, for a connection that only listens.
  ///
  /// - Throws: ``PostgreSQLError`` if no answer comes within some seconds. The connection is of no use then.
  package func confirm(within seconds: Double) throws {
    let sql = "SELECT 1"
    guard PQsendQuery(raw.pointer, sql) == 1 else { throw raw.problem(sql) }
    let limit = ContinuousClock.now + .seconds(seconds)
    while PQisBusy(raw.pointer) == 1 {
      let rest = (limit - ContinuousClock.now) / .seconds(1)
      guard rest > 0 else {
        let count = Int(seconds.rounded(.up))
        throw PostgreSQLError(
          message: "the server has not answered for \(count) second\(count == 1 ? "" : "s")", database: "\(address)",
          isConnectionLost: true)
      }
      try waitForInput(rest)
    }
    while let result = PQgetResult(raw.pointer) { PQclear(result) }
  }

  /// Reads what the server sends. Waits at most some seconds.
  private func waitForInput(_ seconds: Double) throws {
    var poll = pollfd(fd: PQsocket(raw.pointer), events: Int16(POLLIN), revents: 0)
    _ = Foundation.poll(&poll, 1, Int32(min(seconds, 1000) * 1000))
    guard PQconsumeInput(raw.pointer) == 1 else {
      let last = raw.lastMessage
      throw PostgreSQLError(
        state: last.state, message: last.text, database: "\(address)", isConnectionLost: true)
    }
  }

  /// The next notifications of channels that the connection listens to: their payloads. Waits at most some seconds.
  ///
  /// - Throws: ``PostgreSQLError`` if the connection is lost.
  package func notifications(waiting seconds: Double) throws -> [String] {
    try waitForInput(seconds)
    var payloads: [String] = []
    while let notification = PQnotifies(raw.pointer) {
      payloads.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return payloads
  }
}
