import CoreDataStore
import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreInspection

/// Repairs of damaged stores, for every kind of damage that the checker knows.
@Suite("Repairs of stores") struct StoreRepairTests {
  /// Damage whose rule has repairs, but for which there is none.
  private static let unrepaired: Set<String> = [
    // Which object was meant cannot be told.
    "a key of another entity",
    // The program that makes the index knows its properties.
    "a search index of other texts",
    // The bookkeeping alone does not tell which number the rows have.
    "another number of an entity", "an absurd number", "an entity too many",
    // What happened to the object, and when, is lost.
    "another kind of change", "a change of no entity", "a key of a change that is text", "a time that is text",
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

  @Test("A second repair changes nothing, though a one-to-one key leads to a row of another entity")
  func repeatedRepair() throws {
    let store = try CheckerSampleStore.make()
    // The sleeve's disc becomes a row of the abstract superentity.
    try CheckerSampleStore.execute(
      "UPDATE ZMEDIUM SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Medium')", on: store.url)
    #expect(try !StoreRepair.repair(store.url).isEmpty)
    #expect(try StoreRepair.repair(store.url) == [])
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
