import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures, which is not part of the repository"))
struct RealStoresSaveTests {
  @Test(
    "CD-3, CD-5, CD-6, CD-7: inserts, updates and deletes in real stores keep every rule that they kept before",
    arguments: RealStores.written)
  func writing(name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let before = try RealStores.failures(copy.url)
    let metadata = try RealStores.sql(copy.url, "SELECT * FROM Z_METADATA")
    let cache = try RealStores.sql(copy.url, "SELECT * FROM Z_MODELCACHE")
    let store = try #require(try RealStores.open(copy))
    var writer = RealStoreWriter(store)
    let maxima = try writer.maxima(copy.url)

    let inserted = try writer.insertEverywhere()
    try writer.check(copy.url, after: inserted.result, insertions: inserted.rows.count, maxima: maxima)
    try writer.updateAndDelete(inserted, copy.url)
    store.close()

    #expect(try RealStores.failures(copy.url) == before)
    #expect(try RealStores.sql(copy.url, "SELECT * FROM Z_METADATA") == metadata)
    #expect(try RealStores.sql(copy.url, "SELECT * FROM Z_MODELCACHE") == cache)
    let second = try #require(try RealStores.open(copy))
    try writer.readBack(second)
  }

  @Test("CD-7: the bit of a property that changed alone is the one that real updates have")
  func changedColumns() throws {
    let copy = try Fixtures.copyOfStore("sergd2005__ResourcesManager__histbc3d34e_default.store")
    let store = try #require(try RealStores.open(copy))
    for (entity, property, bits) in [
      ("Item", "craftingRecipe", "80"), ("CraftingRecipe", "requiredComponents", "20"),
    ] {
      let row = try #require(try store.rows(of: entity, properties: []).first)
      guard case (.integer(let key), .integer(let number), .integer(let version)) = (row[0], row[1], row[2]) else {
        return
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
        try RealStores.sql(
          copy.url,
          """
          SELECT hex(ZCOLUMNS), ZCHANGETYPE, ZENTITY, ZENTITYPK, s.ZNAME FROM ACHANGE c \
          JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS \
          WHERE c.ZTRANSACTIONID = \(transaction)
          """)
          == [[.text(bits), .integer(1), .integer(number), .integer(key), .text("tester")]])
    }
    #expect(
      try RealStores.sql(copy.url, "SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'tester'") == [[.integer(1)]])
  }

  @Test("CD-8: triggers of derived attributes count what is saved")
  func derivedAttributes() throws {
    let copy = try Fixtures.copyOfStore("alemar11__CoreDataPlus__SampleModel2_V1.sqlite")
    let store = try #require(try RealStores.open(copy))
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
    #expect(try RealStores.sql(copy.url, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)") == [[.integer(3)]])
    changes = ChangeSet()
    changes.deletions = [.init(object: result.inserted[1].object, version: 1)]
    _ = try store.save(changes)
    #expect(try RealStores.sql(copy.url, "SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)") == [[.integer(2)]])
  }
}

/// Writes rows of every entity of a store it knows nothing about.
struct RealStoreWriter {
  let store: PersistentStore
  private var expected: [(object: ObjectKey, entity: EntityLayout, attributes: [String: [StoreValue]])] = []
  private var gone: [ObjectKey] = []
  private var number: Int64 = 100_000

  init(_ store: PersistentStore) { self.store = store }

  private static func plain(_ entity: EntityLayout) -> [AttributeLayout] {
    entity.properties.compactMap { property -> AttributeLayout? in
      guard case .attribute(let attribute) = property, attribute.description.derivation == nil else { return nil }
      return attribute
    }
  }

  private mutating func values(_ entity: EntityLayout) -> [String: [StoreValue]] {
    number += 1
    return Dictionary(
      uniqueKeysWithValues: Self.plain(entity).map { attribute in
        (attribute.description.name, attribute.columns.map { RealStores.value($0.attribute, number) })
      })
  }

  func maxima(_ url: URL) throws -> [Int64: Int64] {
    Dictionary(
      uniqueKeysWithValues: try RealStores.sql(url, "SELECT Z_ENT, max(Z_MAX, 0) FROM Z_PRIMARYKEY").compactMap {
        if case (.integer(let entity), .integer(let maximum)) = ($0[0], $0[1]) { (entity, maximum) } else { nil }
      })
  }

  /// Two rows per concrete entity: all attributes, every to-one relationship whose inverse is a to-many one or none, and
  /// one object in each many-to-many and inverse-less one.
  mutating func insertEverywhere() throws -> (result: SaveResult, rows: [EntityLayout]) {
    var changes = ChangeSet()
    var rows: [EntityLayout] = []
    for entity in store.layout.entities where !entity.isAbstract {
      for _ in 0..<2 {
        let attributes = values(entity)
        var contents = attributes.mapValues(StoreValuesRow.Content.values)
        for case .toOne(let relationship) in entity.properties
        where relationship.inverse.map({ $0.description.isToMany }) ?? true {
          contents[relationship.description.name] = .object(try any(relationship.destinationName))
        }
        for case .toMany(let relationship) in entity.properties {
          let other = try any(relationship.destinationName)
          guard let other else { continue }
          if case .key(let side) = relationship.storage, !side.isVirtual { continue }
          changes.relationshipChanges.append(
            .init(
              owner: .inserted(rows.count), relationship: relationship.description.name, added: [.existing(other)]))
        }
        changes.insertions.append(
          .init(
            entity: Int32(entity.number),
            columns: contents.keys.sorted().map { ColumnSelection(entityName: entity.name, propertyName: $0) },
            source: StoreValuesRow(contents)))
        rows.append(entity)
        expected.append((ObjectKey(entity: 0, key: 0), entity, attributes))
      }
    }
    let result = try store.save(changes)
    for index in rows.indices { expected[index].object = result.inserted[index].object }
    return (result, rows)
  }

  private func any(_ entity: String) throws -> ObjectKey? {
    try store.keys(FetchRequest(entityName: entity, limit: 1)).first
  }

  func check(_ url: URL, after result: SaveResult, insertions: Int, maxima: [Int64: Int64]) throws {
    #expect(result.merged.isEmpty && result.inserted.allSatisfy { $0.version == 1 })
    let now = try self.maxima(url)
    for table in store.layout.tables {
      let keys = result.inserted.filter {
        store.layout.entity(numbered: Int($0.object.entity))?.rootNumber == table.rootNumber
      }
      .map(\.object.key)
      let old = maxima[Int64(table.rootNumber)] ?? 0
      #expect(keys == (0..<keys.count).map { old + Int64($0) + 1 }, "CD-6: keys follow Z_MAX")
      #expect(now[Int64(table.rootNumber)] == old + Int64(keys.count), "CD-6: Z_MAX counts them")
    }
    guard let transaction = result.transaction else {
      #expect(maxima[16001] == nil && now[16001] == nil)
      return
    }
    #expect(
      try RealStores.sql(url, "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(transaction) AND ZCHANGETYPE = 0")
        == [[.integer(Int64(insertions))]])
    #expect(now[16001] == (maxima[16001] ?? 0) + Int64(insertions))
    #expect(now[16002] == transaction)
  }

  /// Changes the first row of each pair, twice, and deletes the second.
  mutating func updateAndDelete(_ inserted: (result: SaveResult, rows: [EntityLayout]), _ url: URL) throws {
    for version in 1...2 {
      var changes = ChangeSet()
      for index in inserted.rows.indices where index % 2 == 0 {
        let entity = inserted.rows[index]
        let attributes = values(entity)
        expected[index].attributes = attributes
        changes.updates.append(
          .init(
            object: inserted.result.inserted[index].object, version: Int64(version),
            columns: attributes.keys.sorted().map { ColumnSelection(entityName: entity.name, propertyName: $0) },
            changedProperties: attributes.keys.sorted(),
            source: StoreValuesRow(attributes.mapValues(StoreValuesRow.Content.values))))
      }
      if version == 2 {
        for index in inserted.rows.indices where index % 2 == 1 {
          changes.deletions.append(.init(object: inserted.result.inserted[index].object, version: 1))
        }
      }
      let result = try store.save(changes)
      #expect(result.updatedVersions.allSatisfy { $0 == Int64(version + 1) })
    }
    gone = expected.indices.filter { $0 % 2 == 1 }.map { expected[$0].object }
    expected = expected.indices.filter { $0 % 2 == 0 }.map { expected[$0] }
  }

  func readBack(_ store: PersistentStore) throws {
    for (object, entity, attributes) in expected {
      let names = attributes.keys.sorted()
      let cursor = try store.fetch(
        keys: [object], columns: names.map { ColumnSelection(entityName: entity.name, propertyName: $0) })
      #expect(try cursor.next())
      #expect(cursor.entity == object.entity && cursor.version == 3)
      var reader = cursor.reader()
      for name in names {
        for value in attributes[name] ?? [] { #expect(reader.value() == value, "\(entity.name).\(name)") }
      }
    }
    for object in gone { #expect(try !store.fetch(keys: [object], columns: []).next()) }
  }
}
