import PostgreSQL

extension Connection {
  /// Whether a schema has a table.
  ///
  /// A query reads the catalogue as it is after a lock. `to_regclass` may read an older copy of it.
  func hasTable(_ table: Identifier, in schema: String) throws -> Bool {
    let sql =
      "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2"
    return try run(sql, [.text(schema), .text(table.name)]).rowCount > 0
  }
}
