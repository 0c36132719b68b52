import ErrorReporting
import PostgreSQL

// The tables of a store as the server's catalogue has them.
extension StoreRecords {
  /// Makes the schema, unless it is there.
  func makeSchema() throws {
    let found = try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1::name", [.text(options.schema)])
    if found.rowCount == 0 { try connection.execute("CREATE SCHEMA \(Identifier(options.schema))") }
  }

  /// The names of the tables and views that the schema has, without the members of extensions.
  func tableNames() throws -> [String] {
    let rows = try connection.run(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1::name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.relname
      """, [.text(options.schema)])
    return (0..<rows.rowCount).compactMap { rows.text($0, 0) }
  }

  /// Checks that no table was changed by hand in a way that would make statements fail.
  func checkColumns(_ layout: StoreLayout) throws {
    let rows = try connection.run(
      """
      SELECT c.relname::text, a.attname::text, a.atttypid::bigint FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE n.nspname = $1::name AND a.attnum > 0 AND NOT a.attisdropped
      """, [.text(options.schema)])
    var types: [String: [String: Int64]] = [:]
    for row in 0..<rows.rowCount {
      types[rows.text(row, 0) ?? "", default: [:]][rows.text(row, 1) ?? ""] = rows.integer(row, 2)
    }
    func check(_ table: Identifier, _ column: Identifier, _ type: DataType) throws {
      guard let found = types[table.name]?[column.name] else {
        throw problem(
          "the table \(quoted(table.name)) has no column \(quoted(column.name))", remedy: "undo the change of the table"
        )
      }
      guard found == Int64(type.rawValue) else {
        throw problem(
          "the column \(quoted(column.name)) of the table \(quoted(table.name)) is not of the type \(type.sql)",
          remedy: "undo the change of the table")
      }
    }
    for table in layout.tables {
      try check(table.name, TableLayout.key, .integer64)
      try check(table.name, TableLayout.version, .integer64)
      if table.hasKinds { try check(table.name, TableLayout.kind, .text) }
      for column in table.columns { try check(table.name, column.name, column.type) }
    }
    for table in layout.joinTables {
      for column in [table.own, table.other, table.order, table.inverseOrder].compactMap(\.self) {
        try check(table.name, column, .integer64)
      }
    }
  }
}
