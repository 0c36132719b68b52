import CSQLiteBare
import Foundation
import GRDB
import SwiftData

/// Databases of many players, written by SQL in one statement, once per run.
enum LargeStore {
  nonisolated(unsafe) static var rowCount = 5_000_000

  /// A folder with databases of as many players; of ``PlayerStore`` and ``PlayerTable``.
  static func folder(rows: Int) throws -> URL {
    try Templates.folder("players-\(rows)") { folder in
      try { _ = try PlayerStore(folder) }()
      let store = try BareDatabase(folder.appendingPathComponent("players.store"))
      try store.execute(
        """
        BEGIN;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZEMAIL, ZSCORE, ZRATING, ZJOINED)
        SELECT i, 1, 1, 'Player number ' || i, NULL, i % 1000, i % 100 + 0.5, i + 0.25 FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_NAME = 'Player';
        COMMIT
        """)
      try PlayerTable<PlayerRecord>(folder).create()
      let table = try BareDatabase(folder.appendingPathComponent("PlayerRecord.sqlite"))
      try table.execute(
        """
        BEGIN;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO player (id, name, email, score, rating, joined)
        SELECT i, 'Player number ' || i, NULL, i % 1000, i % 100 + 0.5, i + 0.25 FROM n;
        COMMIT
        """)
    }
  }
}

extension Workload {
  /// What may not depend on the number of rows.
  static var large: [Workload] {
    let counts = [10_000] + (LargeStore.rowCount > 0 ? [LargeStore.rowCount] : [])
    return counts.flatMap { [limited(rows: $0), save(rows: $0)] }
  }

  private static func name(_ count: Int) -> String {
    count % 1_000_000 == 0 ? "\(count / 1_000_000)M" : "\(count / 1000)k"
  }

  private static func limited(rows: Int) -> Workload {
    Workload(
      "limit-\(name(rows))", "fetchLimit 50 of \(name(rows))", parts: 200,
      swiftData: { _ in
        let context = try PlayerStore(LargeStore.folder(rows: rows)).context
        return {
          try (0..<200).reduce(0) { sum, index in
            var descriptor = FetchDescriptor<Player>(predicate: #Predicate { $0.score >= index })
            descriptor.fetchLimit = 50
            return try sum &+ context.fetch(descriptor).checksum
          }
        }
      },
      grdb: { _ in
        let queue = try PlayerTable<PlayerRecord>(LargeStore.folder(rows: rows)).queue
        return {
          try (0..<200).reduce(0) { sum, index in
            try sum
              &+ queue.read { try PlayerRecord.filter(Column("score") >= index).limit(50).fetchAll($0) }.checksum
          }
        }
      })
  }

  private static func save(rows: Int) -> Workload {
    Workload(
      "save-\(name(rows))", "insert one and save, into \(name(rows))", parts: 100,
      swiftData: { _ in
        let context = try PlayerStore(LargeStore.folder(rows: rows)).context
        return {
          for sample in Sample.all.prefix(100) {
            context.insert(Player(sample))
            try context.save()
          }
          return 100
        }
      },
      grdb: { _ in
        let queue = try PlayerTable<PlayerRecord>(LargeStore.folder(rows: rows)).queue
        return {
          for sample in Sample.all.prefix(100) { try queue.write { try PlayerRecord(sample).insert($0) } }
          return 100
        }
      })
  }
}
