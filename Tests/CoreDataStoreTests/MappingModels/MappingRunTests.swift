import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

@Suite("Rows, values and links of a mapping model") struct MappingRunTests {
  private typealias World = MappingWorld

  /// Migrates a store whose one entity has a column `ZVALUE` to a model in which an expression gives the value.
  private func value(
    _ literal: String, _ old: AttributeType, _ expression: String, _ new: AttributeType, filter: String? = nil
  ) throws -> String? {
    let source = World.model(
      EntityDescription(
        name: "Item", properties: [World.attribute("value", old), World.attribute("isKept", .boolean)]))
    let destination = World.model(EntityDescription(name: "Ware", properties: [World.attribute("result", new)]))
    let world = try World(
      source, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZVALUE, ZISKEPT) VALUES (1, 1, 1, \(literal), 0), (2, 1, 1, 1, 1)"
    )
    let mapping = MappingModel(
      name: "Values",
      entityMappings: [
        EntityMapping(
          name: "ItemToWare", sourceEntityName: "Item", destinationEntityName: "Ware", sourceFilter: filter,
          attributeMappings: [World.expression("result", expression)])
      ])
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
    return try world.text("SELECT quote(ZRESULT) FROM ZWARE ORDER BY Z_PK")
  }

  @Test(
    "A value has the storage of the new attribute's type",
    arguments: [
      ("8", AttributeType.integer16, "$source.value / 2", AttributeType.integer16, "4"),
      // NSExpression divides integers as C does.
      ("7", .integer16, "$source.value / 2", .double, "3.0"), ("-7", .integer16, "$source.value / 2", .integer16, "-3"),
      ("7", .integer16, "$source.value / 2.0", .double, "3.5"),
      ("7", .integer16, "$source.value / 2 * 1.5", .double, "4.5"),
      ("7", .decimal, "$source.value / 2", .double, "3.5"),
      ("2", .integer16, "$source.value * 1.5", .integer32, "3"),
      ("3", .integer64, "$source.value + 1", .double, "4.0"), ("2.0", .double, "$source.value", .integer16, "2"),
      ("5", .integer16, "$source.value + 40000", .integer32, "40005"), ("1", .integer16, "\"x\"", .string, "'x'"),
      ("1", .integer16, "3", .decimal, "3"), ("1", .integer16, "2", .double, "2.0"),
      ("'ab'", .string, "uppercase:($source.value)", .string, "'AB'"),
      ("4.0", .date, "$source.value + 60", .date, "64"),
      ("NULL", .integer16, "$source.value / 2", .integer16, "NULL"),
    ])
  func storage(
    literal: String, old: AttributeType, expression: String, new: AttributeType, expected: String
  ) throws {
    // The second row has the value 1, whose half is no integer.
    #expect(try value(literal, old, expression, new, filter: "isKept == NO") == expected)
  }

  @Test(
    "A value that the new type cannot hold is counted, and the store stays as it was",
    arguments: [
      ("7", AttributeType.integer16, "$source.value / 2.0", AttributeType.integer16),
      ("70000", .integer32, "$source.value", .integer16), ("1.5", .double, "$source.value", .integer64),
      ("30000", .integer16, "$source.value * 2", .integer16), ("1", .integer16, "70000", .integer16),
      ("1", .integer16, "1.5", .integer32), ("9007199254740993", .integer64, "$source.value", .double),
    ])
  func misfits(literal: String, old: AttributeType, expression: String, new: AttributeType) throws {
    let error = #expect(throws: MigrationError.self) {
      try value(literal, old, expression, new, filter: "isKept == NO")
    }
    #expect(error?.obstacle.reason == .outOfRange(new))
    #expect(error?.rowCount == 1)
    #expect(error?.obstacle.property == "result")
  }

  @Test(
    "A division by zero is in the way, of integers and of other numbers, and so is a result that no number holds",
    arguments: [
      ("0", AttributeType.integer16, "7 / $source.value", MigrationObstacle.Reason.divisionByZero),
      ("0.0", .double, "7 / $source.value", .divisionByZero), ("0", .integer16, "1.5 / $source.value", .divisionByZero),
      ("0", .integer16, "(7 / $source.value) * 0 + 1", .divisionByZero),
      ("9223372036854775807", .integer64, "$source.value + 1", .outOfRange(.integer64)),
      ("1e-320", .double, "7 / $source.value", .outOfRange(.double)),
    ])
  func noResult(literal: String, old: AttributeType, expression: String, reason: MigrationObstacle.Reason) throws {
    let error = #expect(throws: MigrationError.self) {
      try value(literal, old, expression, .double, filter: "isKept == NO")
    }
    #expect(error?.obstacle.reason == reason)
    #expect(error?.rowCount == 1)
    if reason == .divisionByZero {
      #expect(error?.problem == "property “result” of entity “Ware” is a quotient, and 1 row would divide by zero")
    }
  }

  @Test("A value in a row that the filter leaves out is in nobody's way")
  func filteredMisfit() throws {
    #expect(try value("70000", .integer32, "$source.value", .integer16, filter: "isKept == YES") == "1")
  }

  @Test(
    "Arithmetic of values that are no numbers is refused",
    arguments: [("'a'", AttributeType.string, "$source.value * 2"), ("x'00'", .binary, "1 + $source.value")])
  func noNumbers(literal: String, old: AttributeType, expression: String) throws {
    #expect(throws: MappingMigrationError.self) { try value(literal, old, expression, .integer32) }
  }

  @Test("Links of any mapping lead to the new objects of the old relationship's own entity")
  func candidates() throws {
    let source = World.model(
      EntityDescription(name: "Contract", properties: [World.relationship("person", "Person", nil)]),
      EntityDescription(name: "Firm", properties: [World.attribute("name", .string)]),
      EntityDescription(name: "Person", properties: [World.attribute("name", .string)]))
    let destination = World.model(
      EntityDescription(name: "Contract", properties: [World.relationship("party", "Party", nil)]),
      EntityDescription(name: "Party", properties: [World.attribute("name", .string)]))
    for mappingName in [nil, "FirmToParty", "PersonToParty"] {
      let world = try World(
        source,
        """
        INSERT INTO ZFIRM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'Firm 1'), (2, 2, 1, 'Firm 2');
        INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'Person 1'), (2, 3, 1, 'Person 2');
        INSERT INTO ZCONTRACT (Z_PK, Z_ENT, Z_OPT, ZPERSON) VALUES (1, 1, 1, 2);
        """)
      let mapping = MappingModel(
        name: "Parties",
        entityMappings: ["Firm", "Person"].map { (name: String) in
          EntityMapping(
            name: "\(name)ToParty", sourceEntityName: name, destinationEntityName: "Party",
            attributeMappings: [World.expression("name", "$source.name")])
        } + [
          EntityMapping(
            name: "Contracts", sourceEntityName: "Contract", destinationEntityName: "Contract",
            relationshipMappings: [World.rows("party", of: "person", by: mappingName)])
        ])
      try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
      let linked = try world.text(
        "SELECT ifnull((SELECT ZNAME FROM ZPARTY p WHERE p.Z_PK = c.ZPARTY), 'nothing') FROM ZCONTRACT c")
      #expect(linked == (mappingName == "FirmToParty" ? "nothing" : "Person 2"), "\(mappingName ?? "any")")
    }
  }

  @Test("The other side of a one-to-one relationship gets the entity of its object")
  func inverseEntity() throws {
    func model(_ suffix: String) -> ModelDescription {
      World.model(
        EntityDescription(
          name: "Badge\(suffix)", properties: [World.relationship("holder", "Person\(suffix)", "badge")]),
        EntityDescription(name: "Boss\(suffix)", superentityName: "Person\(suffix)"),
        EntityDescription(
          name: "Person\(suffix)", properties: [World.relationship("badge", "Badge\(suffix)", "holder")]))
    }
    let world = try World(
      model(""),
      """
      INSERT INTO ZBADGE (Z_PK, Z_ENT, Z_OPT, ZHOLDER) VALUES (4, 1, 1, 7);
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZBADGE) VALUES (7, 3, 1, 4);
      """)
    let mapping = MappingModel(
      name: "Badges",
      entityMappings: [
        EntityMapping(name: "Badges", sourceEntityName: "Badge", destinationEntityName: "BadgeNew"),
        EntityMapping(
          name: "Bosses", sourceEntityName: "Boss", destinationEntityName: "BossNew",
          relationshipMappings: [World.rows("badge", of: "badge")]),
      ])
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: model(""), to: model("New"))
    let store = try PersistentStore.open(at: world.store.url)
    defer { store.close() }
    guard case .toOne(let holder)? = store.layout.entity(named: "BadgeNew")?.property(named: "holder"),
      let column = holder.entityColumn
    else {
      Issue.record("no entity column")
      return
    }
    let line = try store.read { try $0.text("SELECT ZHOLDER || ' ' || ifnull(\(column), '-') FROM ZBADGENEW") }
    #expect(line == "7 \(store.layout.entity(named: "BossNew")?.number ?? 0)")
    store.close()
    try Oracle.expectSound(world.store.url)
  }

  @Test("A second object of a to-one relationship is in the way, on either side")
  func severalObjects() throws {
    let source = World.model(
      EntityDescription(name: "Item", properties: [World.relationship("tags", "Tag", "items", toMany: true)]),
      EntityDescription(name: "Tag", properties: [World.relationship("items", "Item", "tags", toMany: true)]))
    let destination = World.model(
      EntityDescription(name: "Item", properties: [World.relationship("tag", "Tag", "item")]),
      EntityDescription(name: "Tag", properties: [World.relationship("item", "Item", "tag")]))
    for (links, isOne) in [("(1, 1), (2, 2)", true), ("(1, 1), (1, 2)", false), ("(1, 1), (2, 1)", false)] {
      let world = try World(
        source,
        """
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
        INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1);
        INSERT INTO Z_1TAGS (Z_1ITEMS, Z_2TAGS) VALUES \(links);
        """)
      let mapping = MappingModel(
        name: "Tags",
        entityMappings: [
          EntityMapping(
            name: "Items", sourceEntityName: "Item", destinationEntityName: "Item",
            relationshipMappings: [World.rows("tag", of: "tags")]),
          EntityMapping(name: "Tags", sourceEntityName: "Tag", destinationEntityName: "Tag"),
        ])
      let run = { try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination) }
      if isOne {
        _ = try run()
        #expect(try world.text("SELECT group_concat(ZTAG, ' ') FROM ZITEM") == "1 2")
        #expect(try world.text("SELECT group_concat(ZITEM, ' ') FROM ZTAG") == "1 2")
      } else {
        let error = #expect(throws: MigrationError.self) { try run() }
        #expect(error?.obstacle.reason == .severalObjects)
      }
    }
  }

  @Test("The largest key of all is kept; where rows need new keys and none is left, the store stays as it was")
  func lastKey() throws {
    let source = World.model(
      EntityDescription(name: "Firm", properties: [World.attribute("name", .string)]),
      EntityDescription(name: "Person", properties: [World.attribute("name", .string)]))
    let world = try World(
      source, "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (\(Int64.max), 2, 1, 'Last')")
    let mapping = MappingModel(
      name: "Same",
      entityMappings: [
        EntityMapping(
          name: "Persons", sourceEntityName: "Person", destinationEntityName: "Human",
          attributeMappings: [World.expression("name", "$source.name")])
      ])
    let destination = World.model(EntityDescription(name: "Human", properties: [World.attribute("name", .string)]))
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
    #expect(try world.text("SELECT Z_PK || ' ' || ZNAME FROM ZHUMAN") == "\(Int64.max) Last")
  }

  @Test("An entity may be called like a table that the migration makes for itself", arguments: ["_Mapped", "_Taken"])
  func namesOfItsOwn(name: String) throws {
    let source = World.model(EntityDescription(name: "Item", properties: [World.attribute("name", .string)]))
    let destination = World.model(
      EntityDescription(name: name, properties: [World.attribute("name", .string, isOptional: false)]))
    let world = try World(source, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a')")
    let mapping = MappingModel(
      name: "Renamed",
      entityMappings: [
        EntityMapping(
          name: "Items", sourceEntityName: "Item", destinationEntityName: name,
          attributeMappings: [World.expression("name", "$source.name")])
      ])
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
    #expect(try world.text("SELECT ZNAME FROM Z\(name.uppercased())") == "a")
  }

  @Test("Metadata of applications stays, lists and dictionaries too")
  func metadata() throws {
    let source = World.model(EntityDescription(name: "Item", properties: [World.attribute("name", .string)]))
    let destination = World.model(EntityDescription(name: "Ware", properties: [World.attribute("name", .string)]))
    let world = try World(source)
    let connection = try Connection(path: world.store.url.path, mode: .readWrite)
    let old = try StoreMetadata(connection)
    let entries: [String: any Sendable] = [
      "list": ["a", "b"], "table": ["inner": ["deep": 7]], "flag": true, "text": "t",
      "moment": Date(timeIntervalSinceReferenceDate: 5), "bytes": Data([1, 2]), "real": 2.5,
    ]
    try StoreMetadata(identifier: old.identifier, propertyList: old.propertyList(setting: entries)).write(
      to: connection)
    connection.close()
    let mapping = MappingModel(
      name: "Items",
      entityMappings: [EntityMapping(name: "Items", sourceEntityName: "Item", destinationEntityName: "Ware")])
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
    let kept = try StoreMetadata.entries(of: StoreModel.read(world.store.url).metadata.propertyList)
    #expect(kept["list"] as? [String] == ["a", "b"])
    #expect((kept["table"] as? [String: [String: Int]]) == ["inner": ["deep": 7]])
    #expect(kept["flag"] as? Bool == true && kept["text"] as? String == "t" && kept["real"] as? Double == 2.5)
    #expect(kept["moment"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    #expect(kept["bytes"] as? Data == Data([1, 2]))
    #expect(kept["NSStoreModelVersionHashes"] as? [String: Data] == (try VersionHashes(destination)).hashes)
  }

  @Test("A store keeps the size of its pages", arguments: [1024, 8192])
  func pageSize(_ size: Int) throws {
    let source = World.model(EntityDescription(name: "Item", properties: [World.attribute("name", .string)]))
    let destination = World.model(EntityDescription(name: "Ware", properties: [World.attribute("name", .string)]))
    let world = try World(source, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Rope')")
    let connection = try Connection(path: world.store.url.path, mode: .readWrite)
    try connection.setPragma("journal_mode", "DELETE")
    try connection.setPragma("page_size", "\(size)")
    try connection.execute("VACUUM")
    try connection.setPragma("journal_mode", "WAL")
    #expect(try connection.integer("PRAGMA page_size") == Int64(size))
    connection.close()
    let mapping = MappingModel(
      name: "Items",
      entityMappings: [
        EntityMapping(
          name: "Items", sourceEntityName: "Item", destinationEntityName: "Ware",
          attributeMappings: [World.expression("name", "$source.name")])
      ])
    try PersistentStore.migrate(at: world.store.url, by: mapping, from: source, to: destination)
    #expect(try world.text("SELECT ZNAME FROM ZWARE") == "Rope")
    #expect(try world.text("PRAGMA page_size") == "\(size)")
  }
}
