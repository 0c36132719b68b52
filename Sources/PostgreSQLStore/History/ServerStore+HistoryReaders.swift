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
  /// Cost: one short query; one more if there is anything to remove, and a transaction for each ``pruningSize`` of them.
  package func pruneHistory(before date: Date) throws {
    try requireWriting()
    let moment = Parameter.moment(date)
    // A query without locks comes first: usually there are no old transactions.
    let last = try pool.reading { connection -> Int64? in
      let old = try connection.run("SELECT 1 FROM \(transactions) WHERE committed < $1 LIMIT 1", [moment])
      guard old.rowCount > 0 else { return nil }
      return try connection.run(
        """
        SELECT coalesce(
          (SELECT min(number) - 1 FROM \(transactions) WHERE committed >= $1), (SELECT max(number) FROM \(transactions)))
        """, [moment]
      ).integer(0, 0)
    }
    guard let last else { return }
    while try removeOldest(through: last) {}
  }

  /// The number of transactions deleted at a time. Deleting all at once could exceed the server's time limit and be rolled back.
  static var pruningSize: Int { 1000 }

  /// Removes the oldest transactions, at most ``pruningSize`` of them, and none that a reader needs.
  ///
  /// - Returns: whether there may be more.
  private func removeOldest(through last: Int64) throws -> Bool {
    try pool.repeating { connection in
      var bound = "$1"
      if try hasReaders(connection) {
        // A reader that comes meanwhile waits, and then finds that its transactions are gone.
        try connection.execute("LOCK TABLE \(readers) IN SHARE MODE")
        bound = "least($1, (SELECT min(transaction) FROM \(readers)))"
      }
      let oldest =
        "SELECT number FROM \(transactions) WHERE number <= \(bound) ORDER BY number LIMIT \(Self.pruningSize)"
      let removed = try connection.run("DELETE FROM \(transactions) WHERE number IN (\(oldest))", [.integer(last)])
      return removed.affectedCount == Self.pruningSize
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
