import PostgreSQL

/// What the server knows about the rows of the tables that a migration writes.
///
/// It knows nothing about a table that is made or rewritten, and reads the present rows only some time after the commit. Until then it may
/// join large tables row by row. So the migration lets it read them before the program's code does.
struct TableStatistics {
  /// What changes with the rows of a table.
  private struct State: Equatable {
    /// The file with the rows. A table that is rewritten gets another one.
    let file: String?
    /// The number of rows that the transaction has written.
    let writes: Int64
  }

  private let connection: Connection
  /// The tables as the server knows them, by their numbers.
  private var known: [String: State] = [:]

  /// Takes the tables of a schema as known.
  init(_ connection: Connection, schema: Identifier) throws {
    self.connection = connection
    known = try tables(of: schema).mapValues(\.state)
  }

  /// Lets the server read the tables of a schema that have changed. Cost: a sample of each, whatever its size.
  mutating func update(schema: Identifier) throws {
    for (number, table) in try tables(of: schema).sorted(by: { $0.value.sql < $1.value.sql })
    where known[number].map({ $0 != table.state }) ?? (table.state.writes > 0) {
      try connection.execute("ANALYZE \(table.sql)")
      known[number] = table.state
    }
  }

  private func tables(of schema: Identifier) throws -> [String: (sql: String, state: State)] {
    let rows = try connection.run(
      """
      SELECT c.oid::text, c.relname, pg_relation_filenode(c.oid)::text, pg_stat_get_xact_tuples_inserted(c.oid) \
      + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid) \
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = \(sqlLiteral(schema.name)) AND c.relkind = 'r'
      """)
    var tables: [String: (sql: String, state: State)] = [:]
    for row in 0..<rows.rowCount {
      guard let number = rows.text(row, 0), let name = rows.text(row, 1) else { continue }
      tables[number] = (
        "\(schema).\(Identifier(name))", State(file: rows.text(row, 2), writes: rows.integer(row, 3))
      )
    }
    return tables
  }
}
