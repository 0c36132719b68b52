import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

extension BatchWorld {
  /// Every row of every table, without the times of saves and the order of changes.
  func rows() throws -> [String] {
    let connection = try #require(TestServer.shared).connect()
    let schema = store.databaseSchema
    let tables = try connection.run(
      "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::text::regnamespace",
      [.text(schema)])
    var lines: [String] = []
    for row in 0..<tables.rowCount {
      let table = try #require(tables.text(row, 0))
      if ["_store", "_store_versions", "_store_transactions"].contains(table) { continue }
      // The order of the names of changed properties, and of the changes of a transaction, says nothing.
      let own =
        table == "_store_changes"
        ? "SELECT transaction, kind, entity, key, ARRAY(SELECT unnest(properties) ORDER BY 1), tombstone FROM"
        : "SELECT * FROM"
      let found = try connection.run("SELECT (t.*)::text FROM (\(own) \(schema).\(Identifier(table))) t")
      for line in 0..<found.rowCount { lines.append("\(table): \(found.text(line, 0) ?? "")") }
    }
    return lines.sorted()
  }

  func check() throws {}
}
