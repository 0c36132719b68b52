import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Which bits of `ZCOLUMNS` stand for the columns beside a key: the destination's entity, and the place among the owner's objects.
@Suite struct KeyColumnBitsTests {
  @Test(
    "CD-7: in real histories the bit of an entity column or of an order column fits the bit of the key beside it",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func realStores() throws {
    var seen: (keysOfEntities: Int64, entities: Int64, keysInOrder: Int64, orders: Int64) = (0, 0, 0, 0)
    let names = ["Test-10.15.7", "Test-14.0.0", "Test-16.0.0-beta", "Test-Empty-Library-Ventura-13-5"]
    for name in names.map({ "openhouse__osxphotos__\($0)_Photos.sqlite" }) {
      let copy = try Fixtures.copyOfStore(name)
      let store = try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: true))
      let rows = try PlainSQL.rows(
        copy.url, "SELECT ZENTITY, ZCOLUMNS, count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1 GROUP BY 1, 2")
      for row in rows {
        guard case .integer(let number) = row[0], case .blob(let bytes) = row[1], case .integer(let count) = row[2],
          let entity = store.layout.entity(numbered: Int(number))
        else { continue }
        let changed = Set(ChangeBitmap(entity).slots(in: bytes))
        for case .toOne(let relationship) in entity.properties {
          let key = relationship.description.name
          let isKeyChanged = changed.contains(.property(key))
          if relationship.entityColumn != nil {
            // Another entity's object is another object.
            #expect(isKeyChanged || !changed.contains(.entityColumn(key)), "\(name): \(entity.name).\(key)")
            seen.keysOfEntities += isKeyChanged ? count : 0
            seen.entities += changed.contains(.entityColumn(key)) ? count : 0
          }
          if relationship.orderColumn != nil {
            // Another owner gives another place.
            #expect(!isKeyChanged || changed.contains(.orderColumn(key)), "\(name): \(entity.name).\(key)")
            seen.keysInOrder += isKeyChanged ? count : 0
            seen.orders += changed.contains(.orderColumn(key)) ? count : 0
          }
        }
      }
      store.close()
    }
    // Most keys came to another object of the same entity, and most members only to another place.
    #expect(seen.keysOfEntities == 61 && seen.entities == 32, "\(seen)")
    #expect(seen.keysInOrder == 49 && seen.orders == 681, "\(seen)")
  }

  @Test(
    "CD-7: a key that leads to an object of another entity, to none or no longer to none sets the entity's bit, no other"
  )
  func entities() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let hook = try Self.insert("Hook", into: store)
    let photo = try Self.insert("Photo", into: store)
    let other = try Self.insert("Photo", into: store)
    let film = try Self.insert("Film", into: store)
    var version: Int64 = 1
    // Bits: item, its entity, its place, label, in this order.
    for (item, bits) in [
      (photo, "E0"), (other, "A0"), (film, "E0"), (film, "A0"), (nil, "E0"), (nil, "A0"), (photo, "E0"),
    ] as [(ObjectKey?, String)] {
      try Self.update(hook, version, ["item": .object(item)], in: store)
      version += 1
      #expect(try Self.lastChanges(folder.url) == ["1 \(hook.key) \(bits)"], "\(String(describing: item))")
    }
    store.close()
    #expect(try RealStores.failures(folder.url) == [])
  }

  @Test("CD-6, CD-7: a member that only comes to another place is recorded, and its version grows, but once in a save")
  func places() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let photo = try Self.insert("Photo", into: store)
    let hooks = try (0..<4).map { _ in try Self.insert("Hook", into: store) }
    var changes = ChangeSet()
    changes.updates = hooks.map { Self.update(of: $0, 1, ["item": .object(photo)]) }
    _ = try store.save(changes)
    func versions() throws -> [[StoreValue]] {
      try PlainSQL.rows(folder.url, "SELECT Z_OPT FROM ZHOOK ORDER BY Z_FOK_ITEM")
    }
    #expect(try versions() == [2, 2, 2, 2].map { [.integer($0)] })

    // The last comes first: it alone has another place.
    changes = ChangeSet()
    changes.updates = [
      .init(object: photo, version: 1, columns: [], changedProperties: ["hooks"], source: StoreValuesRow())
    ]
    changes.relationshipChanges = [
      .init(
        owner: .existing(photo), relationship: "hooks",
        order: [hooks[3], hooks[0], hooks[1], hooks[2]].map { .existing($0) })
    ]
    #expect(try store.save(changes).moved == [hooks[3]])
    #expect(try versions() == [3, 2, 2, 2].map { [.integer($0)] })
    #expect(try Set(Self.lastChanges(folder.url)) == ["1 4 20", "4 1 80"])

    // One that changes besides, and a new one, are no rows of their own.
    changes = ChangeSet()
    changes.insertions = [
      .init(entity: hooks[0].entity, columns: Self.columns(["item"]), source: StoreValuesRow(["item": .object(photo)]))
    ]
    changes.updates = [Self.update(of: hooks[2], 2, ["label": .values([.text("x")])])]
    changes.relationshipChanges = [
      .init(
        owner: .existing(photo), relationship: "hooks",
        order: [.existing(hooks[2]), .inserted(0)] + [hooks[3], hooks[0], hooks[1]].map { .existing($0) })
    ]
    #expect(try store.save(changes).moved == [])
    #expect(try Self.lastChanges(folder.url) == ["1 5 ", "1 3 30"])
    #expect(try versions() == [3, 1, 3, 2, 2].map { [.integer($0)] })
    store.close()
    #expect(try RealStores.failures(folder.url) == [])
  }

  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Hook",
      properties: [FetchTestWorld.toOne("item", "Item", inverse: "hooks"), FetchTestWorld.attribute("label", .string)]),
    EntityDescription(
      name: "Item", properties: [FetchTestWorld.toMany("hooks", "Hook", inverse: "item", isOrdered: true)]),
    EntityDescription(name: "Film", superentityName: "Item", properties: []),
    EntityDescription(name: "Photo", superentityName: "Item", properties: []),
  ])

  private static func insert(_ name: String, into store: PersistentStore) throws -> ObjectKey {
    var changes = ChangeSet()
    let number = Int32(try store.layout.existingEntity(name).number)
    changes.insertions = [.init(entity: number, columns: [], source: StoreValuesRow())]
    return try store.save(changes).inserted[0].object
  }

  private static func columns(_ names: [String]) -> [ColumnSelection] {
    names.map { ColumnSelection(entityName: "Hook", propertyName: $0) }
  }

  private static func update(
    of object: ObjectKey, _ version: Int64, _ contents: [String: StoreValuesRow.Content]
  ) -> ChangeSet.Update {
    let names = contents.keys.sorted()
    return .init(
      object: object, version: version, columns: columns(names), changedProperties: names,
      source: StoreValuesRow(contents))
  }

  private static func update(
    _ object: ObjectKey, _ version: Int64, _ contents: [String: StoreValuesRow.Content], in store: PersistentStore
  ) throws {
    var changes = ChangeSet()
    changes.updates = [update(of: object, version, contents)]
    _ = try store.save(changes)
  }

  /// Entity, key and bits of what the last transaction changed.
  private static func lastChanges(_ url: URL) throws -> [String] {
    try PlainSQL.rows(
      url,
      """
      SELECT ZENTITY || ' ' || ZENTITYPK || ' ' || ifnull(hex(ZCOLUMNS), '') FROM ACHANGE \
      WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION) ORDER BY Z_PK
      """
    ).compactMap { if case .text(let text) = $0[0] { text } else { nil } }
  }
}
