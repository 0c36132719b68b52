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

  /// The rows of a query as lines: the columns as text, with blanks between them, and `-` for `NULL`.
  package static func lines(_ url: URL, _ text: String) throws -> [String] {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    return try lines(connection, text)
  }

  /// The rows of a query as lines, on a connection that a test keeps open.
  package static func lines(_ connection: Connection, _ text: String) throws -> [String] {
    let statement = try connection.prepare(text)
    var lines: [String] = []
    while try statement.step() {
      lines.append((0..<statement.columnCount).map { statement.text($0) ?? "-" }.joined(separator: " "))
    }
    return lines
  }

  /// The steps of a query's plan, in SQLite's words.
  package static func plan(_ connection: Connection, _ text: String, _ bindings: [StoreValue] = []) throws -> [String] {
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + text)
    for (index, value) in bindings.enumerated() { try statement.bind(value, at: index + 1) }
    var steps: [String] = []
    while try statement.step() { steps.append(statement.text(3) ?? "") }
    return steps
  }
}
