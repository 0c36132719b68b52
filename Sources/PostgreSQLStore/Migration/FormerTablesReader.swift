import PostgreSQL

/// Reads what others have added to a store's tables. Cost: six queries of catalogues.
struct FormerTablesReader {
  let connection: Connection
  /// The layout that the tables have.
  let layout: StoreLayout

  private var names: [Identifier] { layout.tables.map(\.name) + layout.joinTables.map(\.name) }

  /// The tables of the store, as a condition for `c`, with their schema `n`.
  private static let source = """
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1::name AND c.relname = ANY ($2::name[])
    """

  private func rows(_ sql: String) throws -> QueryResult {
    try connection.run(sql, [.text(layout.schema.name), .texts(names.map(\.name))])
  }

  func read() throws -> FormerTables {
    var former = FormerTables()
    former.searchIndexes = try SearchCatalogue(connection: connection, layout: layout).entries(of: layout.tables)
    try readTables(&former)
    try readColumns(&former)
    try readRights(&former)
    try readDefinitions(&former)
    let roles = try connection.run(
      """
      SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END COLLATE "C"
      FROM pg_default_acl d CROSS JOIN aclexplode(d.defaclacl) a
      WHERE d.defaclrole = current_user::regrole AND d.defaclobjtype IN ('r', 'S') AND a.grantee <> d.defaclrole
        AND d.defaclnamespace IN (0, (SELECT oid FROM pg_namespace WHERE nspname = $1::name)) ORDER BY 1
      """, [.text(layout.schema.name)])
    former.defaultRoles = (0..<roles.rowCount).compactMap { roles.text($0, 0) }
    return former
  }

  private func readTables(_ former: inout FormerTables) throws {
    // Only a role that may create tables in the schema can be given one, except by a superuser.
    let found = try rows(
      """
      SELECT c.relname::text, obj_description(c.oid, 'pg_class'),
        CASE WHEN c.relowner <> current_user::regrole
            AND (has_schema_privilege(c.relowner, n.oid, 'CREATE') OR current_setting('is_superuser') = 'on')
          THEN quote_ident(pg_get_userbyid(c.relowner)) END
      \(Self.source)
      """)
    for row in 0..<found.rowCount {
      former.tables[Identifier(found.text(row, 0) ?? "")] = FormerTable(
        owner: found.text(row, 2), comment: found.text(row, 1))
    }
  }

  private func readColumns(_ former: inout FormerTables) throws {
    let found = try rows(
      """
      SELECT c.relname::text, a.attname::text, col_description(c.oid, a.attnum),
        a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint r
          WHERE r.conrelid = c.oid AND r.contype = 'n' AND a.attnum = ANY (r.conkey) AND NOT r.convalidated),
        (SELECT string_agg(k.conname::text, chr(31)) FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.convalidated AND a.attnum = ANY (k.conkey)),
        a.attnotnull,
        CASE WHEN a.attidentity <> '' THEN 'identity' WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END,
        a.attidentity <> '' OR EXISTS (SELECT FROM pg_depend u JOIN pg_depend o ON o.classid = u.refclassid AND o.objid = u.refobjid
          WHERE u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_class'::regclass
            AND o.refclassid = 'pg_class'::regclass AND o.refobjid = c.oid AND o.deptype = 'a')
      \(Self.source) JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      ORDER BY c.relname, a.attnum
      """)
    let known = knownColumns(former.searchIndexes)
    let tables = Dictionary(layout.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let required = requiredColumns
    for row in 0..<found.rowCount {
      let (name, column) = (Identifier(found.text(row, 0) ?? ""), Identifier(found.text(row, 1) ?? ""))
      if known[name]?.contains(column) != true { former.tables[name]?.otherColumns.append(column) }
      former.tables[name]?.columnComments[column] = found.text(row, 2)
      let checks = found.list(row, 4)
      if found.integer(row, 3) != 0 || tables[name].map({ checks.contains($0.checkName(of: column)) }) == true {
        former.tables[name]?.requiredColumns.insert(column)
      }
      guard let required = required[name], !required.fixed.contains(column) else { continue }
      if found.integer(row, 5) != 0, !required.all.contains(column) {
        former.tables[name]?.othersRequired.insert(column)
      }
      if let expression = found.text(row, 6) {
        former.tables[name]?.defaults[column] = OthersDefault(
          expression: expression, hasSequence: found.integer(row, 7) != 0)
      }
    }
  }

  /// For each table: all columns that the store itself requires in every row, and the fixed ones. The rules of others for fixed columns
  /// are not read.
  private var requiredColumns: [Identifier: (all: Set<Identifier>, fixed: Set<Identifier>)] {
    var result: [Identifier: (all: Set<Identifier>, fixed: Set<Identifier>)] = [:]
    for table in layout.tables {
      let required = table.columns.filter { table.requirement(of: $0) == .everyRow }.map(\.name)
      let fixed: Set = [TableLayout.key, TableLayout.version]
      result[table.name] = (fixed.union(required + [TableLayout.kind]), fixed)
    }
    for join in layout.joinTables { result[join.name] = ([join.own, join.other], []) }
    return result
  }

  /// The columns of the store's own.
  private func knownColumns(_ searchIndexes: [SearchCatalogue.Entry]) -> [Identifier: Set<Identifier>] {
    var known: [Identifier: Set<Identifier>] = [:]
    for table in layout.tables {
      known[table.name] = Set([TableLayout.key, TableLayout.version, TableLayout.kind] + table.columns.map(\.name))
    }
    for table in layout.joinTables {
      known[table.name] = Set([table.own, table.other, table.order, table.inverseOrder].compactMap(\.self))
    }
    for entry in searchIndexes { known[entry.index.table.name]?.insert(entry.index.name) }
    return known
  }

  private func readRights(_ former: inout FormerTables) throws {
    let found = try rows(
      """
      WITH named AS (SELECT c.oid, c.relname, c.relowner, c.relacl \(Self.source)), rights AS (
        SELECT t.oid, false AS is_sequence, NULL::text AS col, a.* FROM named t CROSS JOIN aclexplode(t.relacl) a
        UNION ALL SELECT t.oid, false, b.attname::text, a.* FROM named t
          JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum > 0 AND NOT b.attisdropped CROSS JOIN aclexplode(b.attacl) a
        UNION ALL SELECT t.oid, true, NULL, a.* FROM named t
          JOIN pg_depend d ON d.refobjid = t.oid AND d.refclassid = 'pg_class'::regclass AND d.classid = 'pg_class'::regclass AND d.deptype = 'i'
          JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' CROSS JOIN aclexplode(s.relacl) a)
      SELECT t.relname::text, r.is_sequence, r.col,
        CASE r.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.grantee)) END, r.privilege_type, r.is_grantable
      FROM rights r JOIN named t ON t.oid = r.oid WHERE r.grantee <> t.relowner
      """)
    for row in 0..<found.rowCount {
      let right = TableRight(
        role: found.text(row, 3) ?? "", privilege: found.text(row, 4) ?? "",
        column: found.text(row, 2).map { Identifier($0) }, isGrantable: found.integer(row, 5) != 0)
      let name = Identifier(found.text(row, 0) ?? "")
      if found.integer(row, 1) != 0 {
        former.tables[name]?.sequenceRights.insert(right)
      } else {
        former.tables[name]?.rights.insert(right)
      }
    }
  }

  // MARK: Definitions

  private func readDefinitions(_ former: inout FormerTables) throws {
    let found = try rows(
      """
      WITH named AS (SELECT c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, format('%I.%I', n.nspname, c.relname) AS sql \(Self.source)),
      found(relation, kind, class, object, name, statement) AS (
        SELECT t.oid, 'row-level security', 'pg_class'::regclass, NULL::oid, 'ENABLE ROW LEVEL SECURITY', '' FROM named t WHERE t.relrowsecurity
        UNION ALL SELECT t.oid, 'row-level security', 'pg_class'::regclass, NULL, 'FORCE ROW LEVEL SECURITY', '' FROM named t WHERE t.relforcerowsecurity
        UNION ALL SELECT t.oid, 'row-level security', 'pg_policy'::regclass, p.oid, p.polname::text, ''
        FROM named t JOIN pg_policy p ON p.polrelid = t.oid
        UNION ALL SELECT t.oid, 'trigger', 'pg_trigger'::regclass, g.oid, g.tgname::text, ''
        FROM named t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
        UNION ALL SELECT t.oid, 'rule', 'pg_rewrite'::regclass, r.oid, r.rulename::text, ''
        FROM named t JOIN pg_rewrite r ON r.ev_class = t.oid
        UNION ALL SELECT t.oid, 'constraint', 'pg_constraint'::regclass, k.oid, k.conname::text,
          format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.sql, k.conname, pg_get_constraintdef(k.oid))
        FROM named t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype IN ('c', 'u', 'x', 'f')
        UNION ALL SELECT t.oid, CASE WHEN i.indisunique THEN 'unique index' ELSE 'index' END, 'pg_class'::regclass, x.oid, x.relname::text,
          pg_get_indexdef(x.oid)
        FROM named t JOIN pg_index i ON i.indrelid = t.oid AND i.indisvalid JOIN pg_class x ON x.oid = i.indexrelid
        WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = x.oid AND k.contype IN ('p', 'u', 'x'))
        UNION ALL SELECT t.oid, 'statistics', 'pg_statistic_ext'::regclass, s.oid, s.stxname::text, pg_get_statisticsobjdef(s.oid)
        FROM named t JOIN pg_statistic_ext s ON s.stxrelid = t.oid
        UNION ALL SELECT t.oid, 'publication', 'pg_publication'::regclass, NULL, u.pubname::text, ''
        FROM named t JOIN pg_publication_rel p ON p.prrelid = t.oid JOIN pg_publication u ON u.oid = p.prpubid)
      SELECT t.relname::text, f.kind, f.name, f.statement, (
        SELECT string_agg(DISTINCT a.attname::text, chr(31)) FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE d.classid = f.class AND d.objid = f.object AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.refobjsubid > 0)
      FROM found f JOIN named t ON t.oid = f.relation ORDER BY t.relname, f.kind, f.name
      """)
    let (own, joins) = (ownNames(former.searchIndexes), Set(layout.joinTables.map(\.name)))
    for row in 0..<found.rowCount {
      guard let kind = OthersDefinition.Kind(rawValue: found.text(row, 1) ?? "") else { continue }
      let (table, name) = (Identifier(found.text(row, 0) ?? ""), Identifier(found.text(row, 2) ?? ""))
      // The server names the foreign keys of a join table.
      let isKeyOfPairs =
        joins.contains(table) && found.list(row, 4).count == 1 && found.text(row, 3)?.contains(" FOREIGN KEY (") == true
      if kind != .policy, own.contains(name) || isKeyOfPairs { continue }
      former.tables[table]?.definitions.append(
        OthersDefinition(
          kind: kind, name: name.name, statement: found.text(row, 3) ?? "", columns: found.list(row, 4)))
    }
  }

  /// The names of the store's own indexes, constraints and triggers.
  private func ownNames(_ searchIndexes: [SearchCatalogue.Entry]) -> Set<Identifier> {
    var names = Set(layout.derivationTriggers.flatMap(\.functions) + searchIndexes.map(\.index.name))
    for table in layout.tables {
      names.formUnion(table.indexes.map(\.name))
      names.formUnion(table.uniqueConstraints.map(\.name))
      names.formUnion(table.columns.compactMap(\.reference?.constraint))
      names.formUnion(([TableLayout.kind] + table.columns.map(\.name)).map(table.checkName))
    }
    return names.union(layout.joinTables.map(\.index))
  }
}

extension QueryResult {
  /// Names in a text that ``HistoryWriter/separator`` separates.
  fileprivate func list(_ row: Int, _ column: Int) -> [Identifier] {
    (text(row, column) ?? "").unicodeScalars.split(separator: HistoryWriter.separator).map { Identifier(String($0)) }
  }
}
