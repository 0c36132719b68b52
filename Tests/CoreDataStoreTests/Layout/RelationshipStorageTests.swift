import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// How relationships of every kind are kept in the tables (CD-3), through change sets, read with SQL of the tests' own.
@Suite struct RelationshipStorageTests {
  private typealias World = FetchTestWorld

  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Animal", properties: [World.attribute("name", .string), World.toOne("home", "Place", inverse: "animals")]),
    EntityDescription(name: "Cat", superentityName: "Animal", properties: [World.attribute("lives", .integer16)]),
    EntityDescription(name: "Dog", superentityName: "Animal", properties: [World.attribute("bones", .integer16)]),
    EntityDescription(
      name: "Owner",
      properties: [
        World.toOne("pet", "Animal", inverse: nil), World.toOne("passport", "Passport", inverse: "owner"),
        World.toMany("friends", "Owner", inverse: "friends"), World.toMany("blocked", "Owner", inverse: "blockedBy"),
        World.toMany("blockedBy", "Owner", inverse: "blocked"), World.toMany("toys", "Toy", inverse: nil),
        World.toMany("shelf", "Toy", inverse: nil, isOrdered: true), World.toMany("links", "Club", inverse: "links"),
      ]),
    EntityDescription(name: "Passport", properties: [World.toOne("owner", "Owner", inverse: "passport")]),
    EntityDescription(name: "Place", properties: [World.toMany("animals", "Animal", inverse: "home", isOrdered: true)]),
    EntityDescription(name: "Toy", properties: [World.attribute("name", .string)]),
    EntityDescription(name: "Club", properties: [World.toMany("links", "Owner", inverse: "links", isOrdered: true)]),
  ])

  /// A store and short ways to change it.
  private struct Stage {
    let folder: TemporaryStore
    let store: PersistentStore

    init() throws {
      folder = try TemporaryStore()
      store = try PersistentStore.open(at: folder.url, model: RelationshipStorageTests.model)
    }

    /// The same store, opened anew.
    init(reopening other: Stage) throws {
      folder = other.folder
      store = try PersistentStore.open(at: folder.url)
    }

    func number(_ name: String) throws -> Int32 { Int32(try store.layout.existingEntity(name).number) }

    func insert(_ name: String, _ count: Int = 1) throws -> [ObjectKey] {
      var changes = ChangeSet()
      changes.insertions = try (0..<count).map { _ in
        .init(entity: try number(name), columns: [], source: StoreValuesRow())
      }
      return try store.save(changes).inserted.map(\.object)
    }

    func set(_ object: ObjectKey, _ name: String, _ destination: ObjectKey?) throws {
      let entity = try store.layout.existingEntity(object.entity)
      var changes = ChangeSet()
      changes.updates = [
        .init(
          object: object, version: nil, columns: [ColumnSelection(entityName: entity.name, propertyName: name)],
          changedProperties: [name], source: StoreValuesRow([name: .object(destination)]))
      ]
      _ = try store.save(changes)
    }

    func change(
      _ owner: ObjectKey, _ name: String, add: [ObjectKey] = [], remove: [ObjectKey] = [], order: [ObjectKey]? = nil
    ) throws {
      var changes = ChangeSet()
      changes.relationshipChanges = [
        .init(
          owner: .existing(owner), relationship: name, added: add.map { .existing($0) },
          removed: remove.map { .existing($0) }, order: order?.map { .existing($0) })
      ]
      _ = try store.save(changes)
    }

    func delete(_ objects: ObjectKey...) throws {
      var changes = ChangeSet()
      changes.deletions = objects.map { .init(object: $0, version: nil) }
      _ = try store.save(changes)
    }

    func members(_ owner: ObjectKey, _ name: String) throws -> [Int64] {
      let entity = try store.layout.existingEntity(owner.entity).name
      let cursor = try store.related(to: (entity, name), owners: [owner], columns: [])
      var keys: [Int64] = []
      while try cursor.next() { keys.append(cursor.key) }
      return keys
    }

    func sql(_ text: String) throws -> [[StoreValue]] { try PlainSQL.rows(folder.url, text) }

    func tables(like pattern: String) throws -> [String] {
      try sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\(pattern)' ORDER BY 1").map {
        if case .text(let name) = $0[0] { name } else { "" }
      }
    }

    func check() throws {
      let failures = try RealStores.failures(folder.url)
      #expect(failures.isEmpty, "\(failures)")
    }
  }

  @Test("CD-3.1: the entity column is that of the row the key leads to, after every change of destination")
  func entityColumns() throws {
    let stage = try Stage()
    let owner = try stage.insert("Owner")[0]
    let cat = try stage.insert("Cat")[0]
    let dog = try stage.insert("Dog")[0]
    let animal = try stage.insert("Animal")[0]
    let place = try stage.insert("Place")[0]
    let column = try #require(
      stage.sql("SELECT name FROM pragma_table_info('ZOWNER') WHERE name GLOB 'Z[0-9]*_PET'").first?[0])
    guard case .text(let name) = column else {
      Issue.record("\(column)")
      return
    }
    #expect(name == "Z\(try stage.number("Animal"))_PET")
    for destination in [cat, dog, animal, nil, dog, cat] as [ObjectKey?] {
      try stage.set(owner, "pet", destination)
      #expect(
        try stage.sql("SELECT ZPET, \(name) FROM ZOWNER") == [
          destination.map { [.integer($0.key), .integer(Int64($0.entity))] } ?? [.null, .null]
        ])
      if let destination { try stage.set(destination, "home", place) }
      try stage.check()
    }
    // Nullified by whoever deletes.
    var changes = ChangeSet()
    changes.deletions = [.init(object: cat, version: nil)]
    changes.updates = [
      .init(
        object: owner, version: nil, columns: [ColumnSelection(entityName: "Owner", propertyName: "pet")],
        changedProperties: ["pet"], source: StoreValuesRow(["pet": .object(nil)]))
    ]
    _ = try stage.store.save(changes)
    #expect(try stage.sql("SELECT ZPET, \(name) FROM ZOWNER") == [[.null, .null]])
    // The destination has no subentities: a key alone.
    #expect(try stage.sql("SELECT name FROM pragma_table_info('ZANIMAL') WHERE name GLOB 'Z[0-9]*_HOME'").isEmpty)
    #expect(try stage.store.danglingKeys().isEmpty)
    try stage.check()
  }

  @Test("CD-3.1: both sides of a one-to-one have a key of their own")
  func oneToOne() throws {
    let stage = try Stage()
    let owners = try stage.insert("Owner", 2)
    let passport = try stage.insert("Passport")[0]
    for owner in [owners[0], owners[1], nil] as [ObjectKey?] {
      for other in owners { try stage.set(other, "passport", other == owner ? passport : nil) }
      try stage.set(passport, "owner", owner)
      #expect(try stage.sql("SELECT ZOWNER FROM ZPASSPORT") == [[owner.map { .integer($0.key) } ?? .null]])
      #expect(
        try stage.sql("SELECT Z_PK FROM ZOWNER WHERE ZPASSPORT = \(passport.key)")
          == (owner.map { [[.integer($0.key)]] } ?? []))
      try stage.check()
    }
  }

  @Test("CD-3.2: objects of a to-many relationship without inverse carry its key, and its order where it has one")
  func virtualKeys() throws {
    let stage = try Stage()
    let owners = try stage.insert("Owner", 2)
    let toys = try stage.insert("Toy", 5)
    let number = try stage.number("Owner")
    func rows() throws -> [[StoreValue]] {
      try stage.sql("SELECT Z\(number)TOYS, Z\(number)SHELF, Z_FOK_\(number)SHELF FROM ZTOY ORDER BY Z_PK")
    }
    try stage.change(owners[0], "toys", add: [toys[0], toys[1]])
    try stage.change(owners[0], "shelf", add: toys, order: [toys[2], toys[0], toys[1], toys[4], toys[3]])
    #expect(try stage.members(owners[0], "toys") == [1, 2])
    #expect(try stage.members(owners[0], "shelf") == [3, 1, 2, 5, 4])
    try stage.check()
    // Another owner takes one: it comes last there, and leaves its place here.
    try stage.change(owners[1], "shelf", add: [toys[2]])
    try stage.change(owners[1], "shelf", add: [toys[0]])
    try stage.change(owners[1], "toys", add: [toys[0]])
    #expect(try stage.members(owners[1], "shelf") == [3, 1] && stage.members(owners[0], "shelf") == [2, 5, 4])
    #expect(try stage.members(owners[1], "toys") == [1] && stage.members(owners[0], "toys") == [2])
    // Who is not the owner cannot cut the link.
    try stage.change(owners[0], "shelf", remove: [toys[2], toys[4]])
    #expect(try stage.members(owners[1], "shelf") == [3, 1] && stage.members(owners[0], "shelf") == [2, 4])
    try stage.delete(owners[1])
    #expect(
      try rows().map { $0.map { $0 == .null } } == [
        [true, true, true], [false, false, false], [true, true, true], [true, false, false], [true, true, true],
      ])
    try stage.check()
  }

  @Test("CD-3.3: of a relationship that is its own inverse each pair is two rows, which come and go together")
  func selfInverse() throws {
    let stage = try Stage()
    let owners = try stage.insert("Owner", 4)
    let table = try #require(stage.tables(like: "Z_%FRIENDS").first)
    func count() throws -> StoreValue { try stage.sql("SELECT count(*) FROM \(table)")[0][0] }
    try stage.change(owners[0], "friends", add: [owners[1], owners[2], owners[3]])
    try stage.change(owners[1], "friends", add: [owners[2], owners[0]])
    #expect(try count() == .integer(8))
    #expect(try stage.members(owners[2], "friends") == [1, 2])
    try stage.change(owners[2], "friends", remove: [owners[0]])
    #expect(try count() == .integer(6) && stage.members(owners[0], "friends") == [2, 4])
    // With oneself there is one row, which is its own reverse.
    try stage.change(owners[3], "friends", add: [owners[3]])
    #expect(try count() == .integer(7) && stage.members(owners[3], "friends") == [1, 4])
    try stage.check()
    // A row that a deletion left behind, as in real stores, is passed over, reported, and goes with its other end.
    try stage.store.write { try $0.execute("INSERT INTO \(table) VALUES (\(owners[1].key), 99)") }
    #expect(try stage.members(owners[1], "friends") == [1, 3])
    #expect(
      try stage.store.danglingKeys() == [
        DanglingKey(object: owners[1], relationship: "friends", destination: "Owner", missingKey: 99)
      ])
    try stage.check()
    try stage.delete(owners[1])
    #expect(
      try stage.sql("SELECT count(*) FROM \(table) WHERE 2 IN (Z_\(try stage.number("Owner"))FRIENDS, REFLEXIVE)") == [
        [.integer(0)]
      ])
    #expect(try stage.store.danglingKeys().isEmpty)
    try stage.delete(owners[0], owners[2], owners[3])
    #expect(try count() == .integer(0))
    try stage.check()
  }

  @Test(
    "CD-3.3: two inverses on one entity are told apart by the columns of the store, whichever of them names the table")
  func inversesOnOneEntity() throws {
    for isReversed in [false, true] {
      var stage = try Stage()
      let number = try stage.number("Owner")
      let table = try #require(stage.tables(like: "Z_%BLOCKED%").first)
      #expect(table == "Z_\(number)BLOCKEDBY")
      if isReversed {
        // As other stores have it: named after the relationship whose name comes first.
        stage.store.close()
        let connection = try Connection(path: stage.folder.url.path, mode: .readWrite)
        try connection.execute(
          """
          DROP TABLE \(table); CREATE TABLE Z_\(number)BLOCKED ( Z_\(number)BLOCKEDBY INTEGER, Z_\(number)BLOCKED INTEGER, \
          PRIMARY KEY (Z_\(number)BLOCKEDBY, Z_\(number)BLOCKED) ); CREATE INDEX Z_\(number)BLOCKED_Z_\(number)BLOCKED_INDEX \
          ON Z_\(number)BLOCKED (Z_\(number)BLOCKED, Z_\(number)BLOCKEDBY)
          """)
        connection.close()
        stage = try Stage(reopening: stage)
      }
      let owners = try stage.insert("Owner", 3)
      try stage.change(owners[0], "blocked", add: [owners[1], owners[2]])
      try stage.change(owners[0], "blockedBy", add: [owners[2]])
      #expect(try stage.members(owners[0], "blocked") == [2, 3] && stage.members(owners[2], "blockedBy") == [1])
      #expect(try stage.members(owners[2], "blocked") == [1] && stage.members(owners[0], "blockedBy") == [3])
      // The column is named after the relationship that leads to the row whose key it holds.
      let name = isReversed ? "Z_\(number)BLOCKED" : table
      #expect(
        try stage.sql("SELECT Z_\(number)BLOCKEDBY, Z_\(number)BLOCKED FROM \(name) ORDER BY 1, 2") == [
          [.integer(1), .integer(2)], [.integer(1), .integer(3)], [.integer(3), .integer(1)],
        ])
      try stage.change(owners[2], "blockedBy", remove: [owners[0]])
      #expect(try stage.members(owners[0], "blocked") == [2])
      try stage.delete(owners[0])
      #expect(try stage.sql("SELECT count(*) FROM \(name)") == [[.integer(0)]])
      try stage.check()
    }
  }

  @Test("CD-3.3: inverses of one name, and an order on one side only; ties are read by key")
  func sameNames() throws {
    let stage = try Stage()
    let owners = try stage.insert("Owner", 4)
    let clubs = try stage.insert("Club", 2)
    try stage.change(clubs[0], "links", add: owners, order: [owners[3], owners[0], owners[2], owners[1]])
    try stage.change(owners[0], "links", add: [clubs[1]])
    try stage.change(clubs[1], "links", add: [owners[3]])
    #expect(try stage.members(clubs[0], "links") == [4, 1, 3, 2] && stage.members(clubs[1], "links") == [1, 4])
    #expect(try stage.members(owners[0], "links") == [1, 2] && stage.members(owners[1], "links") == [1])
    try stage.check()
    let table = try #require(stage.tables(like: "Z_%LINKS").first)
    let order = try #require(stage.sql("SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE 'Z_FOK%'").first)
    guard case .text(let column) = order[0] else {
      Issue.record("\(order)")
      return
    }
    try stage.store.write { try $0.execute("UPDATE \(table) SET \(column) = 5000") }
    #expect(try stage.members(clubs[0], "links") == [1, 2, 3, 4])
    try stage.change(clubs[0], "links", order: [owners[1], owners[0], owners[2], owners[3]])
    #expect(try stage.members(clubs[0], "links") == [2, 1, 3, 4])
    try stage.delete(clubs[0], owners[0])
    #expect(try stage.sql("SELECT count(*) FROM \(table)") == [[.integer(1)]])
    try stage.check()
  }

  @Test("CD-3.4: an order of thousands is written once, and a move in it changes one row")
  func manyMembers() throws {
    let stage = try Stage()
    let place = try stage.insert("Place")[0]
    let count = 3000
    var changes = ChangeSet()
    let key = [ColumnSelection(entityName: "Cat", propertyName: "home")]
    changes.insertions = try (0..<count).map { _ in
      .init(entity: try stage.number("Cat"), columns: key, source: StoreValuesRow(["home": .object(place)]))
    }
    let cats = try stage.store.save(changes).inserted.map(\.object)
    func values() throws -> [Int64: StoreValue] {
      Dictionary(
        uniqueKeysWithValues: try stage.sql("SELECT Z_PK, Z_FOK_HOME FROM ZANIMAL").map {
          if case .integer(let key) = $0[0] { (key, $0[1]) } else { (0, $0[1]) }
        })
    }
    let before = try values()
    #expect(before[1] == .integer(2048) && before[Int64(count)] == .integer(2048 + 1024 * Int64(count - 1)))
    var order = cats
    order.insert(order.removeLast(), at: 1500)
    try stage.change(place, "animals", order: order)
    let after = try values()
    #expect(after.filter { before[$0.key] != $0.value }.count == 1)
    #expect(try stage.members(place, "animals") == order.map(\.key))
    order.reverse()
    try stage.change(place, "animals", order: order)
    #expect(try stage.members(place, "animals") == order.map(\.key))
    try stage.check()
  }

  @Test("CD-3.1: a key that leads nowhere is read as no object, listed, and written over")
  func danglingKeys() throws {
    let stage = try Stage()
    let owner = try stage.insert("Owner")[0]
    let cat = try stage.insert("Cat")[0]
    let toy = try stage.insert("Toy")[0]
    let club = try stage.insert("Club")[0]
    try stage.set(owner, "pet", cat)
    try stage.change(owner, "toys", add: [toy])
    try stage.change(club, "links", add: [owner])
    try stage.store.write {
      try $0.execute(
        "DELETE FROM ZANIMAL; DELETE FROM ZOWNER; UPDATE Z_PRIMARYKEY SET Z_MAX = 77 WHERE Z_NAME = 'Owner'; INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZPET) VALUES "
          + "(77, \(owner.entity), 1, \(cat.key))")
    }
    let other = ObjectKey(entity: owner.entity, key: 77)
    #expect(
      try stage.store.danglingKeys() == [
        DanglingKey(object: club, relationship: "links", destination: "Owner", missingKey: 1),
        DanglingKey(object: other, relationship: "pet", destination: "Animal", missingKey: cat.key),
        DanglingKey(object: toy, relationship: "toys", destination: "Owner", missingKey: 1),
      ])
    #expect(try stage.members(club, "links").isEmpty)
    let name = FetchRequest(
      entityName: "Owner", predicate: .isNull(.attribute(FetchPath(relationships: ["pet"]), name: "name", element: [])))
    #expect(try stage.store.count(name) == 1)
    let dog = try stage.insert("Dog")[0]
    try stage.set(other, "pet", dog)
    try stage.change(other, "toys", add: [toy])
    try stage.change(club, "links", remove: [owner])
    #expect(try stage.store.danglingKeys().isEmpty)
    try stage.check()
  }
}
