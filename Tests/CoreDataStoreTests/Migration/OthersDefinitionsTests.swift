import ManagedModel
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Indexes and triggers of other programs on tables that a migration changes.
@Suite("Definitions of other programs in migrations") struct OthersDefinitionsTests {
  private static func model(_ type: AttributeType, _ name: String) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "Note",
        properties: [
          .attribute(AttributeDescription(name: "number", type: type, isOptional: true)),
          .attribute(
            AttributeDescription(name: name, type: .string, isOptional: true, renamingIdentifier: "text")),
        ])
    ])
  }

  @Test("They are made again where they fit, whatever case their table is written in, and no trigger fires meanwhile")
  func made() throws {
    let store = try TemporaryStore()
    try PersistentStore.open(at: store.url, model: Self.model(.integer64, "text")).close()
    try PlainSQL.run(
      store.url,
      """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNUMBER) VALUES (1, 1, 1, 5);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
      CREATE TABLE SEEN (NUMBER);
      CREATE TRIGGER SMALL_INSERT AFTER INSERT ON znote BEGIN INSERT INTO SEEN VALUES (NEW.znumber); END;
      CREATE TRIGGER SMALL AFTER UPDATE ON znote BEGIN INSERT INTO SEEN VALUES (NEW.znumber); END;
      CREATE TRIGGER LARGE AFTER UPDATE ON ZNOTE BEGIN INSERT INTO SEEN VALUES (NEW.ZNUMBER); END;
      CREATE INDEX KEPT ON znote (znumber);
      CREATE INDEX GONE ON ZNOTE (ZTEXT);
      """)
    try PersistentStore.migrate(at: store.url, through: [MigrationStep(Self.model(.double, "title"))])
    let names = try PlainSQL.rows(
      store.url,
      "SELECT name FROM sqlite_master WHERE name IN ('SMALL_INSERT', 'SMALL', 'LARGE', 'KEPT', 'GONE') ORDER BY name"
    ).map { "\($0)" }
    #expect(names.count == 4 && !names.joined().contains("GONE"), "\(names)")
    #expect(try PlainSQL.rows(store.url, "SELECT * FROM SEEN").isEmpty)
  }
}
