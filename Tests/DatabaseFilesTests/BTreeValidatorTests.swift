import DatabaseFiles
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct BTreeValidatorTests {
  @Test("b-trees of every page size, full of rows and indexes, are sound", arguments: [512, 4096, 65_536])
  func sound(_ pageSize: Int) throws {
    let folder = try TemporaryStore()
    let connection = try Connection(path: folder.url.path, mode: .create)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = 2;
      CREATE TABLE T (A INTEGER PRIMARY KEY, B, C); CREATE INDEX I ON T (B); CREATE INDEX J ON T (C, B);
      CREATE TABLE W (A PRIMARY KEY, B) WITHOUT ROWID;
      INSERT INTO T WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 5000)
        SELECT I, hex(I * 7919 % 5000), zeroblob(I % 700) FROM N;
      INSERT INTO W SELECT B || A, C FROM T; DELETE FROM T WHERE A % 3 = 0;
      """)
    #expect(try BTreeValidator(connection).damage.isEmpty)
    connection.close()
  }
}
