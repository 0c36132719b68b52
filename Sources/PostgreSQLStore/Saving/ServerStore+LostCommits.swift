import Foundation
import PostgreSQL

extension ServerStore {
  /// Whether the server has committed a transaction, for a client that lost the connection before it heard the result.
  ///
  /// Asks over a new connection, until the pool's deadline, while the server does not answer or the transaction goes on.
  ///
  /// - Returns: `nil` if the server did not answer in time, or no longer knows the transaction.
  func hasCommitted(_ transaction: RecordedTransaction) -> Bool? {
    guard let number = transaction.number, let origin = transaction.origin else { return nil }
    let limit = Date(timeIntervalSinceNow: pool.deadline)
    repeat {
      let state = try? pool.reading { try Self.state(of: origin, over: $0) }
      if let state, state != .inProgress {
        let isRecorded = try? pool.reading { try self.isRecorded(number, origin, over: $0) }
        if isRecorded == true { return true }
        // Without a record, a committed transaction is another one of the same number, or its history is deleted.
        if isRecorded == false { return state == .undone ? false : nil }
      }
      Thread.sleep(forTimeInterval: 0.02)
    } while Date() < limit
    return nil
  }

  private enum TransactionState { case committed, undone, inProgress, forgotten }

  private static func state(
    of transaction: RecordedTransaction.Origin, over connection: Connection
  ) throws -> TransactionState {
    do {
      let status = try connection.run("SELECT pg_xact_status($1::text::xid8)", [.text("\(transaction.identifier)")])
      switch status.text(0, 0) {
      case "committed": return .committed
      case "aborted": return .undone
      case "in progress": return .inProgress
      default: return .forgotten
      }
    } catch let error as PostgreSQLError where error.state == .invalidParameterValue {
      // The server does not know the number yet: a crash ended the transaction before anything of it was written.
      return .undone
    }
  }

  private func isRecorded(
    _ number: Int64, _ origin: RecordedTransaction.Origin, over connection: Connection
  ) throws -> Bool {
    let rows = try connection.run(
      "SELECT 1 FROM \(layout.qualified(StoreDefinitions.transactions)) WHERE number = $1 AND \(HistoryWriter.moment("committed")) = $2",
      [.integer(number), .integer(origin.moment)])
    return rows.rowCount == 1
  }

  var unknownOutcome: StoreProblem {
    let seconds = Int(pool.deadline)
    return StoreProblem(
      "\(pool.address): the connection was lost while the server committed the save, and it could not be asked within \(seconds) second\(seconds == 1 ? "" : "s") whether it did — the changes are saved, all or none",
      remedy: "read the objects in a new context, and save again if the changes are missing")
  }
}
