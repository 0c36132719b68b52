import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreTestSupport
import TestSupport
import Testing

/// What the layout predicts from a store's own model, against the store's own `sqlite_master`.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct LayoutFixtureTests {
  @Test(
    "CD-2 CD-3 CD-9: every store with a model opens, and every table and column of the model is there",
    arguments: FixtureStores.withModel)
  func everyColumnResolves(_ name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url)
    let catalogue = try store.read { try Catalogue($0) }
    #expect(!store.layout.entities.isEmpty)
    for entity in store.layout.entities {
      let columns = try #require(catalogue.columns[entity.table], "\(entity.table)")
      for property in entity.properties {
        switch property {
        case .attribute(let attribute):
          #expect(attribute.columns.allSatisfy { columns.contains($0.name) }, "\(entity.name).\(property.name)")
        case .toOne(let relationship):
          let names = [relationship.key, relationship.entityColumn, relationship.orderColumn].compactMap { $0 }
          #expect(names.allSatisfy(columns.contains), "\(entity.name).\(property.name)")
        case .toMany(let relationship):
          switch relationship.storage {
          case .key(let side):
            let names = [side.key, side.entityColumn, side.orderColumn].compactMap { $0 }
            let far = try #require(catalogue.columns[side.table], "\(side.table)")
            #expect(names.allSatisfy(far.contains), "\(entity.name).\(property.name)")
          case .joinTable(let side):
            let names = [side.ownColumn, side.otherColumn, side.orderColumn, side.inverseOrderColumn].compactMap { $0 }
            let far = try #require(catalogue.columns[side.table], "\(side.table)")
            #expect(names.allSatisfy(far.contains), "\(entity.name).\(property.name)")
          }
        }
      }
    }
  }

  @Test("CD-1.2: entity numbers and superentities are those of Z_PRIMARYKEY", arguments: FixtureStores.withModel)
  func numbers(_ name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url)
    let rows = try store.read { try PrimaryKeys($0) }.entities
    let planned = try StoreLayout(model: store.layout.model).entities
    #expect(rows.map(\.number) == planned.map(\.number))
    #expect(rows.map(\.superentityNumber) == planned.map(\.superentityNumber))
    // A migration keeps the former name of a renamed entity.
    for (row, entity) in zip(rows, planned) where row.name != entity.name {
      #expect(entity.description.renamingIdentifier == row.name)
    }
  }
}
