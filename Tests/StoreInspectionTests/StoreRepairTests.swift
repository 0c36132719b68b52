import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreInspection

/// Repairs of damaged stores, for every kind of damage that the checker knows.
@Suite("Repairs of stores", .damagesStores("damage that the repair is to find")) struct StoreRepairTests {
  /// Damage whose rule has repairs, but for which there is none.
  private static let unrepaired: Set<String> = [
    // Which object was meant cannot be told.
    "a key of another entity", "a row of an abstract entity", "two objects that lead to one",
    // The program that makes the index knows its properties.
    "a search index of other texts",
    // The bookkeeping alone does not tell which number the rows have.
    "another number of an entity", "an absurd number", "an entity too many",
    // What happened to the object, and when, is lost.
    "another kind of change", "a change of no entity", "a key of a change that is text", "a time that is text",
    // The values are there, under another name.
    "a renamed column of history",
    // Either value may be meant.
    "text in a Boolean",
  ]

  private static let repairable = CheckerDamage.all.filter {
    CheckRule.repairable.contains($0.rule) && $0.severity != .note && !unrepaired.contains($0.name)
  }

  /// Damage that the repair of another rule, which comes first, puts right.
  private static let repairedOtherwise: Set<String> = ["an entity column that is text beside a key of nothing"]

  private func findings(_ url: URL) throws -> [CheckFinding] {
    try StoreChecker.report(url).findings.filter { $0.severity != .note }
  }

  /// A copy of a store with its files, in a folder of its own.
  private func copy(of store: TemporaryStore) throws -> TemporaryStore {
    let copy = try TemporaryStore(name: store.url.lastPathComponent)
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.path) {
      try FileManager.default.copyItem(
        at: store.folder.appendingPathComponent(name), to: copy.folder.appendingPathComponent(name))
    }
    return copy
  }

  /// The rows of all entities, as a program reads them.
  private func rows(_ url: URL) throws -> [[[StoreValue]]] {
    try ["ZBOOK", "ZCHAPTER", "ZGENRE", "ZSHELF", "ZMEDIUM", "ZSLEEVE"].map { table in
      try PlainSQL.rows(url, "SELECT * FROM \(table) ORDER BY Z_PK")
    }
  }

  @Test("A sound store is left alone") func sound() throws {
    let store = try CheckerSampleStore.make()
    let before = try Data(contentsOf: store.url)
    #expect(try StoreRepair.repair(store.url) == [])
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("CD-1 … CD-8: what can be repaired is repaired, and nothing else changes")
  func damage() throws {
    #expect(Self.repairable.count > 40)
    let sample = try CheckerSampleStore.make()
    let before = try rows(sample.url)
    for damage in Self.repairable where Fixtures.areAvailable || damage.name != "an index that leads to another row" {
      let store = try copy(of: sample)
      try damage.apply(to: store.url)
      #expect(try findings(store.url).contains { $0.rule == damage.rule }, "\(damage.name)")
      let repairs = try StoreRepair.repair(store.url, candidates: [CheckerSampleStore.model])
      let isRepaired = repairs.contains { $0.rule == damage.rule && $0.failure == nil }
      #expect(isRepaired || Self.repairedOtherwise.contains(damage.name), "\(damage.name): \(repairs)")
      #expect(try findings(store.url) == [], "\(damage.name): \(repairs)")
      // Definitions and bookkeeping are repaired without a change of any object.
      if ![.keys, .entityColumnValues, .oneToOne, .orderKeys, .booleans, .foreignValues, .derivedValues, .rowVersions]
        .contains(damage.rule)
      {
        #expect(try rows(store.url) == before, "\(damage.name)")
      }
    }
  }

  @Test("Every rule that is called repairable has a kind of damage that is repaired") func completeness() {
    #expect(CheckRule.repairable == Set(Self.repairable.map(\.rule)))
  }

  @Test(
    "CD-1 … CD-8: what is called repairable is repaired in one run, and a second run changes nothing",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func promises() throws {
    let sample = try CheckerSampleStore.make()
    // Each damage is checked and repaired twice.
    let damages = CheckerDamage.all.enumerated().filter { FullTests.areWanted || $0.offset % 3 == 0 }.map(\.element)
    for damage in damages {
      let store = try copy(of: sample)
      try damage.apply(to: store.url)
      let promised = try findings(store.url).filter(\.isRepairable)
      let repairs: [StoreRepair]
      do { repairs = try StoreRepair.repair(store.url) } catch let error as StoreError {
        // The store cannot even be opened.
        #expect(promised.isEmpty, "\(damage.name): \(error), \(promised)")
        continue
      }
      #expect(try findings(store.url).filter(\.isRepairable) == [], "\(damage.name): \(repairs)")
      // Rows of equal values keep a unique index from being made, which the check says.
      let failed = Set(repairs.filter { $0.failure != nil }.map(\.subject))
      #expect(promised.allSatisfy { !failed.contains($0.subject) }, "\(damage.name): \(repairs)")
      #expect(try StoreRepair.repair(store.url).allSatisfy { $0.failure != nil }, "\(damage.name)")
    }
  }

  @Test(
    "CD-1.4: a store without its model gets it together with all other repairs",
    arguments: ["DROP TABLE Z_MODELCACHE", "DELETE FROM Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'"])
  func lostModel(damage: String) throws {
    let store = try CheckerSampleStore.make()
    // Without the store's own model, nobody can tell that the fetch index is missing.
    try CheckerSampleStore.execute("\(damage); DROP INDEX Z_Book_byTitle", on: store.url)
    let repairs = try StoreRepair.repair(store.url, candidates: [CheckerSampleStore.model])
    #expect(repairs.contains { $0.rule == .modelCache } && repairs.allSatisfy { $0.failure == nil }, "\(repairs)")
    #expect(try findings(store.url) == [])
    #expect(try StoreRepair.repair(store.url, candidates: [CheckerSampleStore.model]) == [])
  }

  @Test("CD-1.4: a model that cannot be read is called repairable if a given version fits")
  func unreadableModel() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", on: store.url)
    var other = CheckerSampleStore.model
    other.entities.removeLast(2)
    for (candidates, isRepairable) in [([], false), ([other], false), ([CheckerSampleStore.model], true)] {
      let found = try StoreChecker.report(store.url, candidates: candidates).errors.filter { $0.rule == .modelCache }
      #expect(found.map(\.isRepairable) == [isRepairable], "\(found)")
    }
  }

  @Test("CD-3.1: which of two links is right is for a person to decide; a missing one is set")
  func oneToOne() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute(
      """
      INSERT INTO ZSLEEVE (Z_PK, Z_ENT, Z_OPT, ZDISC) VALUES (2, 8, 1, 1), (3, 8, 1, 3);
      INSERT INTO ZMEDIUM (Z_PK, Z_ENT, Z_OPT, ZSLEEVE) VALUES (2, 6, 1, 1), (3, 6, 1, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME IN ('Sleeve', 'Medium')
      """, on: store.url)
    let found = try findings(store.url)
    #expect(
      Set(found.map { "\($0.subject) \($0.problem) \($0.isRepairable)" }) == [
        "Disc.sleeve the object leads to another one: 1 of 2, first at Z_PK 2 false",
        "Sleeve.disc the object leads to another one: 1 of 2, first at Z_PK 2 false",
        "Sleeve.disc the object does not lead back: 1 of 3, first at Z_PK 3 true",
      ])
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.lines(store.url, "SELECT ZSLEEVE FROM ZMEDIUM ORDER BY Z_PK") == ["1", "1", "3"])
    #expect(try findings(store.url).filter(\.isRepairable) == [])
    #expect(try !StoreRepair.isNeeded(store.url))
  }

  @Test("CD-7: transactions keep their texts when the rows of one text become one") func texts() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute(
      """
      DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME;
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (2, 16003, 'tests'), (3, 16003, 'other'), (4, 16003, 'other');
      UPDATE ATRANSACTION SET ZAUTHORTS = 2, ZPROCESSIDTS = 4, ZBUNDLEIDTS = 3 WHERE Z_PK = 2;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 16003
      """, on: store.url)
    _ = try StoreRepair.repair(store.url)
    #expect(try findings(store.url) == [])
    #expect(
      try PlainSQL.lines(store.url, "SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
        "1 tests", "3 other",
      ])
    #expect(
      try PlainSQL.lines(
        store.url, "SELECT ZAUTHORTS, ZPROCESSIDTS, ZBUNDLEIDTS FROM ATRANSACTION ORDER BY Z_PK") == [
          "1 - -", "1 3 3",
        ])
  }

  @Test("CD-7: a lost column of history is added, and what is left of history can be read") func lostColumns() throws {
    for (column, kinds) in [("ZCOLUMNS", [0, 1, 2]), ("ZENTITYPK", []), ("ZTOMBSTONE0", [0, 1, 2])] {
      let store = try CheckerSampleStore.make()
      try CheckerSampleStore.execute("ALTER TABLE ACHANGE DROP COLUMN \(column)", on: store.url)
      _ = try StoreRepair.repair(store.url)
      #expect(try findings(store.url) == [], "\(column)")
      let opened = try PersistentStore.open(at: store.url)
      defer { opened.close() }
      let history = try opened.history()
      var found: [Int64] = []
      while try history.next() != nil {
        while let change = try history.nextChange() {
          found.append(change.kind.rawValue)
          if change.kind == .update, column == "ZCOLUMNS" {
            let properties = change.changedProperties ?? []
            #expect(properties.contains("title") && properties.contains("sequel"))
          }
        }
      }
      #expect(found == kinds.map(Int64.init), "\(column)")
    }
  }

  @Test("CD-7: changes whose column another program has renamed stay when other columns are added")
  func renamedColumn() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute(
      "ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0; ALTER TABLE ACHANGE RENAME COLUMN ZENTITYPK TO ZOBJECT",
      on: store.url)
    let changes = "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZOBJECT, ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK"
    let before = try PlainSQL.rows(store.url, changes)
    #expect(before.count == 3)
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.rows(store.url, changes) == before)
  }

  @Test("CD-7: a table of history without its primary key is left to a person, and its rows stay")
  func keylessTable() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute(
      """
      CREATE TABLE KEPT AS SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE;
      DROP TABLE ACHANGE;
      ALTER TABLE KEPT RENAME TO ACHANGE
      """, on: store.url)
    let changes = "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK"
    let before = try PlainSQL.rows(store.url, changes)
    #expect(before.count == 3)
    let found = try findings(store.url).filter { $0.problem == "has no primary key" }
    #expect(found.map(\.subject) == ["ACHANGE"] && found.allSatisfy { !$0.isRepairable }, "\(found)")
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.rows(store.url, changes) == before)
  }

  @Test("CD-8: objects are saved again after a lost search index, and a trigger of another program stays")
  func lostSearchIndex() throws {
    let store = try CheckerSampleStore.make()
    let opened = try PersistentStore.open(at: store.url)
    try opened.makeSearchIndex(on: ["name"], of: "Genre")
    opened.close()
    // The repair of the rows fires the trigger of changes.
    try CheckerSampleStore.execute(
      """
      DROP TABLE OSD_Genre_SEARCH; UPDATE ZGENRE SET Z_OPT = 0;
      CREATE TRIGGER OSD_MINE_SEARCH_UPDATE AFTER UPDATE ON ZGENRE BEGIN SELECT 1; END
      """, on: store.url)
    let insertion = "INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (9, 4, 1, 'essay')"
    #expect(throws: SQLiteError.self) { try CheckerSampleStore.execute(insertion, on: store.url) }
    let found = try findings(store.url).filter { $0.rule == .searchIndexes }
    #expect(found.map(\.subject) == ["OSD_Genre_SEARCH"] && found.allSatisfy(\.isRepairable), "\(found)")
    #expect(found.first?.problem.hasSuffix("_DELETE: changes of ZGENRE fail") == true, "\(found)")
    let repairs = try StoreRepair.repair(store.url)
    #expect(repairs.allSatisfy { $0.failure == nil }, "\(repairs)")
    #expect(try findings(store.url).map(\.subject) == ["OSD_MINE_SEARCH_UPDATE"])
    try CheckerSampleStore.execute(insertion, on: store.url)
  }

  @Test("CD-1.2: the entity whose row is missing is named, and no other entity") func missingRow() throws {
    let store = try CheckerSampleStore.make()
    let row = "SELECT Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'"
    let before = try PlainSQL.rows(store.url, row)
    try CheckerSampleStore.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'", on: store.url)
    let found = try findings(store.url)
    #expect(Set(found.map(\.subject)) == ["Z_PRIMARYKEY", "Book"], "\(found)")
    #expect(found.contains { $0.subject == "Book" && $0.repair?.hasPrefix("Insert the row: number 1") == true })
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.rows(store.url, row) == before)
  }

  @Test(
    "CD-1.2: the key of a deleted object is not given again, which readers of history would take for the object",
    arguments: [
      "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'", "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Book'",
    ])
  func deletedKeys(damage: String) throws {
    let store = try CheckerSampleStore.make()
    // The entity 2 is Novel, whose objects are rows of Book's table.
    try CheckerSampleStore.execute(
      "UPDATE ACHANGE SET ZENTITY = 2, ZENTITYPK = 70 WHERE Z_PK = 3; \(damage)", on: store.url)
    _ = try StoreRepair.repair(store.url)
    #expect(
      try PlainSQL.rows(store.url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == [[.integer(70)]])
    #expect(try findings(store.url) == [])
  }

  @Test("CD-7: a save is recorded again after a missing table of history is made") func halfHistory() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute("DROP TABLE ATRANSACTION", on: store.url)
    let last = try PlainSQL.rows(store.url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.rows(store.url, "SELECT count(*) FROM ACHANGE") == [[.integer(0)]])
    // Tokens of readers hold numbers of transactions, so no number comes again.
    #expect(try PlainSQL.rows(store.url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == last)
  }

  @Test("A row of no concrete entity keeps its values, which are right if only its entity is wrong")
  func rowOfNoEntity() throws {
    let store = try CheckerSampleStore.make()
    // The sleeve's disc becomes a row of the abstract superentity.
    try CheckerSampleStore.execute(
      "UPDATE ZMEDIUM SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Medium')", on: store.url)
    let before = try rows(store.url)
    #expect(try !findings(store.url).isEmpty)
    #expect(try StoreRepair.repair(store.url) == [])
    #expect(try rows(store.url) == before)
  }

  @Test("CD-3.4: objects keep their order when they are numbered anew") func order() throws {
    let store = try CheckerSampleStore.make()
    func books() throws -> (keys: [Int64], places: [Int64]) {
      let connection = try Connection(path: store.url.path, mode: .readWrite)
      defer { connection.close() }
      let books = try connection.prepare(
        "SELECT Z_PK, Z_FOK_SHELF FROM ZBOOK WHERE ZSHELF = 1 ORDER BY Z_FOK_SHELF, Z_PK")
      var result: (keys: [Int64], places: [Int64]) = ([], [])
      while try books.step() {
        result.keys.append(books.integer(0))
        result.places.append(books.integer(1))
      }
      return result
    }
    try CheckerSampleStore.execute(
      "UPDATE ZBOOK SET ZSHELF = 1, Z_FOK_SHELF = CASE Z_PK WHEN 1 THEN 3072 ELSE 2048 END", on: store.url)
    let before = try books().keys
    #expect(before.count > 2)
    _ = try StoreRepair.repair(store.url)
    let after = try books()
    let places = before.indices.map { 2048 + 1024 * Int64($0) }
    #expect(after.keys == before)
    #expect(after.places == places)
  }

  @Test(
    "CD-3.4: pairs keep the order in which they are read when they are numbered anew",
    arguments: [("2048", "2048", ["1", "2"]), ("2048", "NULL", ["2", "1"]), ("'x'", "2048", ["2", "1"])])
  func pairOrder(first: String, second: String, order: [String]) throws {
    let store = try CheckerSampleStore.make()
    // The row of the second genre comes first.
    try CheckerSampleStore.execute(
      "DELETE FROM Z_1GENRES; INSERT INTO Z_1GENRES VALUES (1, 2, \(second)), (1, 1, \(first))", on: store.url)
    let read = "SELECT Z_4GENRES FROM Z_1GENRES WHERE Z_1BOOKS = 1 ORDER BY Z_FOK_4GENRES, Z_4GENRES"
    #expect(try PlainSQL.lines(store.url, read) == order)
    _ = try StoreRepair.repair(store.url)
    #expect(try PlainSQL.lines(store.url, read) == order)
    #expect(try findings(store.url) == [])
  }

  @Test("CD-6: a row of no entity in a table of one entity becomes its object again, and its pairs stay")
  func rowOfSoleEntity() throws {
    for number in ["NULL", "77", "'x'", "3"] {
      let store = try CheckerSampleStore.make()
      let pairs = try PlainSQL.rows(store.url, "SELECT * FROM Z_1GENRES ORDER BY 1, 2")
      let before = try rows(store.url)
      try CheckerSampleStore.execute("UPDATE ZGENRE SET Z_ENT = \(number) WHERE Z_PK = 1", on: store.url)
      _ = try StoreRepair.repair(store.url)
      #expect(try rows(store.url) == before, "\(number)")
      #expect(try PlainSQL.rows(store.url, "SELECT * FROM Z_1GENRES ORDER BY 1, 2") == pairs, "\(number)")
      #expect(try findings(store.url) == [], "\(number)")
    }
  }

  @Test("A check and a repair end when they are asked to, and the store is as it was") func interruption() throws {
    struct Requested: Error {}
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute("DROP INDEX ZCHAPTER_ZBOOK_INDEX", on: store.url)
    func callsOfPoll(_ run: (@escaping () throws -> Void) throws -> Void) throws -> Int {
      var calls = 0
      try run { calls += 1 }
      return calls
    }
    let checked = try callsOfPoll { _ = try StoreChecker.report(store.url, poll: $0) }
    #expect(checked > 40)
    let before = try Data(contentsOf: store.url)
    let repaired = try callsOfPoll { poll in
      let copy = try self.copy(of: store)
      _ = try StoreRepair.repair(copy.url, poll: poll)
    }
    #expect(repaired > 2 * checked)
    for last in [1, checked / 2, checked, checked + 1, repaired - 1, repaired] {
      var calls = 0
      func poll() throws {
        calls += 1
        if calls == last { throw Requested() }
      }
      if last <= checked { #expect(throws: Requested.self) { try StoreChecker.report(store.url, poll: poll) } }
      calls = 0
      #expect(throws: Requested.self, "\(last) of \(repaired)") { try StoreRepair.repair(store.url, poll: poll) }
      #expect(calls == last)
      #expect(try PlainSQL.rows(store.url, "SELECT 1 FROM sqlite_master WHERE name = 'ZCHAPTER_ZBOOK_INDEX'") == [])
    }
    #expect(try Data(contentsOf: store.url).count == before.count)
  }

  @Test("A repair that the rows do not allow is told, and the others are made") func failure() throws {
    let store = try CheckerSampleStore.make()
    try CheckerSampleStore.execute(
      """
      DROP INDEX Z_Book_UNIQUE_code; DROP INDEX Z_Book_byTitle; UPDATE ZBOOK SET ZCODE = zeroblob(16)
      """, on: store.url)
    let repairs = try StoreRepair.repair(store.url)
    #expect(repairs.first { $0.subject == "Z_Book_UNIQUE_code" }?.failure?.contains("UNIQUE") == true)
    #expect(repairs.first { $0.subject == "Z_Book_byTitle" }?.failure == nil)
    #expect(Set(try findings(store.url).map(\.rule)) == [.uniqueIndexes, .uniqueValues])
  }
}
