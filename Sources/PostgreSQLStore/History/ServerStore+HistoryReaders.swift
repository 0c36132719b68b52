import ErrorReporting
package import Foundation
import PostgreSQL
import StoreRequests

// Readers of the history, by name, each with the number of the last transaction that it has read.
extension ServerStore {
  private var transactions: String { layout.qualified(StoreDefinitions.transactions) }
  private var readers: String { layout.qualified(StoreDefinitions.readers) }

  /// Removes the oldest transactions, up to the first that is not before a moment or that a reader needs.
  ///
  /// A clock that was set back makes later transactions older. They stay, so that the numbers have no gap.
  /// Cost: one short query, and a transaction if there is anything to remove.
  package func pruneHistory(before date: Date) throws {
    try requireWriting()
    let moment = Parameter.moment(date)
    // A query without locks comes first: usually there are no old transactions.
    let hasOld = try pool.reading { connection in
      try connection.run("SELECT 1 FROM \(transactions) WHERE committed < $1 LIMIT 1", [moment]).rowCount > 0
    }
    guard hasOld else { return }
    try pool.repeating { connection in
      var bounds = ["(SELECT min(number) - 1 FROM \(transactions) WHERE committed >= $1)", "\(Int64.max)"]
      if try hasReaders(connection) {
        // A reader that comes meanwhile waits, and then finds that its transactions are gone.
        try connection.execute("LOCK TABLE \(readers) IN SHARE MODE")
        bounds.append("(SELECT min(transaction) FROM \(readers))")
      }
      try connection.run(
        "DELETE FROM \(transactions) WHERE number <= least(\(bounds.joined(separator: ", ")))", [moment])
    }
  }

  /// Keeps the transactions after a number from ``pruneHistory(before:)`` for a reader, until the reader names another number.
  ///
  /// - Parameter number: `nil` forgets the reader.
  /// - Throws: ``StoreProblem`` for a store of an earlier version that nobody could complete; ``PostgreSQLError``.
  package func keepHistory(after number: Int64?, for reader: String) throws -> Bool {
    try requireWriting()
    let name = Parameter.text(reader.withoutNUL)
    try pool.repeating { connection in
      let hasReaders = try hasReaders(connection)
      guard let number else {
        if hasReaders { try connection.run("DELETE FROM \(readers) WHERE name = $1", [name]) }
        return
      }
      guard hasReaders else {
        throw StoreProblem(
          "\(pool.address): the schema \(quoted(layout.schema.name)) has no table of the history's readers, which stores of earlier versions lack",
          remedy: "open the store for writing once, as a user who may make tables in the schema")
      }
      try connection.run(
        "INSERT INTO \(readers) (name, transaction) VALUES ($1, $2) "
          + "ON CONFLICT (name) DO UPDATE SET transaction = excluded.transaction", [name, .integer(number)])
    }
    return true
  }

  private func hasReaders(_ connection: Connection) throws -> Bool {
    try connection.hasTable(StoreDefinitions.readers, in: layout.schema.name)
  }
}
