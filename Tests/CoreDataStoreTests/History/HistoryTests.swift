import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What a save records in the history tables (CD-7).
@Suite struct HistoryTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Thing",
      properties: [
        .attribute(
          AttributeDescription(
            name: "serial", type: .integer64, isOptional: true, preservesValueInHistoryOnDeletion: true)),
        .attribute(
          AttributeDescription(
            name: "label", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)),
        .attribute(AttributeDescription(name: "weight", type: .double, isOptional: true)),
      ])
  ])

  private func insert(_ store: PersistentStore, _ count: Int, author: String? = nil) throws -> SaveResult {
    var changes = ChangeSet()
    changes.author = author
    changes.insertions = (0..<count).map { index in
      .init(
        entity: 1, columns: ["label", "serial"].map { ColumnSelection(entityName: "Thing", propertyName: $0) },
        source: StoreValuesRow(values: ["label": .text("label \(index)"), "serial": .integer(Int64(index))]))
    }
    return try store.save(changes)
  }

  @Test("CD-1.2, CD-7: the counters of history come with the first transaction; inserts have no ZCOLUMNS")
  func firstTransaction() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let counters = "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1"
    #expect(try PlainSQL.rows(folder.url, counters).isEmpty)
    #expect(try store.save(ChangeSet()).transaction == nil)
    let result = try insert(store, 3, author: "author")
    #expect(result.transaction == 1)
    _ = try insert(store, 2, author: "author")
    let strings = try PlainSQL.rows(folder.url, "SELECT Z_PK, Z_ENT, Z_OPT FROM ATRANSACTIONSTRING ORDER BY 1")
    #expect(
      try PlainSQL.rows(folder.url, counters) == [
        [.integer(16001), .text("CHANGE"), .integer(0), .integer(5)],
        [.integer(16002), .text("TRANSACTION"), .integer(0), .integer(2)],
        [.integer(16003), .text("TRANSACTIONSTRING"), .integer(0), .integer(Int64(strings.count))],
      ])
    #expect(strings.allSatisfy { $0[1] == .integer(16003) && $0[2] == .null })
    #expect(
      try PlainSQL.rows(
        folder.url,
        "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE ORDER BY 1")
        == (1...5).map {
          [
            .integer($0), .integer(16001), .null, .integer(0), .integer(1), .integer($0), .integer($0 > 3 ? 2 : 1),
            .null,
          ]
        })
    let transactions = try PlainSQL.rows(
      folder.url,
      """
      SELECT Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZPROCESSID, ZQUERYGEN, a.ZNAME, p.ZNAME FROM \
      (SELECT t.*, t.ZAUTHORTS x, t.ZPROCESSIDTS y FROM ATRANSACTION t) t \
      JOIN (SELECT Z_PK k, ZNAME FROM ATRANSACTIONSTRING) a ON a.k = x \
      JOIN (SELECT Z_PK k, ZNAME FROM ATRANSACTIONSTRING) p ON p.k = y
      """)
    #expect(transactions.count == 2)
    for row in transactions {
      #expect(row[0] == .integer(16002) && row[1] == .null && row[3...6].allSatisfy { $0 == .null })
      guard case .real(let time) = row[2] else {
        Issue.record("ZTIMESTAMP is no real number")
        return
      }
      #expect(abs(time - Date().timeIntervalSinceReferenceDate) < 3_600)
      #expect(row[7] == .text("author") && row[8] == .text(ProcessInfo.processInfo.processName))
    }
  }

  @Test("CD-7: a deleted row leaves the values that are to be preserved, by name of the attribute")
  func tombstones() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let result = try insert(store, 2)
    var changes = ChangeSet()
    changes.deletions = [.init(object: result.inserted[1].object, version: 1)]
    _ = try store.save(changes)
    #expect(
      try PlainSQL.rows(
        folder.url, "SELECT ZENTITYPK, ZCOLUMNS, ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2")
        == [[.integer(2), .null, .text("label 1"), .integer(1)]])
  }

  @Test("CD-7: an update has the bits of what changed, a merged insertion those of what it brought")
  func changedColumns() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let object = try insert(store, 1).inserted[0].object
    for (version, change) in [(["label"], "80"), (["serial"], "40"), (["weight"], "20"), (["label", "weight"], "A0")]
      .enumerated()
    {
      var changes = ChangeSet()
      changes.updates = [
        .init(
          object: object, version: Int64(version + 1), columns: [], changedProperties: change.0,
          source: StoreValuesRow())
      ]
      let transaction = try #require(try store.save(changes).transaction)
      #expect(
        try PlainSQL.rows(folder.url, "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZTRANSACTIONID = \(transaction)")
          == [[.text(change.1)]])
    }
  }

  @Test(
    "CD-7: stores of the first generation hold the texts themselves; stores without history get none",
    .damagesStores("history tables are taken away"))
  func otherForms() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    try store.write {
      try $0.execute("DROP TABLE ATRANSACTIONSTRING; DROP INDEX ATRANSACTION_ZAUTHORTS_INDEX")
      try $0.execute("ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS")
    }
    #expect(try insert(store, 1, author: "author").transaction == 1)
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZAUTHOR, ZPROCESSID FROM ATRANSACTION")
        == [[.text("author"), .text(ProcessInfo.processInfo.processName)]])
    try store.write { try $0.execute("DROP TABLE ATRANSACTION; DROP TABLE ACHANGE") }
    #expect(try insert(store, 1).transaction == nil)
    #expect(try store.count(FetchRequest(entityName: "Thing")) == 2)
  }

  @Test("CD-7: what another process has deleted already leaves no change, no transaction and no key behind")
  func deletedByAnother() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let keys = try insert(store, 3).inserted.map(\.object)
    let other = try PersistentStore.open(at: folder.url, model: Self.model)
    func deletions(_ keys: ArraySlice<ObjectKey>, version: Int64?) -> ChangeSet {
      var changes = ChangeSet()
      changes.deletions = keys.map { .init(object: $0, version: version) }
      return changes
    }
    #expect(try other.save(deletions(keys[..<1], version: 1)).transaction == 2)
    let history = "SELECT * FROM ACHANGE UNION ALL SELECT * FROM Z_PRIMARYKEY JOIN (SELECT 1, 2, 3, 4, 5, 6)"
    let before = try PlainSQL.rows(folder.url, history)
    #expect(try store.save(deletions(keys[..<1], version: nil)).transaction == nil)
    #expect(try PlainSQL.rows(folder.url, history) == before)
    #expect(throws: SaveError.self) { try store.save(deletions(keys[..<2], version: 1)) }
    #expect(try PlainSQL.rows(folder.url, history) == before)
    // Of two, the one that is there is recorded.
    #expect(try store.save(deletions(keys[..<2], version: nil)).transaction == 3)
    let changes = try PlainSQL.rows(
      folder.url, "SELECT Z_PK, ZENTITYPK, ZTRANSACTIONID FROM ACHANGE WHERE ZCHANGETYPE = 2 ORDER BY 1")
    #expect(changes == [[.integer(4), .integer(1), .integer(2)], [.integer(5), .integer(2), .integer(3)]])
  }

  @Test("CD-7: a row that is given a key out of turn, as by an import, is recorded as well")
  func givenKeys() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let rows = try insert(store, 3).inserted.map(\.object)
    var deletion = ChangeSet()
    deletion.deletions = [.init(object: rows[1], version: 1)]
    _ = try store.save(deletion)
    try store.write { connection in
      var save = try SaveTransaction(
        ChangeSet(), connection: connection, layout: store.layout, historyForm: HistoryForm(connection),
        files: store.externalDataWriter, maySkipRows: false)
      var part = ChangeSet()
      part.insertions = (0..<2).map { _ in
        .init(
          entity: 1, columns: [ColumnSelection(entityName: "Thing", propertyName: "label")],
          source: StoreValuesRow(values: ["label": .text("again")]))
      }
      for key in [2, 7] as [Int64] { try save.keys.reserve(key, 1, table: "ZTHING", entityName: "Thing") }
      _ = try save.write(part, keys: [2, 7])
      try save.finish()
    }
    let recorded = try PlainSQL.rows(
      folder.url, "SELECT ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE = 0 AND ZTRANSACTIONID = 3 ORDER BY Z_PK")
    #expect(recorded == [[.integer(2)], [.integer(7)]])
    #expect(
      try PlainSQL.rows(folder.url, "SELECT max(Z_PK) FROM ACHANGE")
        == PlainSQL.rows(folder.url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001"))
  }
}
