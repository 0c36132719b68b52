import ErrorReporting
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLTestSupport
import Testing

@Suite("Foreign keys as relationships", TestServer.condition)
struct RelationshipTests {
  let schema: DatabaseSchema

  init() throws { schema = try DatabaseSchema() }

  private struct Reading {
    let model: ManagedModel.ModelDescription
    let notes: [String]

    /// `name → destination.inverse`, with `*` for to-many, `?` for optional and the delete rule.
    func relationships(_ entity: String) -> [String] {
      (model.entity(named: entity)?.relationships ?? []).map {
        "\($0.name) → \($0.destinationEntityName).\($0.inverseName ?? "")\($0.isToMany ? "*" : "")\($0.isOptional ? "?" : "") \($0.deleteRule)"
      }
    }
  }

  private func read(_ sql: String) throws -> Reading {
    try schema.connection.execute(sql)
    let found = try schema.model()
    #expect(found.versions[0].validate().filter { $0.severity == .error }.isEmpty)
    return Reading(model: found.versions[0], notes: found.notes.map(\.fullMessage))
  }

  @Test("A foreign key's action is the delete rule of the inverse")
  func deleteRules() throws {
    let reading = try read(
      """
      CREATE TABLE a (k text PRIMARY KEY);
      CREATE TABLE b (k text PRIMARY KEY, c_id text NOT NULL REFERENCES a ON DELETE CASCADE);
      CREATE TABLE d (k text PRIMARY KEY, n_id text REFERENCES a ON DELETE SET NULL);
      CREATE TABLE e (k text PRIMARY KEY, r_id text REFERENCES a ON DELETE RESTRICT);
      CREATE TABLE f (k text PRIMARY KEY, x_id text REFERENCES a);
      CREATE TABLE g (k text PRIMARY KEY, s_id text DEFAULT 'x' REFERENCES a ON DELETE SET DEFAULT);
      """)
    #expect(
      reading.relationships("A") == [
        "bs → B.c* cascade", "ds → D.n* nullify", "es → E.r* deny", "fs → F.x* deny", "gs → G.s* nullify",
      ])
    #expect(reading.relationships("B") == ["c → A.bs nullify"])
    #expect(reading.relationships("D") == ["n → A.ds? nullify"])
    #expect(reading.notes.contains { $0.contains("sets a default when its row is deleted") })
    #expect(
      reading.notes.contains { $0.contains("its default “'x'::text” is left out: a relationship has no default") })
  }

  @Test("A foreign key that some rows may violate is a relationship, and is noted")
  func uncheckedKeys() throws {
    let reading = try read(
      """
      CREATE TABLE a (k text PRIMARY KEY);
      CREATE TABLE b (k text PRIMARY KEY, a_id text NOT NULL, c_id text REFERENCES a);
      INSERT INTO b VALUES ('x', 'gone');
      ALTER TABLE b ADD CONSTRAINT late FOREIGN KEY (a_id) REFERENCES a NOT VALID;
      """)
    #expect(reading.relationships("B") == ["a → A.bsByA nullify", "c → A.bsByC? nullify"])
    #expect(
      reading.notes.filter { $0.contains("is not checked for all rows") } == [
        "table “b”, column “a_id”: the foreign key “late” is not checked for all rows: a row may lead to none"
      ])
  }

  @Test("A unique foreign key is a one-to-one relationship, also one that is the primary key")
  func oneToOne() throws {
    let reading = try read(
      """
      CREATE TABLE person (id bigserial PRIMARY KEY);
      CREATE TABLE passport (id bigserial PRIMARY KEY, person_id bigint UNIQUE REFERENCES person ON DELETE CASCADE);
      CREATE TABLE face (person_id bigint PRIMARY KEY REFERENCES person);
      """)
    #expect(reading.relationships("Person") == ["face → Face.person? deny", "passport → Passport.person? cascade"])
    #expect(reading.relationships("Face") == ["person → Person.face nullify"])
    #expect(reading.model.entities.flatMap(\.uniquenessConstraints).isEmpty)
  }

  @Test("Several foreign keys to one table, to the own table, and of one column")
  func several() throws {
    let reading = try read(
      """
      CREATE TABLE person (id bigserial PRIMARY KEY, boss_id bigint REFERENCES person ON DELETE SET NULL);
      CREATE TABLE other (id bigint PRIMARY KEY);
      CREATE TABLE letter (id bigserial PRIMARY KEY, sender text, sender_id bigint REFERENCES person, receiver_id bigint REFERENCES person,
        FOREIGN KEY (receiver_id) REFERENCES other);
      """)
    #expect(
      reading.relationships("Person") == [
        "boss → Person.persons? nullify", "lettersBySenderId → Letter.senderId* deny",
        "lettersByReceiver → Letter.receiver* deny",
        "persons → Person.boss* nullify",
      ])
    #expect(reading.relationships("Letter").count == 2)
    #expect(
      reading.notes.contains { $0.hasSuffix("has the column of another foreign key; it is left out") },
      "\(reading.notes)")
  }

  @Test("Tables of pairs are many-to-many relationships, also within one table; other tables are entities")
  func pairs() throws {
    let reading = try read(
      """
      CREATE TABLE person (id bigserial PRIMARY KEY);
      CREATE TABLE tag (id bigserial PRIMARY KEY);
      CREATE TABLE person_tag (person_id bigint REFERENCES person ON DELETE CASCADE, tag_id bigint REFERENCES tag ON DELETE CASCADE,
        PRIMARY KEY (tag_id, person_id));
      CREATE TABLE follows (follower_id bigint REFERENCES person ON DELETE CASCADE, idol_id bigint REFERENCES person, PRIMARY KEY (follower_id, idol_id));
      CREATE TABLE dated (person_id bigint REFERENCES person, tag_id bigint REFERENCES tag, day date, PRIMARY KEY (person_id, tag_id));
      CREATE TABLE loose (person_id bigint REFERENCES person, tag_id bigint REFERENCES tag);
      """)
    #expect(reading.model.entities.map(\.name) == ["Dated", "Person", "Tag"])
    #expect(
      reading.relationships("Person") == [
        "dateds → Dated.person* deny", "idols → Person.followers* nullify", "followers → Person.idols* deny",
        "tags → Tag.people* nullify",
      ] || reading.relationships("Person").contains("tags → Tag.persons* nullify"), "\(reading.relationships("Person"))"
    )
    #expect(reading.model.entity(named: "Dated")?.uniquenessConstraints == [["person", "tag"]])
    #expect(reading.notes.contains { $0.hasPrefix("table “loose”: it has no key") })
  }

  @Test("What a table of pairs has beside its pairs is told")
  func partsOfPairs() throws {
    let reading = try read(
      """
      CREATE TABLE person (id bigserial PRIMARY KEY);
      CREATE TABLE tag (id bigserial PRIMARY KEY);
      CREATE TABLE person_tag (person_id bigint REFERENCES person, tag_id bigint REFERENCES tag CHECK (tag_id > 0),
        PRIMARY KEY (person_id, tag_id), UNIQUE (tag_id));
      CREATE UNIQUE INDEX one_of_the_first ON person_tag (person_id) WHERE tag_id < 10;
      CREATE INDEX by_tag ON person_tag (tag_id);
      COMMENT ON TABLE person_tag IS 'who has what';
      """)
    #expect(reading.model.entities.map(\.name) == ["Person", "Tag"])
    let notes = reading.notes.filter { $0.contains("“person_tag”") }
    for part in [
      "warning: table “person_tag”: the uniqueness of “tag_id” is left out: the relationship is many-to-many",
      "warning: table “person_tag”: the unique index “one_of_the_first” is left out: it covers a part of the rows",
      "the check “person_tag_tag_id_check” is left out", "its comments and those of its columns are left out",
    ] {
      #expect(notes.contains { $0.contains(part) || "warning: \($0)".contains(part) }, "\(part): \(notes)")
    }
    #expect(notes.count == 4, "\(notes)")
  }

  @Test(
    "Foreign keys to other schemas, to tables without a class and of several columns are told, and their columns kept")
  func leftOut() throws {
    let other = try DatabaseSchema()
    try other.connection.execute("CREATE TABLE far (k text PRIMARY KEY)")
    let reading = try read(
      """
      CREATE TABLE part (k text UNIQUE);
      CREATE TABLE wide (x text, y text, PRIMARY KEY (x, y));
      CREATE TABLE a (k text PRIMARY KEY, far_id text REFERENCES \(other.name).far, part_id text REFERENCES part (k), x text, y text,
        FOREIGN KEY (x, y) REFERENCES wide);
      """)
    #expect(reading.model.entities.map(\.name) == ["A", "Wide"])
    #expect(reading.model.entity(named: "A")?.attributes.map(\.name) == ["k", "farId", "partId", "x", "y"])
    #expect(reading.model.entity(named: "Wide")?.uniquenessConstraints == [["x", "y"]])
    #expect(reading.notes.count { $0.contains("which has no class") } == 2)
    #expect(reading.notes.contains { $0.contains("has several columns") })
  }

  @Test("Inherited tables, triggers, row security, comments, partial and descending indexes are told or kept")
  func rest() throws {
    let reading = try read(
      """
      CREATE TABLE base (k text PRIMARY KEY, n integer);
      CREATE TABLE derived (PRIMARY KEY (k)) INHERITS (base);
      ALTER TABLE base ENABLE ROW LEVEL SECURITY;
      CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER t BEFORE INSERT ON derived FOR EACH ROW EXECUTE FUNCTION nothing();
      CREATE INDEX i ON base (n DESC, k) INCLUDE (k);
      CREATE INDEX j ON base (k, n);
      CREATE INDEX l ON base (n) WHERE n > 0;
      COMMENT ON COLUMN base.n IS 'a number'; COMMENT ON INDEX j IS 'an index';
      """)
    #expect(reading.notes.count { $0.contains("its comments") } == 1)
    for part in ["inherits from another table", "its triggers", "its row security", "the index “l” is left out"] {
      #expect(reading.notes.contains { $0.contains(part) }, "\(part): \(reading.notes)")
    }
    let indexes = reading.model.entity(named: "Base")?.fetchIndexes ?? []
    #expect(indexes.map { $0.elements.map(\.isAscending) } == [[false, true], [true, true]])
  }
}
