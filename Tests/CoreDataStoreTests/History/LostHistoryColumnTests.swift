import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Tables of history that lack a column, because another program has changed them.
@Suite("Lost columns of history", .damagesStores("history without columns")) struct LostHistoryColumnTests {
  private struct Case: Sendable {
    let table: String
    let column: String
    var index: String?
  }

  private static let cases: [Case] = [
    Case(table: "ACHANGE", column: "ZCHANGETYPE"), Case(table: "ACHANGE", column: "ZENTITY"),
    Case(table: "ACHANGE", column: "ZENTITYPK"), Case(table: "ACHANGE", column: "ZCOLUMNS"),
    Case(table: "ACHANGE", column: "ZTRANSACTIONID", index: "ACHANGE_ZTRANSACTIONID_INDEX"),
    Case(table: "ACHANGE", column: "Z_ENT"),
    Case(table: "ATRANSACTION", column: "ZTIMESTAMP", index: "Z_TRANSACTION_TransactionTimestampIndex"),
    Case(table: "ATRANSACTION", column: "ZAUTHORTS", index: "ATRANSACTION_ZAUTHORTS_INDEX"),
    Case(table: "ATRANSACTION", column: "ZPROCESSID"),
    Case(table: "ATRANSACTIONSTRING", column: "ZNAME", index: "Z_TRANSACTIONSTRING_UNIQUE_NAME"),
  ]

  @Test("CD-7: saves and readers of history name the column and the way out; nothing is saved, and objects can be read")
  func lost() throws {
    for test in Self.cases {
      let folder = try TemporaryStore()
      try StoreDamager.makeStore(at: folder.url)
      if let index = test.index { try PlainSQL.run(folder.url, "DROP INDEX \(index)") }
      try PlainSQL.run(folder.url, "ALTER TABLE \(test.table) DROP COLUMN \(test.column)")
      let before = try FaultWorld.rows(folder.url)
      let store = try PersistentStore.open(at: folder.url)
      defer { store.close() }
      #expect(try store.count(FetchRequest(entityName: "Book")) > 0)
      var changes = ChangeSet()
      changes.deletions = [.init(object: ObjectKey(entity: 1, key: 1), version: nil)]
      let uses: [() throws -> Void] = [
        { _ = try store.save(changes) }, { _ = try store.history() }, { _ = try store.lastTransaction() },
        { try store.deleteHistory(HistoryRequest(after: 0)) }, { try store.pruneHistory(before: Date()) },
      ]
      for use in uses {
        let error = #expect(throws: StoreError.self) { try use() }
        #expect(
          error?.description == """
            the store at “\(folder.url.path)” has no column “\(test.column)” in table “\(test.table)”, which its history needs — \
            repair the store with `store-tool doctor --repair`, or restore it from a backup
            """)
      }
      #expect(try FaultWorld.rows(folder.url) == before)
    }
  }

  @Test("CD-7: columns of history that this library does not use may be missing")
  func unused() throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try PlainSQL.run(
      folder.url, "ALTER TABLE ATRANSACTION DROP COLUMN ZQUERYGEN; ALTER TABLE ACHANGE DROP COLUMN Z_OPT")
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    var changes = ChangeSet()
    changes.deletions = [.init(object: ObjectKey(entity: 1, key: 1), version: nil)]
    let last = try store.lastTransaction()
    let transaction = try #require(try store.save(changes).transaction)
    #expect(transaction > last ?? 0)
  }

  @Test("CD-7: a change that names no kind is not read as an insertion") func kindless() throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try PlainSQL.run(folder.url, "UPDATE ACHANGE SET ZCHANGETYPE = NULL")
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    let history = try store.history()
    while try history.next() != nil { #expect(try history.nextChange() == nil) }
  }
}
