import ErrorReporting
import PostgreSQL

// The tables of a store as the server's catalogue has them.
extension StoreRecords {
  /// Checks that all tables of a new store can be made.
  ///
  /// - Throws: ``StoreProblem`` for a table whose name the server gives to a part of another table.
  func checkNames(of layout: StoreLayout) throws {
    guard let clash = AutomaticNames.clash(in: layout) else { return }
    throw problem(clash, remedy: "rename the entity or the relationship that the table is named after")
  }

  /// Checks that no type of the schema has the name of a table: a table is a type of its name, too.
  ///
  /// - Throws: ``StoreProblem`` for the first such type.
  func checkTypes(of layout: StoreLayout) throws {
    let names = layout.tables.map(\.name.name) + layout.joinTables.map(\.name.name)
    // The server renames an array type that is in the way of a table, so array types do not count.
    let found = try connection.run(
      """
      SELECT t.typname::text FROM pg_type t
      WHERE t.typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name) AND t.typname = ANY ($2::name[])
        AND NOT EXISTS (SELECT 1 FROM pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid)
      ORDER BY 1 LIMIT 1
      """, [.text(options.schema), .texts(names)])
    guard found.rowCount > 0, let name = found.text(0, 0) else { return }
    throw problem(
      "the schema \(quoted(options.schema)) already has a type \(quoted(name)), and a table cannot have the name of a type",
      remedy: "choose another schema, or rename the type, the entity or the relationship")
  }

  /// Runs a closure that makes the schema and its tables. Tells how to grant a missing right.
  func making<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PostgreSQLError where error.state == .insufficientPrivilege {
      let (schema, user) = (Identifier(options.schema), Identifier(connection.user))
      let isSchema = error.statement?.hasPrefix("CREATE SCHEMA") == true
      throw error.advising(
        isSchema
          ? "let an administrator make the schema: CREATE SCHEMA \(schema) AUTHORIZATION \(user)"
          : "let an administrator run GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(user), or give the configuration another databaseSchema, which this user may make"
      )
    }
  }

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
  ///
  /// Cost: one query that finds the tables by an index, however many tables other schemas have.
  func checkColumns(_ layout: StoreLayout) throws {
    let tables =
      layout.tables.map(\.name.name) + layout.joinTables.map(\.name.name)
      + StoreDefinitions.historyColumns.map { $0.0.name }
    let rows = try connection.run(
      """
      SELECT c.relname::text, a.attname::text, a.atttypid::bigint,
        a.attnotnull AND NOT a.atthasdef AND a.attidentity = '',
        CASE WHEN a.attname = $2::name AND c.relkind = 'r' AND c.relname = ANY ($3::text[])
          THEN pg_get_serial_sequence(format('%I.%I', $1::text, c.relname), a.attname) IS NULL ELSE false END
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name) AND c.relname = ANY ($4::name[])
        AND a.attnum > 0 AND NOT a.attisdropped
      """,
      [
        .text(options.schema), .text(TableLayout.key.name),
        .texts(options.isReadOnly ? [] : layout.tables.map(\.name.name)), .texts(tables),
      ])
    var types: [Identifier: [Identifier: Int64]] = [:]
    var required: [Identifier: Set<Identifier>] = [:]
    var withoutSequence: Set<Identifier> = []
    for row in 0..<rows.rowCount {
      let (table, column) = (Identifier(rows.text(row, 0) ?? ""), Identifier(rows.text(row, 1) ?? ""))
      types[table, default: [:]][column] = rows.integer(row, 2)
      if rows.integer(row, 3) != 0 { required[table, default: []].insert(column) }
      if rows.integer(row, 4) != 0 { withoutSequence.insert(table) }
    }
    var known: [Identifier: Set<Identifier>] = [:]
    func found(_ table: Identifier, _ column: Identifier) throws -> Int64 {
      known[table, default: []].insert(column)
      guard let columns = types[table] else {
        throw problem("the table \(quoted(table.name)) is missing", remedy: "restore it from a backup")
      }
      guard let type = columns[column] else {
        throw problem(
          "the table \(quoted(table.name)) has no column \(quoted(column.name))", remedy: "undo the change of the table"
        )
      }
      return type
    }
    func check(_ table: Identifier, _ column: Identifier, _ type: DataType) throws {
      guard try found(table, column) == Int64(type.rawValue) else {
        throw problem(
          "the column \(quoted(column.name)) of the table \(quoted(table.name)) is not of the type \(type.sql)",
          remedy: "undo the change of the table")
      }
    }
    for (table, columns) in StoreDefinitions.historyColumns { for column in columns { _ = try found(table, column) } }
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
    guard !options.isReadOnly else { return }
    if let table = layout.tables.first(where: { withoutSequence.contains($0.name) }) {
      throw KeyBlocks.lostSequence(of: table, over: connection)
    }
    for (table, columns) in known.sorted(by: { $0.key.name < $1.key.name }) {
      let others = required[table]?.subtracting(columns) ?? []
      guard let column = others.min(by: { $0.name < $1.name }) else { continue }
      throw problem(
        "the column \(quoted(column.name)) of the table \(quoted(table.name)) is required, and the model lacks it",
        remedy: "give the column a default, or drop it")
    }
  }
}
