import ErrorReporting
import PostgreSQL

/// Reads the catalogue of a schema's tables over a connection in a transaction. The schema's name is a parameter of each query.
struct CatalogueReader {
  let connection: Connection
  let schema: String

  /// The oldest server whose catalogue has all columns that the queries name.
  private static let leastServerVersion = 120_000

  /// - Throws: ``DatabaseModelProblem`` for a server that is too old.
  func checkServer() throws {
    guard connection.serverVersion < Self.leastServerVersion else { return }
    throw DatabaseModelProblem(
      "\(connection.address): the server has version \(connection.serverVersion / 10_000)",
      remedy: "use PostgreSQL \(Self.leastServerVersion / 10_000) or later")
  }

  /// Lets the server print defaults in one form, and look up names in its own catalogue only.
  func prepare() throws {
    try connection.execute(
      """
      SET LOCAL search_path = pg_catalog; SET LOCAL "DateStyle" = 'ISO, YMD'; SET LOCAL "TimeZone" = 'UTC';
      SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 3; SET LOCAL standard_conforming_strings = on
      """)
  }

  func databaseName() throws -> String { try connection.run("SELECT current_database()::text").text(0, 0) ?? "" }

  /// - Throws: ``DatabaseModelProblem`` for a schema that the database does not have.
  func checkSchema(database: String) throws {
    let known = try connection.run("SELECT nspname::text FROM pg_namespace ORDER BY nspname::text COLLATE \"C\"").texts(
      0)
    guard !known.contains(where: { Array($0.utf8) == Array(schema.utf8) }) else { return }
    throw DatabaseModelProblem(
      "\(connection.address): the database has no schema \(quoted(schema))\(suggestion(nearestName(to: schema, in: known)))",
      remedy: try remedyNamingSchemas(with: "correct the name"))
  }

  /// A remedy that names other schemas with tables.
  func remedyNamingSchemas(with verb: String) throws -> String {
    let names = try connection.run(
      """
      SELECT DISTINCT n.nspname::text COLLATE "C" FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', $1)
      AND n.nspname NOT LIKE 'pg\\_toast%' AND n.nspname NOT LIKE 'pg\\_temp%' ORDER BY 1
      """, [.text(schema)]
    ).texts(0)
    return names.isEmpty
      ? "\(verb); no schema of the database has tables"
      : "\(verb); these have tables: \(abbreviatedList(names.map(quoted)))"
  }

  /// Cost: six queries.
  func read() throws -> Catalogue {
    var catalogue = Catalogue(tables: try tables(), types: try types())
    let columns = try columns()
    let constraints = try constraints()
    let indexes = try indexes()
    for position in catalogue.tables.indices {
      let identifier = catalogue.tables[position].identifier
      catalogue.tables[position].columns = columns[identifier] ?? []
      catalogue.tables[position].constraints = constraints[identifier] ?? []
      catalogue.tables[position].indexes = indexes[identifier] ?? []
    }
    return catalogue
  }

  /// Leaves out tables of extensions, and partitions, because the partitioned table has their rows.
  private func tables() throws -> [Catalogue.Table] {
    let rows = try connection.run(
      """
      SELECT c.oid::bigint, c.relname::text, c.relkind::text, EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid),
        EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal), c.relrowsecurity,
        EXISTS (SELECT FROM pg_description e WHERE e.classoid = 'pg_class'::regclass AND e.objoid = c.oid)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1::name AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.relname::text COLLATE "C"
      """, [.text(schema)])
    return (0..<rows.rowCount).compactMap { row in
      Catalogue.Kind(rawValue: rows.text(row, 2) ?? "").map {
        Catalogue.Table(
          identifier: rows.integer(row, 0), name: rows.text(row, 1) ?? "", kind: $0, inherits: rows.flag(row, 3),
          hasTriggers: rows.flag(row, 4), hasPolicies: rows.flag(row, 5),
          hasComments: rows.flag(row, 6))
      }
    }
  }

  /// SQL that is true if no row lacks a value of a column `a`. Since version 18 a requirement may concern new rows only.
  private static let isRequired = """
    a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint r
      WHERE r.conrelid = a.attrelid AND r.contype = 'n' AND a.attnum = ANY (r.conkey) AND NOT r.convalidated)
    """

  private func columns() throws -> [Int64: [Catalogue.Column]] {
    let rows = try connection.run(
      """
      SELECT a.attrelid::bigint, a.attnum::bigint, a.attname::text, \(Self.isRequired), a.atttypid::bigint, a.atttypmod::bigint,
        a.attgenerated::text <> '', a.attidentity::text <> '', pg_get_expr(d.adbin, d.adrelid)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE n.nspname = $1::name AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum
      """, [.text(schema)])
    return rows.grouped { row in
      Catalogue.Column(
        number: Int(rows.integer(row, 1)), name: rows.text(row, 2) ?? "", isRequired: rows.flag(row, 3),
        type: rows.integer(row, 4), modifier: Int(rows.integer(row, 5)), isGenerated: rows.flag(row, 6),
        isIdentity: rows.flag(row, 7), defaultExpression: rows.text(row, 8))
    }
  }

  /// The types of all columns, the types of their arrays' elements, and the base types of their domains.
  private func types() throws -> [Int64: Catalogue.ColumnType] {
    let rows = try connection.run(
      """
      WITH RECURSIVE used(oid) AS (
        SELECT a.atttypid FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::name AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
        UNION SELECT CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END FROM pg_type t JOIN used ON used.oid = t.oid)
      SELECT t.oid::bigint, n.nspname::text, t.typname::text, format_type(t.oid, NULL), t.typtype::text,
        (CASE WHEN e.typarray = t.oid THEN e.oid END)::bigint, t.typbasetype::bigint, t.typtypmod::bigint, t.typnotnull,
        pg_get_expr(t.typdefaultbin, 0)
      FROM used JOIN pg_type t ON t.oid = used.oid JOIN pg_namespace n ON n.oid = t.typnamespace
      LEFT JOIN pg_type e ON e.oid = t.typelem
      """, [.text(schema)])
    let labels = try labels()
    var types: [Int64: Catalogue.ColumnType] = [:]
    for row in 0..<rows.rowCount {
      types[rows.integer(row, 0)] = Catalogue.ColumnType(
        schema: rows.text(row, 1) ?? "", name: rows.text(row, 2) ?? "", sql: rows.text(row, 3) ?? "",
        kind: rows.text(row, 4) ?? "", element: rows.integer(row, 5), labels: labels[rows.integer(row, 0)] ?? [],
        base: rows.integer(row, 6),
        modifier: Int(rows.integer(row, 7)), isRequired: rows.flag(row, 8), defaultExpression: rows.text(row, 9))
    }
    return types
  }

  /// SQL that is true if an index `i` treats two `NULL`s as equal. Servers before version 15 have no such column.
  private static let joinsNulls = "coalesce((to_jsonb(i)->>'indnullsnotdistinct')::boolean, false)"
  /// SQL that is true if an index `i` treats two texts with different characters as equal.
  private static let joinsTexts =
    "EXISTS (SELECT FROM pg_collation l WHERE l.oid = ANY (i.indcollation) AND NOT l.collisdeterministic)"

  /// SQL that is true if a constraint `k` treats two rows as equal whose periods overlap. Servers before version 18 have no such column.
  private static let joinsPeriods = "coalesce((to_jsonb(k)->>'conperiod')::boolean, false)"

  /// The labels of all enumerations of the database.
  private func labels() throws -> [Int64: [String]] {
    let rows = try connection.run(
      "SELECT enumtypid::bigint, enumlabel::text FROM pg_enum ORDER BY enumtypid, enumsortorder")
    return rows.grouped { rows.text($0, 1) }
  }

  private func constraints() throws -> [Int64: [Catalogue.Constraint]] {
    let rows = try connection.run(
      """
      SELECT k.conrelid::bigint, k.conname::text, k.contype::text, array_to_string(k.conkey, ' '), k.confrelid::bigint,
        concat_ws('.', dn.nspname::text, d.relname::text), array_to_string(k.confkey, ' '), k.confdeltype::text,
        \(Self.joinsNulls), \(Self.joinsTexts), \(Self.joinsPeriods), k.convalidated
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_index i ON i.indexrelid = k.conindid
      LEFT JOIN pg_class d ON d.oid = k.confrelid LEFT JOIN pg_namespace dn ON dn.oid = d.relnamespace
      WHERE n.nspname = $1::name AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND k.conparentid = 0
      ORDER BY k.conrelid, k.conname::text COLLATE "C", k.oid
      """, [.text(schema)])
    return rows.grouped { row in
      Catalogue.Constraint.Kind(rawValue: rows.text(row, 2) ?? "").map {
        Catalogue.Constraint(
          name: rows.text(row, 1) ?? "", kind: $0, columns: rows.numbers(row, 3), destination: rows.integer(row, 4),
          destinationName: rows.text(row, 5) ?? "", destinationColumns: rows.numbers(row, 6),
          action: Catalogue.Constraint.DeleteAction(rawValue: rows.text(row, 7) ?? "") ?? .noAction,
          equality: Catalogue.KeyEquality(
            joinsNulls: rows.flag(row, 8), joinsTexts: rows.flag(row, 9), joinsPeriods: rows.flag(row, 10)),
          isValidated: rows.flag(row, 11))
      }
    }
  }

  private func indexes() throws -> [Int64: [Catalogue.Index]] {
    let rows = try connection.run(
      """
      SELECT i.indrelid::bigint, x.relname::text, i.indisunique, i.indpred IS NOT NULL, i.indexprs IS NOT NULL,
        m.amname::text, i.indkey::text, i.indoption::text, i.indnkeyatts::bigint, \(Self.joinsNulls), \(Self.joinsTexts)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
      WHERE n.nspname = $1::name AND c.relkind IN ('r', 'p') AND i.indisvalid AND NOT EXISTS (
        SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
      ORDER BY i.indrelid, x.relname::text COLLATE "C"
      """, [.text(schema)])
    return rows.grouped { row in
      let count = Int(rows.integer(row, 8))
      return Catalogue.Index(
        name: rows.text(row, 1) ?? "", isUnique: rows.flag(row, 2), isPartial: rows.flag(row, 3),
        hasExpressions: rows.flag(row, 4), method: rows.text(row, 5) ?? "",
        columns: Array(rows.numbers(row, 6).prefix(count)),
        // The last bit says that the order is descending.
        isDescending: rows.numbers(row, 7).prefix(count).map { $0 & 1 == 1 },
        equality: Catalogue.KeyEquality(joinsNulls: rows.flag(row, 9), joinsTexts: rows.flag(row, 10)))
    }
  }
}

extension QueryResult {
  fileprivate func flag(_ row: Int, _ column: Int) -> Bool { integer(row, column) != 0 }

  /// Integers in a text, separated by spaces.
  fileprivate func numbers(_ row: Int, _ column: Int) -> [Int] {
    (text(row, column) ?? "").split(separator: " ").compactMap { Int($0) }
  }

  fileprivate func texts(_ column: Int) -> [String] { (0..<rowCount).compactMap { text($0, column) } }

  /// A value for each row, by the integer in the first column.
  fileprivate func grouped<Value>(_ value: (Int) -> Value?) -> [Int64: [Value]] {
    var groups: [Int64: [Value]] = [:]
    for row in 0..<rowCount {
      if let value = value(row) { groups[integer(row, 0), default: []].append(value) }
    }
    return groups
  }
}
