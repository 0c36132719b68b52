import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures, which is not part of the repository"))
struct RealStoresSaveTests {
  @Test("CD-7: the bit of a property that changed alone is the one that real updates have")
  func changedColumns() throws {
    let copy = try Fixtures.copyOfStore("sergd2005__ResourcesManager__histbc3d34e_default.store")
    let store = try PersistentStore.open(at: copy.url)
    for (entity, property, bits) in [
      ("Item", "craftingRecipe", "80"), ("CraftingRecipe", "requiredComponents", "20"),
    ] {
      let row = try #require(try store.rows(of: entity, properties: []).first)
      guard case (.integer(let key), .integer(let number), .integer(let version)) = (row[0], row[1], row[2]) else {
        Issue.record("\(entity) has no row with keys: \(row)")
        continue
      }
      var changes = ChangeSet()
      changes.author = "tester"
      changes.updates = [
        .init(
          object: ObjectKey(entity: Int32(number), key: key), version: version, columns: [],
          changedProperties: [property], source: StoreValuesRow())
      ]
      let transaction = try #require(try store.save(changes).transaction)
      #expect(
        try PlainSQL.rows(
          copy.url,
          """
          SELECT hex(ZCOLUMNS), ZCHANGETYPE, ZENTITY, ZENTITYPK, s.ZNAME FROM ACHANGE c \
          JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS \
          WHERE c.ZTRANSACTIONID = \(transaction)
          """)
          == [[.text(bits), .integer(1), .integer(number), .integer(key), .text("tester")]])
    }
    #expect(
      try PlainSQL.rows(copy.url, "SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'tester'") == [[.integer(1)]])
  }

  @Test("CD-8: triggers of derived attributes count what is saved")
  func derivedAttributes() throws {
    let copy = try Fixtures.copyOfStore("alemar11__CoreDataPlus__SampleModel2_V1.sqlite")
    let store = try PersistentStore.open(at: copy.url)
    func number(_ name: String) throws -> Int32 { Int32(try #require(store.layout.entity(named: name)).number) }
    var changes = ChangeSet()
    let book = StoreValuesRow(values: ["title": .text("counted")])
    changes.insertions = [
      .init(
        entity: try number("Book"), columns: [ColumnSelection(entityName: "Book", propertyName: "title")], source: book)
    ]
    for _ in 0..<3 {
      changes.insertions.append(
        .init(
          entity: try number("Page"), columns: [ColumnSelection(entityName: "Page", propertyName: "book")],
          source: StoreValuesRow(["book": .row(book)])))
    }
    let result = try store.save(changes)
    let key = result.inserted[0].object.key
    #expect(try PlainSQL.rows(copy.url, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)") == [[.integer(3)]])
    changes = ChangeSet()
    changes.deletions = [.init(object: result.inserted[1].object, version: 1)]
    _ = try store.save(changes)
    #expect(try PlainSQL.rows(copy.url, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)") == [[.integer(2)]])
  }
}
