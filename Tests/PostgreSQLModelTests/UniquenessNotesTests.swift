import ErrorReporting
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLTestSupport
import Testing

@Suite("Uniqueness of tables that the uniqueness of a class does not equal", TestServer.condition)
struct UniquenessNotesTests {
  let schema: DatabaseSchema

  init() throws { schema = try DatabaseSchema() }

  private func notes(_ sql: String) throws -> [String] {
    try schema.connection.execute(sql)
    return try schema.model().notes.map(\.fullMessage)
  }

  @Test("A key that allows one row without a value is noted, and a plain key is not")
  func nulls() throws {
    guard schema.connection.serverVersion >= 150_000 else { try Test.cancel("needs PostgreSQL 15 or later") }
    let notes = try notes(
      """
      CREATE TABLE a (k bigint PRIMARY KEY, b text, c text, CONSTRAINT plain UNIQUE (b),
        CONSTRAINT joined UNIQUE NULLS NOT DISTINCT (c));
      CREATE UNIQUE INDEX joined_index ON a (b, c) NULLS NOT DISTINCT;
      """)
    for name in ["joined", "joined_index"] {
      #expect(notes.contains { $0.contains("the uniqueness “\(name)” allows one row without a value") }, "\(notes)")
    }
    #expect(!notes.contains { $0.contains("“plain”") })
  }

  @Test("A key whose collation takes different texts as equal is noted")
  func collations() throws {
    let hasICU =
      try schema.connection.run("SELECT 1 FROM pg_collation WHERE collname LIKE '%-x-icu' LIMIT 1").rowCount > 0
    guard hasICU else { try Test.cancel("needs a server with collations of ICU") }
    let notes = try notes(
      """
      CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      CREATE TABLE a (k bigint PRIMARY KEY, b text COLLATE folded, CONSTRAINT same UNIQUE (b), c text UNIQUE);
      """)
    #expect(notes.count { $0.contains("takes different texts as equal by its collation") } == 1, "\(notes)")
    #expect(notes.contains { $0.contains("“same”") })
  }

  @Test("A key of periods is noted, and a column that old rows may lack is optional")
  func periods() throws {
    guard schema.connection.serverVersion >= 180_000 else { try Test.cancel("needs PostgreSQL 18 or later") }
    let notes = try notes(
      """
      CREATE TABLE a (k int4range, during tstzrange, b text, c text NOT NULL, d text GENERATED ALWAYS AS (c || 'x') VIRTUAL,
        CONSTRAINT temporal PRIMARY KEY (k, during WITHOUT OVERLAPS));
      INSERT INTO a VALUES ('[1,2)', '[2000-01-01,2001-01-01)', NULL, 'x');
      ALTER TABLE a ADD CONSTRAINT late NOT NULL b NOT VALID;
      """)
    #expect(notes.contains { $0.contains("the uniqueness “temporal” takes overlapping periods as equal") }, "\(notes)")
    #expect(notes.contains { $0.contains("column “d”: the database computes it") }, "\(notes)")
    let entity = try #require(try schema.model().versions[0].entity(named: "A"))
    #expect(entity.attributes.map(\.isOptional) == [false, false, true, false])
    #expect(entity.uniquenessConstraints == [["k", "during"]])
  }
}
