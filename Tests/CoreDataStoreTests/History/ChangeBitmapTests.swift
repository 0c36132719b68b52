import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Which bits of `ZCOLUMNS` stand for to-many relationships, by what real histories show.
@Suite(.enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct ChangeBitmapTests {
  /// Where a row was inserted that leads to a row of before, the latter's relationship to it changed: the bit has to be set.
  @Test(
    "CD-7: a new member sets the bit of its owner's to-many relationship in every real history",
    arguments: [
      ("log2timeline__plaso__RMAdminStore-Local.sqlite", 900), ("openhouse__osxphotos__Test-10.15.7_Photos.sqlite", 40),
      ("openhouse__osxphotos__Test-14.0.0_Photos.sqlite", 1),
      ("openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite", 2),
      ("sergd2005__ResourcesManager__histbc3d34e_default.store", 1),
    ])
  func members(_ name: String, atLeast: Int) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    var seen = 0
    for entity in store.layout.entities {
      for case .toOne(let relationship) in entity.properties {
        guard let inverse = relationship.inverse?.description, inverse.isToMany else { continue }
        let found = try PlainSQL.rows(
          copy.url,
          """
          SELECT u.ZENTITY, u.ZCOLUMNS FROM ACHANGE i JOIN \(entity.table) t ON t.Z_PK = i.ZENTITYPK \
          JOIN ACHANGE u ON u.ZTRANSACTIONID = i.ZTRANSACTIONID AND u.ZCHANGETYPE = 1 \
          AND u.ZENTITYPK = t.\(relationship.key) \
          WHERE i.ZCHANGETYPE = 0 AND i.ZENTITY = \(entity.number) AND i.ZENTITYPK NOT IN \
          (SELECT ZENTITYPK FROM ACHANGE WHERE ZENTITY = \(entity.number) AND ZCHANGETYPE <> 0)
          """)
        for row in found {
          guard case .integer(let number) = row[0], case .blob(let bits) = row[1],
            let owner = store.layout.entity(numbered: Int(number)),
            owner.lineage.contains(relationship.destinationName)
          else { continue }
          seen += 1
          let changed = ChangeBitmap(owner).properties(in: bits)
          #expect(changed?.contains(inverse.name) == true, "\(owner.name).\(inverse.name): \(changed ?? [])")
        }
      }
    }
    #expect(seen >= atLeast)
  }

  @Test(
    "CD-7: a new row of a many-to-many relationship sets the bits of those that were there before",
    arguments: [
      ("openhouse__osxphotos__Test-10.15.7_Photos.sqlite", 70), ("openhouse__osxphotos__Test-14.0.0_Photos.sqlite", 40),
      ("openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite", 12),
    ])
  func pairs(_ name: String, atLeast: Int) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    var seen = 0
    for entity in store.layout.entities {
      for case .toMany(let relationship) in entity.properties {
        guard case .joinTable(let side) = relationship.storage, !side.isReflexive,
          let destination = store.layout.entity(named: relationship.destinationName)
        else { continue }
        let kinds = SQLText.numbersTest(destination.kindNumbers)
        let found = try PlainSQL.rows(
          copy.url,
          """
          SELECT u.ZCOLUMNS FROM ACHANGE i JOIN \(side.table) j ON j.\(side.otherColumn) = i.ZENTITYPK \
          JOIN ACHANGE u ON u.ZTRANSACTIONID = i.ZTRANSACTIONID AND u.ZCHANGETYPE = 1 \
          AND u.ZENTITYPK = j.\(side.ownColumn) \
          WHERE i.ZCHANGETYPE = 0 AND i.ZENTITY \(kinds) AND u.ZENTITY = \(entity.number)
          """)
        for case .blob(let bits) in found.compactMap(\.first) {
          seen += 1
          let changed = ChangeBitmap(entity).properties(in: bits)
          #expect(changed?.contains(relationship.description.name) == true, "\(entity.name): \(changed ?? [])")
        }
      }
    }
    #expect(seen >= atLeast)
  }
}
