import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

/// Our own check of stores against damage; `CheckerAgreementTests` compares it with the independent one.
@Suite(.damagesStores("damage that the checker is to find"))
struct CheckerTests {
  static let damages: [(script: String, fact: String)] = [
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "CD-1.2"),
    ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 3", "CD-1.2"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'X' WHERE Z_ENT = 3", "CD-1.2"),
    ("INSERT INTO Z_METADATA (Z_VERSION) VALUES (2)", "CD-1.3"),
    ("UPDATE ZBOOK SET Z_ENT = 3 WHERE Z_PK = 1", "CD-6"),
    ("UPDATE ZBOOK SET Z_OPT = 0 WHERE Z_PK = 1", "CD-6"),
    ("UPDATE ZBOOK SET ZTITLE = x'00' WHERE Z_PK = 1", "CD-5"),
    ("UPDATE ZBOOK SET ZCODE = x'00' WHERE Z_PK = 1", "CD-5"),
    ("UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = 1", "CD-3.4"),
    ("UPDATE ZBOOK SET Z_FOK_SHELF = 2048, ZSHELF = 1", "CD-3.4"),
    ("UPDATE ZBOOK SET Z1_SEQUEL = 1 WHERE Z_PK = 2", "CD-3.1"),
    ("INSERT INTO Z_1GENRES VALUES (1, 77, 2048)", "CD-3.3"),
    ("INSERT INTO Z_1RELATED VALUES (1, 2)", "CD-3.3"),
    ("DROP INDEX Z_Book_UNIQUE_code; UPDATE ZBOOK SET ZCODE = zeroblob(16)", "CD-4"),
    ("CREATE TABLE Z_9STRANGE (A)", "CD-2"),
    ("INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (16001, 0, 1, 1, 5)", "CD-7"),
    (
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (5, 16002, 1.5);
      INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (16001, 2, 1, 1, 5)
      """, "CD-7"
    ),
  ]

  @Test("each kind of damage is found under its fact", arguments: damages)
  func damage(_ script: String, _ fact: String) throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    try store.write {
      try $0.execute(
        """
        INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 4, 1);
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSHELF, Z_FOK_SHELF, ZSEQUEL, Z1_SEQUEL)
        VALUES (1, 1, 1, 'a', 1, 2048, NULL, NULL), (2, 2, 1, 'b', 1, 3072, 2, 2);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (1, 4)
        """)
    }
    #expect(try StoreChecker.check(store) == [])
    store.close()
    try PlainSQL.run(folder.url, script)
    let findings = try StoreChecker.check(folder.url)
    #expect(findings.contains { $0.fact == fact }, "\(findings)")
  }
}
