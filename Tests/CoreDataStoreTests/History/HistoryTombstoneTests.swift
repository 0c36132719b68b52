import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreExchange
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What history keeps of deleted objects.
struct HistoryTombstoneTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Page",
      properties: [
        .attribute(
          AttributeDescription(
            name: "scan", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true,
            preservesValueInHistoryOnDeletion: true)),
        .attribute(
          AttributeDescription(
            name: "place", type: .composite, isOptional: true, preservesValueInHistoryOnDeletion: true,
            compositeName: "Place",
            elements: [AttributeDescription(name: "shelf", type: .integer64, isOptional: true)])),
        .attribute(
          AttributeDescription(name: "title", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)),
      ])
  ])

  @Test("CD-7: the values of a composite are kept and read back, however many bytes they have")
  func bigComposite() throws {
    let scan = AttributeDescription(
      name: "scan", type: .composite, isOptional: true, preservesValueInHistoryOnDeletion: true, compositeName: "Scan",
      elements: [
        AttributeDescription(name: "front", type: .binary, isOptional: true),
        AttributeDescription(name: "page", type: .integer64, isOptional: true),
      ])
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(
      at: folder.url,
      model: ModelDescription(entities: [EntityDescription(name: "Page", properties: [.attribute(scan)])]))
    let size = BinaryPropertyList.Limits.byteCount + 1
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: 1, columns: [ColumnSelection(entityName: "Page", propertyName: "scan")],
        source: StoreValuesRow(["scan": .values([.blob(Data(count: size)), .integer(7)])]))
    ]
    let page = try store.save(changes).inserted[0].object
    changes = ChangeSet()
    changes.deletions = [.init(object: page, version: nil)]
    _ = try store.save(changes)
    let cursor = try store.history()
    var kept: [[String: StoreValue]] = []
    while try cursor.next() != nil {
      while let change = try cursor.nextChange() { if change.kind == .delete { kept.append(change.tombstone) } }
    }
    #expect(kept.count == 1 && kept.first?.count == 2)
    #expect(kept.first?[StoreAttribute.tombstoneKey(["scan", "page"])] == .integer(7))
    guard case .blob(let front)? = kept.first?[StoreAttribute.tombstoneKey(["scan", "front"])] else {
      Issue.record("The bytes are not there.")
      return
    }
    #expect(front.count == size)
  }

  @Test(
    "CD-7: of external data the value itself is kept, from the row or from its file, and read back",
    arguments: [10, 300_000])
  func externalData(_ size: Int) throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let data = Data.pattern(count: size) { UInt8(truncatingIfNeeded: $0) }
    let lines = folder.folder.appendingPathComponent("lines")
    try Data(#"{"$entity":"Page","title":"one","scan":"\#(data.base64EncodedString())","place":{"shelf":7}}"#.utf8)
      .write(
        to: lines)
    _ = try ObjectImport(lines, into: store).run()
    let object = try #require(try store.keys(FetchRequest(entityName: "Page")).first)
    var changes = ChangeSet()
    changes.deletions = [.init(object: object, version: 1)]
    _ = try store.save(changes)
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2 FROM ACHANGE WHERE ZCHANGETYPE = 2")
        == [[.integer(7), .blob(data), .text("one")]])
    let cursor = try store.history()
    var kept: [[String: StoreValue]] = []
    while try cursor.next() != nil {
      while let change = try cursor.nextChange() { if change.kind == .delete { kept.append(change.tombstone) } }
    }
    #expect(kept == [["place": .integer(7), "scan": .blob(data), "title": .text("one")]])
    #expect(try StoreChecker.check(folder.url).isEmpty)
  }

  @Test("CD-7: of a composite of many columns a list of its elements is kept, and read back", arguments: [2, 250])
  func composite(_ count: Int) throws {
    let elements = (0..<count).map { number in
      AttributeDescription(name: "e\(number)", type: number == 0 ? .string : .integer64, isOptional: true)
    }
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Page",
        properties: [
          .attribute(
            AttributeDescription(
              name: "place", type: .composite, isOptional: true, preservesValueInHistoryOnDeletion: true,
              compositeName: "Place", elements: elements))
        ])
    ])
    let world = try ImportExportWorld(model)
    try world.take(#"{"$entity":"Page","place":{"e0":"a","e\#(count - 1)":7}}"#)
    try world.take(#"{"$entity":"Page"}"#)
    let keys = try world.store.keys(FetchRequest(entityName: "Page"))
    var changes = ChangeSet()
    changes.deletions = keys.map { .init(object: $0, version: 1) }
    _ = try world.store.save(changes)
    let cursor = try world.store.history()
    var kept: [[String: StoreValue]] = []
    while try cursor.next() != nil {
      while let change = try cursor.nextChange() { if change.kind == .delete { kept.append(change.tombstone) } }
    }
    let key = { StoreAttribute.tombstoneKey(["place", $0]) }
    #expect(kept == [[key("e0"): .text("a"), key("e\(count - 1)"): .integer(7)], [:]])
    let history = try HistoryExport(of: world.store)
    var values: [ExportValue.Element] = []
    while try history.next() != nil {
      while let change = try history.nextChange() { values += change.tombstone }
    }
    let exported = ExportValue.composite([.init("e0", .text("a")), .init("e\(count - 1)", .integer(7))])
    #expect(values == [.init("place", exported)])
    #expect(try StoreChecker.check(world.folder.url).isEmpty)
    // Other bytes are no list.
    try PlainSQL.run(world.folder.url, "UPDATE ACHANGE SET ZTOMBSTONE0 = x'00' WHERE ZCHANGETYPE = 2")
    let damaged = try world.store.history()
    while try damaged.next() != nil {
      while let change = try damaged.nextChange() { #expect(change.tombstone.isEmpty) }
    }
  }

  @Test("CD-7: of a subentity's object, attributes of the superentity come first, then its own, each by name")
  func subentity() throws {
    func kept(_ name: String) -> PropertyDescription {
      .attribute(
        AttributeDescription(name: name, type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true))
    }
    let model = ModelDescription(entities: [
      EntityDescription(name: "Item", properties: [kept("title"), kept("number")]),
      EntityDescription(name: "Book", superentityName: "Item", properties: [kept("isbn"), kept("author")]),
    ])
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: model)
    let lines = folder.folder.appendingPathComponent("lines")
    try Data(#"{"$entity":"Book","title":"t","number":"n","isbn":"i","author":"a"}"#.utf8).write(to: lines)
    _ = try ObjectImport(lines, into: store).run()
    var changes = ChangeSet()
    changes.deletions = [
      .init(object: try #require(try store.keys(FetchRequest(entityName: "Book")).first), version: 1)
    ]
    _ = try store.save(changes)
    #expect(
      try PlainSQL.rows(
        folder.url, "SELECT ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, ZTOMBSTONE3 FROM ACHANGE WHERE ZCHANGETYPE = 2")
        == [[.text("n"), .text("t"), .text("a"), .text("i")]])
    #expect(try StoreChecker.check(folder.url).isEmpty)
    let history = try HistoryExport(of: store)
    var values: [ExportValue.Element] = []
    while try history.next() != nil {
      while let change = try history.nextChange() { values += change.tombstone }
    }
    #expect(
      values == [
        .init("number", .text("n")), .init("title", .text("t")), .init("author", .text("a")), .init("isbn", .text("i")),
      ])
  }
}
