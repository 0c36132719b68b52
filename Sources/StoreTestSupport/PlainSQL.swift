import CoreDataStore
package import Foundation
package import SQLite
package import StoreRequests

/// SQL on a connection of its own, as another program uses a store.
package enum PlainSQL {
  /// Runs statements.
  package static func run(_ url: URL, _ script: String) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(script)
  }

  /// The rows of a query.
  package static func rows(_ url: URL, _ text: String) throws -> [[StoreValue]] {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    return try rows(connection, text)
  }

  /// The rows of a query on a connection that a test keeps open.
  package static func rows(_ connection: Connection, _ text: String) throws -> [[StoreValue]] {
    let statement = try connection.prepare(text)
    var rows: [[StoreValue]] = []
    while try statement.step() {
      var reader = RowReader(statement, startingAt: 0)
      rows.append((0..<statement.columnCount).map { _ in reader.value() })
    }
    return rows
  }
}
