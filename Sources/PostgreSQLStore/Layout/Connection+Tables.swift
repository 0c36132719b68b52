import PostgreSQL

extension Connection {
  /// Whether a schema has a table.
  ///
  /// A query reads the catalogue as it is after a lock. `to_regclass` may read an older copy of it.
  func hasTable(_ table: Identifier, in schema: String) throws -> Bool {
    // Both names in one look-up of an index: many schemas may have a table of this name.
    let sql = """
      SELECT 1 FROM pg_class WHERE relname = $2::name
      AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name)
      """
    return try run(sql, [.text(schema), .text(table.name)]).rowCount > 0
  }
}
