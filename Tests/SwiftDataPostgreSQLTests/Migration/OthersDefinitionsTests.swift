import ErrorReporting
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// What an administrator has added to tables that a migration writes anew.
@Suite("Others' definitions in a migration that writes tables anew", TestServer.condition)
struct OthersDefinitionsTests {
  /// Items and crates in one table, or in two; boxes in a table of their own, or with the items.
  private static func model(isDivided: Bool = false, isMerged: Bool = false) -> [EntityDescription] {
    [
      EntityDescription(name: "Item", properties: [.attribute("size", .string), .attribute("price", .integer64)]),
      EntityDescription(
        name: "Crate", superentityName: isDivided ? nil : "Item",
        properties: (isDivided ? [.attribute("size", .string), .attribute("price", .integer64)] : []) + [
          .attribute("weight", .integer64)
        ]),
      EntityDescription(
        name: "Box", superentityName: isMerged ? "Item" : nil,
        properties: isMerged ? [] : [.attribute("size", .string)]),
    ]
  }

  private func world() throws -> EngineStore {
    let world = try EngineStore(Self.model())
    try world.execute(
      """
      INSERT INTO $item (_kind, size, price, weight) VALUES ('Item', 'small', 1, NULL), ('Crate', 'huge', 2, 3);
      INSERT INTO $box (_id, size) VALUES (101, 'round')
      """)
    return world
  }

  /// A role that the test's schema names.
  private func role(_ name: String, _ world: EngineStore) throws -> Identifier {
    let role = Identifier("\(name)_\(world.schema)")
    try world.execute("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(Identifier(world.schema)) TO \(role)")
    return role
  }

  /// The privileges of a role to a table, and to some columns.
  private func privileges(_ role: Identifier, _ table: String, _ world: EngineStore) throws -> [String] {
    try world.column(
      """
      SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
      WHERE has_table_privilege('\(role.name)', '$\(table)'::regclass, p)
      UNION ALL SELECT 'SELECT ' || attname FROM pg_attribute
      WHERE attrelid = '$\(table)'::regclass AND attnum > 0 AND has_column_privilege('\(role.name)', attrelid, attnum, 'SELECT')
        AND NOT has_table_privilege('\(role.name)', attrelid, 'SELECT')
      UNION ALL SELECT 'USAGE' WHERE has_sequence_privilege('\(role.name)', pg_get_serial_sequence('$\(table)', '_id'), 'USAGE')
      """)
  }

  @Test("The tables of a divided one have its rights, comments and owner")
  func divided() throws {
    let world = try world()
    let (app, reader, owner) = (try role("app", world), try role("reader", world), try role("owner", world))
    try world.execute(
      """
      GRANT CREATE ON SCHEMA \(Identifier(world.schema)) TO \(owner);
      GRANT SELECT, INSERT ON $item TO \(app) WITH GRANT OPTION; GRANT SELECT (_id, size) ON $item TO \(reader);
      GRANT USAGE ON SEQUENCE $item__id_seq TO \(app);
      COMMENT ON TABLE $item IS 'what''s in store'; COMMENT ON COLUMN $item.size IS 'in words';
      ALTER TABLE $item OWNER TO \(owner)
      """)
    try world.migrate(to: Self.model(isDivided: true))
    for table in ["item", "crate"] {
      #expect(try privileges(app, table, world) == ["SELECT", "INSERT", "USAGE"], "\(table)")
      #expect(try privileges(reader, table, world) == ["SELECT _id", "SELECT size"], "\(table)")
      #expect(
        try world.column(
          """
          SELECT obj_description('$\(table)'::regclass, 'pg_class') UNION ALL SELECT col_description(attrelid, attnum)
          FROM pg_attribute WHERE attrelid = '$\(table)'::regclass AND attname = 'size'
          UNION ALL SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE oid = '$\(table)'::regclass
          """) == ["what's in store", "in words", owner.name], "\(table)")
    }
    #expect(
      try world.column(
        "SELECT has_table_privilege('\(app.name)', '$crate'::regclass, 'SELECT WITH GRANT OPTION')::text") == ["true"])
  }

  @Test("A role has no right by default that it did not have to the old table")
  func defaultRights() throws {
    let world = try world()
    let reader = try role("reader", world)
    try world.execute(
      "ALTER DEFAULT PRIVILEGES IN SCHEMA \(Identifier(world.schema)) GRANT SELECT ON TABLES TO \(reader)")
    try world.migrate(to: Self.model(isDivided: true))
    #expect(try privileges(reader, "item", world) == [] && privileges(reader, "crate", world) == [])
  }

  @Test("A table of several ones has the rights that a role had to all of them, and all comments")
  func merged() throws {
    let world = try world()
    let (app, reader) = (try role("app", world), try role("reader", world))
    try world.execute(
      """
      GRANT SELECT, UPDATE ON $item TO \(app); GRANT SELECT ON $box TO \(app), \(reader);
      COMMENT ON COLUMN $item.size IS 'in words'; COMMENT ON COLUMN $box.size IS 'by form'
      """)
    try world.migrate(to: Self.model(isMerged: true))
    #expect(try privileges(app, "item", world) == ["SELECT"] && privileges(reader, "item", world) == [])
    #expect(
      try world.column(
        "SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = '$item'::regclass AND attname = 'size'"
      )
        == ["in words\nby form"])
    #expect(try world.column("SELECT _kind FROM $item ORDER BY _id") == ["Item", "Crate", "Box"])
  }

  @Test("Policies, triggers and constraints of others are named and refused; a table of the same name keeps indexes")
  func kept() throws {
    let world = try world()
    let reader = try role("reader", world)
    try world.execute(
      """
      GRANT SELECT ON $item TO \(reader);
      CREATE FUNCTION $loud() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.size := upper(NEW.size); RETURN NEW; END';
      CREATE TRIGGER louder BEFORE INSERT ON $box FOR EACH ROW EXECUTE FUNCTION $loud();
      ALTER TABLE $box ADD CONSTRAINT not_empty CHECK (size <> '');
      CREATE INDEX quick ON $box (lower(size)); CREATE UNIQUE INDEX sole ON $box (size) WHERE size = 'round';
      CREATE STATISTICS $sizes ON size, _version FROM $box;
      ALTER TABLE $box ENABLE ROW LEVEL SECURITY; CREATE POLICY round_only ON $box FOR SELECT TO \(reader) USING (size = 'round')
      """)
    let definitions = """
      SELECT polname::text FROM pg_policy WHERE polrelid = '$box'::regclass UNION ALL SELECT tgname FROM pg_trigger
      WHERE tgrelid = '$box'::regclass AND NOT tgisinternal UNION ALL SELECT conname FROM pg_constraint
      WHERE conrelid = '$box'::regclass AND contype = 'c' AND conname = 'not_empty' UNION ALL SELECT relname FROM pg_class
      WHERE relname IN ('quick', 'sole') AND relnamespace = '\(world.schema)'::regnamespace UNION ALL SELECT stxname
      FROM pg_statistic_ext WHERE stxrelid = '$box'::regclass UNION ALL SELECT relrowsecurity::text FROM pg_class WHERE oid = '$box'::regclass
      """
    let before = try world.column(definitions)
    #expect(before.count == 7)
    // The table itself gets a subentity.
    var divided = Self.model()
    divided.append(EntityDescription(name: "Chest", superentityName: "Box", properties: [.attribute("lock", .string)]))
    try world.migrate(to: divided)
    #expect(try world.column(definitions) == before)
    try world.execute("INSERT INTO $box (_kind, size, lock) VALUES ('Chest', 'flat', 'old')")
    divided[3].superentityName = nil
    divided[3].properties.append(.attribute("size", .string))
    let error = try #require(throws: StoreProblem.self) { try world.migrate(to: divided) }
    #expect(
      error.problem.hasSuffix(
        "rows of the table “box” come into the new table “box”, which cannot have what somebody has added: the constraint “not_empty”, the row-level security “ENABLE ROW LEVEL SECURITY”, the row-level security “round_only”, the trigger “louder”, the unique index “sole”"
      ), "\(error)")
    #expect(try world.column(definitions) == before)
    // Here it is written anew, and some of its rows come into another table. Without what concerns the rows of the other table, the migration runs; the plain index is told.
    try world.execute(
      """
      DROP POLICY round_only ON $box; ALTER TABLE $box DISABLE ROW LEVEL SECURITY; DROP TRIGGER louder ON $box;
      DROP INDEX $sole; ALTER TABLE $box DROP CONSTRAINT not_empty
      """)
    try world.migrate(to: divided)
    #expect(try world.column("SELECT size FROM $box UNION ALL SELECT size FROM $chest") == ["round", "FLAT"])
    #expect(
      try world.column(
        "SELECT relname::text FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid WHERE indrelid = '$box'::regclass AND relname = 'quick'"
      ) == ["quick"])
    let statistics = try world.column("SELECT stxname::text FROM pg_statistic_ext WHERE stxrelid = '$box'::regclass")
    #expect(statistics == ["sizes"])
  }

  @Test("A column of others, whose values would go, makes the migration refuse")
  func otherColumns() throws {
    let world = try world()
    try world.execute("ALTER TABLE $item ADD COLUMN note text; UPDATE $item SET note = 'mine'")
    let error = try #require(throws: StoreProblem.self) { try world.migrate(to: Self.model(isDivided: true)) }
    #expect(error.problem.hasSuffix("what somebody has added: the column “note”"), "\(error)")
    #expect(try world.column("SELECT note FROM $item") == ["mine", "mine"])
    // A table that stays keeps it.
    var model = Self.model()
    model[0].properties.append(.attribute("colour", .string))
    try world.migrate(to: model)
    #expect(try world.column("SELECT note FROM $item") == ["mine", "mine"])
  }

  /// The default of a column, and whether it refuses `NULL`.
  private func rules(_ column: String, of table: String, _ world: EngineStore) throws -> [String] {
    try world.column(
      """
      SELECT concat_ws(' ', CASE WHEN a.attnotnull THEN 'NOT NULL' END, pg_get_expr(d.adbin, d.adrelid)) FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = '$\(table)'::regclass AND a.attname = '\(column)'
      """)
  }

  @Test("A table that is written anew keeps the requirements and defaults that its columns have got")
  func columnRules() throws {
    let world = try world()
    try world.execute(
      """
      ALTER TABLE $item ALTER size SET NOT NULL, ALTER size SET DEFAULT 'none', ALTER price SET DEFAULT 7;
      ALTER TABLE $item ALTER weight SET DEFAULT 1
      """)
    try world.migrate(to: Self.model(isDivided: true))
    for table in ["item", "crate"] {
      #expect(try rules("size", of: table, world) == ["NOT NULL 'none'::text"], "\(table)")
      #expect(try rules("price", of: table, world) == ["7"], "\(table)")
    }
    #expect(try rules("weight", of: "crate", world) == ["1"])
    try world.execute("INSERT INTO $crate (_id) VALUES (500)")
    #expect(try world.column("SELECT size FROM $crate WHERE _id = 500") == ["none"])
  }

  @Test("A table of several ones keeps what a column had in all of them; else the migration refuses")
  func mergedColumnRules() throws {
    let world = try world()
    try world.execute(
      "ALTER TABLE $item ALTER size SET NOT NULL, ALTER price SET DEFAULT 7; ALTER TABLE $box ALTER size SET DEFAULT 'x'"
    )
    var error = try #require(throws: StoreProblem.self) { try world.migrate(to: Self.model(isMerged: true)) }
    #expect(
      error.problem.contains(
        "what somebody has added: the default of the column “price”, NOT NULL of the column “size”"),
      "\(error)")
    try world.execute("ALTER TABLE $item ALTER price DROP DEFAULT; ALTER TABLE $box ALTER size SET NOT NULL")
    error = try #require(throws: StoreProblem.self) { try world.migrate(to: Self.model(isMerged: true)) }
    #expect(
      error.problem.hasSuffix(
        "the table “box” come into the new table “item”, which cannot have what somebody has added: the default of the column “size”"
      ),
      "\(error)")
    try world.execute("ALTER TABLE $item ALTER size SET DEFAULT 'x'")
    try world.migrate(to: Self.model(isMerged: true))
    #expect(try rules("size", of: "item", world) == ["NOT NULL 'x'::text"])
  }

  @Test("A default from a sequence that goes with the old table makes the migration refuse")
  func sequenceDefault() throws {
    let world = try world()
    try world.execute(
      "CREATE SEQUENCE $prices OWNED BY $item.price; ALTER TABLE $item ALTER price SET DEFAULT nextval('$prices')")
    let error = try #require(throws: StoreProblem.self) { try world.migrate(to: Self.model(isDivided: true)) }
    #expect(error.problem.hasSuffix("what somebody has added: the default of the column “price”"), "\(error)")
  }

  @Test("A policy that would hide rows from the migration makes it fail, and no row is lost")
  func hiddenRows() throws {
    let world = try world()
    let owner = try role("owner", world)
    let schema = Identifier(world.schema)
    try world.execute(
      """
      GRANT CREATE ON SCHEMA \(schema) TO \(owner);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(owner);
      ALTER TABLE $item OWNER TO \(owner); ALTER TABLE $box OWNER TO \(owner);
      ALTER TABLE $box ENABLE ROW LEVEL SECURITY; ALTER TABLE $box FORCE ROW LEVEL SECURITY
      """)
    var model = Self.model()
    model[2].properties = [.attribute("size", .string, isOptional: false)]
    let migrator = try ServerMigrator(try TestServer.required().address(user: owner.name), options: world.options)
    let error = try #require(throws: PostgreSQLError.self) {
      try migrator.migrate(to: ModelDescription(entities: model))
    }
    #expect(error.state == .insufficientPrivilege && error.message.contains("row-level security"), "\(error)")
    #expect(error.remedy?.contains("NO FORCE ROW LEVEL SECURITY") == true, "\(error)")
    #expect(try world.column("SELECT size FROM $box") == ["round"])
  }
}
