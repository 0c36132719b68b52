import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

@Suite("The history of a store that a mapping model migrates") struct MappedHistoryTests {
  private static let model = MappingWorld.model(
    EntityDescription(name: "Item", properties: [MappingWorld.attribute("name", .string)]))
  private static let later = MappingWorld.model(
    EntityDescription(name: "Thing", properties: [MappingWorld.attribute("title", .string)]))
  private static let mapping = MappingModel(
    name: "Things",
    entityMappings: [
      EntityMapping(
        name: "Things", sourceEntityName: "Item", destinationEntityName: "Thing",
        attributeMappings: [MappingWorld.expression("title", "$source.name")])
    ])

  private func insert(_ entity: String, _ property: String, _ text: String, _ store: PersistentStore) throws {
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: Int32(try store.layout.existingEntity(entity).number),
        columns: [ColumnSelection(entityName: entity, propertyName: property)],
        source: StoreValuesRow([property: .values([.text(text)])]))
    ]
    _ = try store.save(changes)
  }

  @Test("It stays behind, and the report counts it; its numbers go on, so that no old token can be continued")
  func numbers() throws {
    let folder = try TemporaryStore()
    let old = try PersistentStore.open(at: folder.url, model: Self.model)
    for name in ["Rope", "Tin", "Tar"] { try insert("Item", "name", name, old) }
    #expect(try old.lastTransaction() == 3)
    old.close()
    let report = try PersistentStore.migrate(at: folder.url, by: Self.mapping, from: Self.model, to: Self.later)
    #expect(report.transactionsLeftBehind == 3)
    let new = try PersistentStore.open(at: folder.url)
    defer { new.close() }
    // A token with the number 3 asks for number 4, which will never be there.
    #expect(try new.lastTransaction() == 4 && new.firstTransaction() == nil)
    try insert("Thing", "title", "Nail", new)
    #expect(try new.lastTransaction() == 5 && new.firstTransaction() == 5)
    #expect(try StoreChecker.check(folder.url) == [])
    new.close()
    try Oracle.expectSound(folder.url)
  }

  @Test("A store that has never had a transaction begins with the first")
  func empty() throws {
    let world = try MappingWorld(Self.model, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Rope')")
    let report = try PersistentStore.migrate(at: world.store.url, by: Self.mapping, from: Self.model, to: Self.later)
    #expect(report.transactionsLeftBehind == 0)
    let new = try PersistentStore.open(at: world.store.url)
    defer { new.close() }
    #expect(try new.lastTransaction() == 0)
  }
}
