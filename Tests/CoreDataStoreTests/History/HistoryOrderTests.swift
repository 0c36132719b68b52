import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreExchange

/// In which order a save records what it did, beside real stores.
@Suite struct HistoryOrderTests {
  /// Kinds of change by transaction, in the order of the changes' keys, each as often as it begins anew.
  private static func runs(_ url: URL) throws -> [[Int64]] {
    var runs: [[Int64]] = []
    var transaction: StoreValue?
    for row in try PlainSQL.rows(url, "SELECT ZTRANSACTIONID, ZCHANGETYPE FROM ACHANGE ORDER BY 1, Z_PK") {
      guard case .integer(let kind) = row[1] else { continue }
      if transaction != row[0] { runs.append([]) }
      transaction = row[0]
      if runs[runs.count - 1].last != kind { runs[runs.count - 1].append(kind) }
    }
    return runs
  }

  @Test(
    "CD-7: in real stores a transaction's insertions come first, then its updates, then its deletions",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func realStores() throws {
    var sorted = 0
    var mixed = 0
    var unsorted = 0
    for real in RealStore.all {
      let copy = try Fixtures.copyOfStore(real.name)
      let tables = try PlainSQL.rows(copy.url, "SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'")
      if tables.isEmpty { continue }
      let repeated = "SELECT 1 FROM ACHANGE GROUP BY ZTRANSACTIONID, ZENTITY, ZENTITYPK HAVING count(*) > 1"
      #expect(try PlainSQL.rows(copy.url, repeated).isEmpty, "\(real.name)")
      for runs in try Self.runs(copy.url) {
        if runs != runs.sorted() { unsorted += 1 } else if runs.count > 1 { mixed += 1 } else { sorted += 1 }
      }
    }
    // Two transactions of one migrated Photos library begin with a deletion.
    #expect(unsorted == 2)
    #expect(mixed > 500 && sorted > 1000)
  }

  @Test("CD-7: a save records its insertions, then its updates, then its deletions, with what the deleted leave behind")
  func order() throws {
    let folder = try TemporaryStore()
    let kept = AttributeDescription(
      name: "label", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)
    let plain = AttributeDescription(name: "label", type: .string, isOptional: true)
    let store = try PersistentStore.open(
      at: folder.url,
      model: ModelDescription(entities: [
        EntityDescription(name: "Kept", properties: [.attribute(kept)]),
        EntityDescription(name: "Plain", properties: [.attribute(plain)]),
      ]))
    func insertions(_ labels: String...) -> [ChangeSet.Insertion] {
      zip([1, 2, 1, 2] as [Int32], labels).map { entity, label in
        .init(
          entity: entity,
          columns: [ColumnSelection(entityName: entity == 1 ? "Kept" : "Plain", propertyName: "label")],
          source: StoreValuesRow(values: ["label": .text(label)]))
      }
    }
    var changes = ChangeSet()
    changes.insertions = insertions("a", "b", "c", "d")
    let objects = try store.save(changes).inserted.map(\.object)
    changes = ChangeSet()
    changes.insertions = insertions("e", "f")
    changes.updates = objects[..<2].map {
      .init(object: $0, version: 1, columns: [], changedProperties: ["label"], source: StoreValuesRow())
    }
    changes.deletions = objects[2...].map { .init(object: $0, version: 1) }
    _ = try store.save(changes)
    #expect(try Self.runs(folder.url) == [[0], [0, 1, 2]])
    let rows = try PlainSQL.rows(
      folder.url,
      "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS), ZTOMBSTONE0 FROM ACHANGE "
        + "WHERE ZTRANSACTIONID = 2 ORDER BY 1")
    #expect(
      rows == [
        [.integer(5), .integer(0), .integer(1), .integer(3), .text(""), .null],
        [.integer(6), .integer(0), .integer(2), .integer(3), .text(""), .null],
        [.integer(7), .integer(1), .integer(1), .integer(1), .text("80"), .null],
        [.integer(8), .integer(1), .integer(2), .integer(1), .text("80"), .null],
        [.integer(9), .integer(2), .integer(1), .integer(2), .text(""), .text("c")],
        [.integer(10), .integer(2), .integer(2), .integer(2), .text(""), .null],
      ])
    store.close()
    try Oracle.expectSound(folder.url, fresh: true)
  }

  @Test("CD-7: an object whose row is written twice in one save is recorded once, as in every real transaction")
  func repeated() throws {
    let world = try ImportExportWorld()
    try world.take(
      """
      {"$entity":"Shelf","$id":"a","label":"A"}
      {"$entity":"Shelf","$id":"b","label":"B"}
      {"$entity":"Book","$id":"n","title":"N","shelf":"a"}
      """
    ) { $0.isLenient = true }
    try world.take(
      """
      {"$entity":"Book","$id":"Book/p1","title":"M"}
      {"$entity":"Shelf","$id":"Shelf/p2","books":["Book/p1"]}
      """
    ) {
      $0.isLenient = true
      $0.updates = true
    }
    let url = world.folder.url
    #expect(try PlainSQL.rows(url, "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 2") != [[.integer(0)]])
    let repeated = "SELECT * FROM ACHANGE GROUP BY ZTRANSACTIONID, ZENTITY, ZENTITYPK HAVING count(*) > 1"
    #expect(try PlainSQL.rows(url, repeated).isEmpty)
    let store = world.store
    let cursor = try store.history(HistoryRequest(after: 1))
    _ = try cursor.next()
    var changed: [[String]] = []
    while let change = try cursor.nextChange() { changed.append(change.changedProperties ?? []) }
    #expect(changed.contains(["shelf", "title"]), "\(changed)")
  }

  @Test("CD-7: a transaction's texts are numbered in real stores' order: author, bundle, process, context")
  func texts() throws {
    let folder = try TemporaryStore()
    let model = ModelDescription(entities: [EntityDescription(name: "Thing")])
    let store = try PersistentStore.open(at: folder.url, model: model)
    try store.write { connection in
      var origin = HistoryWriter.Origin(author: "author", contextName: "context")
      origin.bundleIdentifier = "org.example.bundle"
      origin.processName = "process"
      var keys = KeyAllocator(connection)
      var history = try HistoryWriter(
        connection, form: HistoryForm(connection), origin: origin, layout: store.layout)
      let thing = try #require(store.layout.entity(named: "Thing"))
      history.updated(ObjectKey(entity: 1, key: 1), of: thing, properties: [])
      try history.finish(keys: &keys)
      try keys.finish()
    }
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK")
        == ["author", "org.example.bundle", "process", "context"].map { [.text($0)] })
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS FROM ATRANSACTION")
        == [[.integer(1), .integer(2), .integer(4), .integer(3)]])
  }
}
