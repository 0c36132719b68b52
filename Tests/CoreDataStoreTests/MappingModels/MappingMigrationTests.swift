import CoreDataModel
import Foundation
import ManagedModel
import ModelArchive
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

@Suite("Migrations by mapping models")
struct MappingMigrationTests {
  private func model(_ entities: EntityDescription...) -> ModelDescription { ModelDescription(entities: entities) }

  private func attribute(_ name: String, _ type: AttributeType, isOptional: Bool = true) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: isOptional))
  }

  private func relationship(
    _ name: String, _ destination: String, _ inverse: String, toMany: Bool, isOrdered: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        isOrdered: isOrdered, maximumCount: toMany ? 0 : 1))
  }

  private var source: ModelDescription {
    model(
      EntityDescription(
        name: "Item",
        properties: [
          attribute("price", .double), attribute("title", .string),
          relationship("shelf", "Shelf", "items", toMany: false),
        ]),
      EntityDescription(
        name: "Shelf",
        properties: [
          attribute("label", .string), relationship("items", "Item", "shelf", toMany: true, isOrdered: true),
        ]))
  }

  private var destination: ModelDescription {
    model(
      EntityDescription(
        name: "Rack",
        properties: [
          attribute("code", .string), attribute("size", .integer16),
          relationship("wares", "Ware", "racks", toMany: true, isOrdered: true),
        ]),
      EntityDescription(
        name: "Ware",
        properties: [
          attribute("cents", .integer32, isOptional: false), attribute("name", .string), attribute("origin", .string),
          attribute("place", .string), relationship("racks", "Rack", "wares", toMany: true),
        ]))
  }

  private func expression(_ name: String, _ text: String) -> PropertyMapping {
    PropertyMapping(name: name, value: PredicateParser.expression(text).map { .expression($0) } ?? .unreadable(text))
  }

  private var mapping: MappingModel {
    func rows(_ mapping: String, _ path: String) -> String {
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(mapping)\", $source.\(path))"
    }
    return MappingModel(
      name: "Depot",
      entityMappings: [
        EntityMapping(
          name: "ItemToWare", sourceEntityName: "Item", destinationEntityName: "Ware", sourceFilter: "price > 0",
          attributeMappings: [
            expression("name", "uppercase:($source.title)"), expression("cents", "$source.price * 100"),
            expression("origin", "\"old\""), expression("place", "$source.shelf.label"),
          ]),
        EntityMapping(
          name: "ShelfToRack", sourceEntityName: "Shelf", destinationEntityName: "Rack",
          attributeMappings: [expression("code", "$source.label"), expression("size", "$source.items.@count")],
          relationshipMappings: [expression("wares", rows("ItemToWare", "items"))]),
      ])
  }

  private func fill(_ url: URL) throws {
    let store = try PersistentStore.open(at: url, model: source)
    defer { store.close() }
    try store.write { connection in
      try connection.execute(
        """
        INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 2, 1, 'North'), (7, 2, 1, 'South');
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZPRICE, ZTITLE, ZSHELF, Z_FOK_SHELF) VALUES
          (2, 1, 1, 4.25, 'Rope', 1, 4096), (3, 1, 1, 0, 'Gift', 1, 3072), (5, 1, 1, 1, 'Straße', 1, 2048), (6, 1, 1, 2, 'Tin', NULL, NULL);
        CREATE TABLE NOTES (TEXT VARCHAR);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Item';
        UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Shelf';
        """)
    }
  }

  @Test("Rows, values and links of the new store are those of the mapping model's expressions")
  func values() throws {
    let store = try TemporaryStore()
    try fill(store.url)
    let identifier = try StoreModel.read(store.url).metadata.identifier
    let report = try PersistentStore.migrate(at: store.url, by: mapping, from: source, to: destination)
    #expect(report.rowCounts.map(\.count) == [3, 2])
    #expect(report.rowsLeftBehind.isEmpty)
    #expect(report.tablesLeftBehind == ["NOTES"])
    let read = try StoreModel.read(store.url)
    #expect(read.metadata.identifier == identifier)
    #expect(try read.metadata.hashes == VersionHashes(destination))
    let migrated = try PersistentStore.open(at: store.url)
    defer { migrated.close() }
    try migrated.read { (connection) throws in
      #expect(
        try connection.text(
          "SELECT group_concat(line, '; ') FROM (SELECT Z_PK || ' ' || ZNAME || ' ' || ZCENTS || ' ' || ZORIGIN || ' ' "
            + "|| ifnull(ZPLACE, '-') AS line FROM ZWARE ORDER BY Z_PK)")
          == "2 ROPE 425 old North; 5 STRASSE 100 old North; 6 TIN 200 old -")
      #expect(
        try connection.text(
          "SELECT group_concat(Z_PK || ' ' || ZCODE || ' ' || ZSIZE, '; ') FROM ZRACK") == "1 North 3; 7 South 0")
      guard case .toMany(let wares)? = migrated.layout.entity(named: "Rack")?.property(named: "wares"),
        case .joinTable(let side) = wares.storage, let order = side.orderColumn
      else {
        Issue.record("no join table")
        return
      }
      #expect(
        try connection.text(
          "SELECT group_concat(line, '; ') FROM (SELECT \(side.ownColumn) || ' ' || \(side.otherColumn) AS line "
            + "FROM \(side.table) ORDER BY \(order))") == "1 5; 1 2")
      #expect(try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Ware'") == 6)
    }
    try FileManager.default.contentsOfDirectory(atPath: store.folder.path).forEach { #expect(!$0.contains("old")) }
  }

  @Test("A mapping model of another version, one with a policy class, and a missing value leave the store as it was")
  func refusals() throws {
    let store = try TemporaryStore()
    try fill(store.url)
    let before = try Data(contentsOf: store.url)
    var other = source
    other.entities[1].properties.append(attribute("room", .string))
    let mismatch = #expect(throws: MappingMigrationError.self) {
      try PersistentStore.migrate(at: store.url, by: mapping, from: other, to: destination)
    }
    #expect(mismatch?.problem.contains("differs in “Shelf”") == true)
    var policy = mapping
    policy.entityMappings[0].policyClassName = "Policy"
    let error = #expect(throws: MappingMigrationError.self) {
      try PersistentStore.migrate(at: store.url, by: policy, from: source, to: destination)
    }
    #expect(error?.problem.contains("“Policy”") == true)
    var empty = mapping
    empty.entityMappings[0].attributeMappings.removeAll { $0.name == "cents" }
    #expect(throws: MigrationError.self) {
      try PersistentStore.migrate(at: store.url, by: empty, from: source, to: destination)
    }
    let copy = try WorkingCopy(of: store.url)
    let trial = try PersistentStore.migrateCopy(
      at: copy.url, by: policy, from: source, to: destination, skipsPolicies: true)
    #expect(trial.omissions.count == 1)
    #expect(try StoreModel.read(store.url).metadata.hashes == VersionHashes(source))
    let after = try PersistentStore.open(at: store.url)
    defer { after.close() }
    let count = try after.read { try $0.integer("SELECT count(*) FROM ZITEM") }
    #expect(count == 4)
    #expect(before.count > 0)
  }

  @Test(
    "BookMigration's first mapping model moves the rows and links of its real store, without the policy's authors",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func bookMigration() throws {
    let store = try TemporaryStore()
    try FileManager.default.copyItem(at: Fixtures.url("mappings/hwaxxer__BookMigration/Model1.sqlite"), to: store.url)
    let folder = Fixtures.url("mappings/hwaxxer__BookMigration/Model1_to_Model2.xcmappingmodel")
    let mapping = try MappingModelParser.read(at: folder, readExpression: ModelArchive.decodeExpression).mapping
    #expect(throws: MappingMigrationError.self) { try PersistentStore.migrate(at: store.url, by: mapping) }
    let versions = try ModelBundle.read(at: Fixtures.url("models/hwaxxer__BookMigration/Model.xcdatamodeld")).versions
    let report = try PersistentStore.migrate(
      at: store.url, by: mapping, from: versions[0].model, to: versions[1].model, skipsPolicies: true)
    #expect(report.rowCounts.map(\.count) == [3, 0, 4])
    #expect(report.omissions.count == 1)
    let migrated = try PersistentStore.open(at: store.url)
    defer { migrated.close() }
    let titles = try migrated.read {
      try $0.text("SELECT group_concat(ZTITLE || ' ' || length(ZFILEURL), '; ') FROM ZBOOK")
    }
    #expect(titles == "The Trial 152; Cosmos 149; Metamorphosis 158; Extinction 155")
    guard case .toMany(let books)? = migrated.layout.entity(named: "User")?.property(named: "books"),
      case .joinTable(let side) = books.storage
    else {
      Issue.record("no join table")
      return
    }
    let links = try migrated.read {
      try $0.integer("SELECT count(*) FROM \(side.table) WHERE \(side.ownColumn) = 3 AND \(side.otherColumn) > 8")
    }
    #expect(links == 4)
    migrated.close()
    try Oracle.expectSound(store.url)
  }
}
