import CoreDataStore
package import Foundation
import SQLite
package import StoreRequests

/// Changes a store as another program does.
package func sql(_ url: URL, _ script: String) throws {
  let connection = try Connection(path: url.path, mode: .readWrite)
  defer { connection.close() }
  try connection.execute(script)
}

/// Rows of a query, on a connection that has nothing to do with the store's code.
package func rows(_ url: URL, _ text: String) throws -> [[StoreValue]] {
  let connection = try Connection(path: url.path, mode: .readWrite)
  defer { connection.close() }
  let statement = try connection.prepare(text)
  var rows: [[StoreValue]] = []
  while try statement.step() {
    var reader = RowReader(statement, startingAt: 0)
    rows.append((0..<statement.columnCount).map { _ in reader.value() })
  }
  return rows
}
