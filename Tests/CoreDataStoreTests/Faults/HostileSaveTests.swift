import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Saves into stores that were made to do harm: all or nothing, no key given out twice, and no trap.
@Suite(.damagesStores("hostile stores")) struct HostileSaveTests {
  private static let others = HostileStoreTests.logs + HostileStoreTests.rows + HostileStoreTests.schemas
  private static let all = HostileStoreTests.keys + triggers + others
  /// All of them with `OPENSWIFTDATA_FULL_TESTS` set, as for recording; otherwise those that are about saving, and some.
  static let cases =
    FullTests.areWanted
    ? all : HostileStoreTests.keys + triggers + stride(from: 0, to: others.count, by: 4).map { others[$0] }
  private static let golden = HostileStoreGolden("HostileSaves", all)

  @Test("saves all or nothing, and says why not", .skipsLockWaits, arguments: cases)
  func hostile(_ hostile: HostileStoreTests.Case) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try hostile.prepare(StoreDamager(url: folder.url))
    var lines: [String] = []
    do {
      let options = StoreOptions(createsIfMissing: false, busyTimeout: .zero)
      let store = try PersistentStore.open(at: folder.url, options: options)
      defer { store.close() }
      for (name, change) in try changes(store) {
        let keys = try keys(folder.url)
        let state = try FaultWorld.rows(folder.url)
        do {
          let result = try store.save(change)
          lines.append("\(name): saved")
          let new = result.inserted.map(\.object)
          #expect(Set(new).count == new.count && !new.contains { keys.contains("\($0)") && name != "merge" }, "\(name)")
        } catch let error as any Error & CustomStringConvertible
          where error is StoreError || error is SaveError || error is DamagedCounter || error is SQLiteError
          || error is QueryError
        {
          lines.append("\(name): \(error)".replacing(folder.url.path, with: "PATH"))
          #expect(try FaultWorld.rows(folder.url) == state, "\(name)")
        }
      }
    } catch let error as StoreError {
      lines.append("refused: \(error)".replacing(folder.url.path, with: "PATH"))
    }
    lines = lines.map { $0.replacing("\n", with: "\\n").replacing("\0", with: "\\0") }
    try Self.golden.expect(lines, of: hostile.testDescription)
  }

  private func keys(_ url: URL) throws -> Set<String> {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    var result: Set<String> = []
    for (table, number) in [("ZBOOK", 1), ("ZGENRE", 3), ("ZSHELF", 4)] {
      let rows = try connection.prepare("SELECT Z_PK FROM \(table)")
      while try rows.step() { result.insert("\(ObjectKey(entity: Int32(number), key: rows.integer(0)))") }
    }
    return result
  }

  /// What is tried one after the other, each in a save of its own.
  private func changes(_ store: PersistentStore) throws -> [(String, ChangeSet)] {
    func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
      names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    }
    func number(_ name: String) throws -> Int32 {
      Int32(truncatingIfNeeded: try store.layout.existingEntity(name).number)
    }
    func book(_ key: Int64) throws -> ObjectKey { ObjectKey(entity: try number("Book"), key: key) }
    var merge = ChangeSet()
    merge.insertions = [
      .init(
        entity: try number("Book"), columns: columns("Book", ["code", "title"]),
        source: StoreValuesRow(values: ["code": .blob(Data(count: 16)), "title": .text("merged")]))
    ]
    let shelf = ObjectKey(entity: try number("Shelf"), key: 1)
    var insertion = ChangeSet()
    insertion.insertions = try ["Book", "Novel", "Genre"].map { name in
      let title = name == "Genre" ? "name" : "title"
      return .init(
        entity: try number(name), columns: columns(name, name == "Genre" ? [title] : [title, "shelf"]),
        source: StoreValuesRow([title: .values([.text("new")]), "shelf": .object(shelf)]))
    }
    insertion.relationshipChanges = [
      .init(
        owner: .inserted(0), relationship: "genres",
        added: [.inserted(2), .existing(ObjectKey(entity: try number("Genre"), key: 1))])
    ]
    var update = ChangeSet()
    update.updates = [
      .init(
        object: try book(1), version: try version(store, 1), columns: columns("Book", ["title"]),
        changedProperties: ["title"],
        source: StoreValuesRow(values: ["title": .text("changed")]))
    ]
    var order = ChangeSet()
    order.relationshipChanges = [
      .init(
        owner: .existing(shelf), relationship: "books",
        order: try [4, 1, 2, 3, 5, 9, 8, 7, 6].map { .existing(try book($0)) })
    ]
    var relation = ChangeSet()
    relation.relationshipChanges = [
      .init(owner: .existing(try book(2)), relationship: "related", added: [.existing(try book(1))])
    ]
    var deletion = ChangeSet()
    deletion.deletions = [.init(object: try book(1), version: nil)]
    return [
      ("insert", insertion), ("update", update), ("order", order), ("relate", relation), ("merge", merge),
      ("delete", deletion),
    ]
  }

  private func version(_ store: PersistentStore, _ key: Int64) throws -> Int64? {
    try store.read { try $0.integer("SELECT Z_OPT FROM ZBOOK WHERE Z_PK = \(key)") }
  }

  static let triggers: [HostileStoreTests.Case] = [
    .init("a trigger without end") {
      try $0.sql(
        "CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN UPDATE ZBOOK SET ZTITLE = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n); END"
      )
    },
    .init("a trigger that sets itself off") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN INSERT INTO ZBOOK (Z_ENT) VALUES (1); END")
    },
    .init("a trigger that sets itself off by changes") {
      try $0.sql(
        "CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN INSERT INTO ZBOOK (Z_PK, Z_ENT) VALUES (new.Z_PK + 1000, 1); END")
    },
    .init("a trigger that loads code") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN SELECT load_extension('/tmp/x'); END")
    },
    .init("a trigger that writes to the schema") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN DELETE FROM sqlite_master; END")
    },
    .init("a trigger that asks for all memory") {
      try $0.sql(
        "CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN UPDATE ZBOOK SET ZCOVER = zeroblob(999999999) || zeroblob(9); END"
      )
    },
    .init("a trigger that takes rows away") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN DELETE FROM ZBOOK WHERE Z_PK = new.Z_PK; END")
    },
    .init("a trigger that gives up quietly") {
      try $0.sql("CREATE TRIGGER T BEFORE INSERT ON ZBOOK BEGIN SELECT RAISE(IGNORE); END")
    },
    .init("a trigger that ends the transaction") {
      try $0.sql("CREATE TRIGGER T AFTER UPDATE ON ZBOOK BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    },
    .init("a trigger that changes the counters") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZBOOK BEGIN UPDATE Z_PRIMARYKEY SET Z_MAX = 0; END")
    },
    .init("a column that must not be NULL and has no default") {
      try $0.definition(of: "ZGENRE", "ZNAME VARCHAR", "ZNAME VARCHAR NOT NULL CHECK (ZNAME <> 'new')")
    },
    .init("an absurd count of history") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT > 16000")
    },
    .init("history without a table of strings") { try $0.sql("DROP TABLE ATRANSACTIONSTRING") },
    .init("history without its changes") { try $0.sql("DROP TABLE ACHANGE") },
    .init("history with columns missing") { try $0.sql("ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS") },
    .init("a view for history") { try $0.sql("DROP TABLE ACHANGE; CREATE VIEW ACHANGE AS SELECT * FROM ZBOOK") },
  ]
}
