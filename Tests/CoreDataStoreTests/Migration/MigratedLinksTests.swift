import ManagedModel
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// The keys, the order keys and the rows that a migration leaves, in SQL.
@Suite("Keys of relationships after a migration", .damagesStores("rows by plain SQL, without the counter of keys"))
struct MigratedLinksTests {
  private typealias World = FetchTestWorld

  private let folder: TemporaryStore

  init() throws { folder = try TemporaryStore() }

  /// Version hashes do not tell a relationship without inverse from one that is its own.
  private static func model(_ version: String, _ entities: [EntityDescription]) -> ModelDescription {
    ModelDescription(entities: entities, versionIdentifiers: [version])
  }

  private static func entity(_ name: String, _ properties: [PropertyDescription] = [], in parent: String? = nil)
    -> EntityDescription
  {
    EntityDescription(name: name, superentityName: parent, properties: properties)
  }

  private func make(_ entities: [EntityDescription], _ rows: String...) throws {
    try PersistentStore.open(at: folder.url, model: Self.model("1", entities)).close()
    for sql in rows { try PlainSQL.run(folder.url, sql) }
  }

  private func migrate(_ entities: [EntityDescription]) throws -> MigrationObstacle.Reason? {
    do { try PersistentStore.migrate(at: folder.url, through: [Self.model("2", entities)]) } catch let error
      as MigrationError
    { return error.obstacle.reason }
    return nil
  }

  /// The numbers in the rows of a query; -1 for NULL.
  private func numbers(_ sql: String) throws -> [[Int64]] {
    try PlainSQL.rows(folder.url, sql).map { row in
      row.map { if case .integer(let number) = $0 { number } else { -1 } }
    }
  }

  // MARK: Order

  @Test("An ordered relationship that gets an inverse keeps the order of links that both sides had")
  func orderOfBothSides() throws {
    try make(
      [
        Self.entity("Item", [World.toOne("shelf", "Shelf", inverse: nil)]),
        Self.entity("Shelf", [World.toMany("items", "Item", inverse: nil, isOrdered: true)]),
      ])
    try PlainSQL.run(
      folder.url,
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSHELF, Z2ITEMS, Z_FOK_2ITEMS) VALUES
        (1, 1, 1, 1, 1, 4096), (2, 1, 1, 1, 1, 3072), (3, 1, 1, NULL, 1, 2048), (4, 1, 1, 1, NULL, NULL);
      """)
    let reason = try migrate([
      Self.entity("Item", [World.toOne("shelf", "Shelf", inverse: "items")]),
      Self.entity("Shelf", [World.toMany("items", "Item", inverse: "shelf", isOrdered: true)]),
    ])
    #expect(reason == nil)
    #expect(try numbers("SELECT Z_PK, ZSHELF FROM ZITEM ORDER BY Z_FOK_SHELF") == [[3, 1], [2, 1], [1, 1], [4, 1]])
  }

  @Test("Ordered relationships of two subentities that become one have different order keys")
  func orderOfSeveral() throws {
    try make(
      [
        Self.entity("Item"),
        Self.entity("Book", [World.toOne("shelf", "Shelf", inverse: "books")], in: "Item"),
        Self.entity("Film", [World.toOne("shelf", "Shelf", inverse: "films")], in: "Item"),
        Self.entity(
          "Shelf",
          [
            World.toMany("books", "Book", inverse: "shelf", isOrdered: true),
            World.toMany("films", "Film", inverse: "shelf", isOrdered: true),
          ]),
      ],
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 4, 1);
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSHELF, Z_FOK_SHELF) VALUES (1, 2, 1, 1, 3072), (2, 2, 1, 1, 2048);
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSHELF1, Z_FOK_SHELF1) VALUES (3, 3, 1, 1, 2048), (4, 3, 1, 1, 4096);
      """)
    let reason = try migrate([
      Self.entity("Item", [World.toOne("shelf", "Shelf", inverse: "items")]), Self.entity("Book", in: "Item"),
      Self.entity("Film", in: "Item"),
      Self.entity("Shelf", [World.toMany("items", "Item", inverse: "shelf", isOrdered: true)]),
    ])
    #expect(reason == nil)
    #expect(
      try numbers("SELECT Z_PK, Z_FOK_SHELF FROM ZITEM ORDER BY 2") == [[2, 2048], [3, 3072], [1, 4096], [4, 5120]])
  }

  @Test("A key that goes takes its order key along") func orderOfNothing() throws {
    let items = World.toMany("items", "Item", inverse: nil, isOrdered: true)
    try make(
      [Self.entity("Item"), Self.entity("Shelf", [items]), Self.entity("Vault", in: "Shelf")],
      "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 3, 1)",
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, Z2ITEMS, Z_FOK_2ITEMS) VALUES (1, 1, 1, 1, 2048), (2, 1, 1, 2, 2048)")
    let reason = try migrate([
      Self.entity("Item"), Self.entity("Shelf"), Self.entity("Vault", [items], in: "Shelf"),
    ])
    #expect(reason == nil)
    #expect(try numbers("SELECT Z3ITEMS, Z_FOK_3ITEMS FROM ZITEM ORDER BY Z_PK") == [[-1, -1], [2, 2048]])
  }

  // MARK: Own inverses

  private static func person(_ inverse: String?) -> [EntityDescription] {
    [entity("Person", [World.toOne("mate", "Person", inverse: inverse)])]
  }

  @Test("A to-one relationship that becomes its own inverse leads back")
  func ownInverse() throws {
    try make(
      Self.person(nil), "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZMATE) VALUES (1, 1, 1, 2), (2, 1, 1, 1)",
      "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZMATE) VALUES (3, 1, 1, 4), (4, 1, 1, NULL), (5, 1, 1, 5)")
    #expect(try migrate(Self.person("mate")) == nil)
    #expect(try numbers("SELECT Z_PK, ZMATE FROM ZPERSON ORDER BY 1") == [[1, 2], [2, 1], [3, 4], [4, 3], [5, 5]])
  }

  @Test("It is refused where that would give an object several", arguments: ["2, 3, NULL", "2, NULL, 2"])
  func ownInverseOfSeveral(keys: String) throws {
    let rows = keys.split(separator: ", ").enumerated().map { "(\($0.offset + 1), 1, 1, \($0.element))" }
    try make(
      Self.person(nil), "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZMATE) VALUES \(rows.joined(separator: ", "))")
    let before = try numbers("SELECT Z_PK, ZMATE FROM ZPERSON ORDER BY 1")
    #expect(try migrate(Self.person("mate")) == .severalObjects)
    #expect(try numbers("SELECT Z_PK, ZMATE FROM ZPERSON ORDER BY 1") == before)
  }

  @Test("A relationship of two entities' superentity becomes one of each, which are inverses: both directions count")
  func bothDirections() throws {
    try make(
      [
        Self.entity("Node", [World.toOne("peer", "Node", inverse: nil)]), Self.entity("Left", in: "Node"),
        Self.entity("Right", in: "Node"),
      ],
      "INSERT INTO ZNODE (Z_PK, Z_ENT, Z_OPT, ZPEER, Z1_PEER) VALUES (1, 2, 1, 2, 3), (2, 3, 1, NULL, NULL)",
      "INSERT INTO ZNODE (Z_PK, Z_ENT, Z_OPT, ZPEER, Z1_PEER) VALUES (3, 2, 1, NULL, NULL), (4, 3, 1, 3, 2)")
    let reason = try migrate([
      Self.entity("Node"), Self.entity("Left", [World.toOne("peer", "Right", inverse: "peer")], in: "Node"),
      Self.entity("Right", [World.toOne("peer", "Left", inverse: "peer")], in: "Node"),
    ])
    #expect(reason == nil)
    #expect(
      try numbers("SELECT Z_PK, coalesce(ZPEER, ZPEER1) FROM ZNODE ORDER BY 1") == [[1, 2], [2, 1], [3, 4], [4, 3]])
  }

  // MARK: Tables in place

  @Test("Keys that a relationship gains are not taken for those of another, which had its inverse")
  func gainedKeys() throws {
    func shelf(_ inverses: [String: String]) -> EntityDescription {
      Self.entity("Shelf", inverses.sorted { $0.key < $1.key }.map { World.toMany($0.key, "Item", inverse: $0.value) })
    }
    func item(_ inverses: [String: String]) -> EntityDescription {
      Self.entity("Item", inverses.sorted { $0.key < $1.key }.map { World.toOne($0.key, "Shelf", inverse: $0.value) })
    }
    try make(
      [item(["r1": "s1", "r2": "s2"]), shelf(["s1": "r1", "s2": "r2"])],
      "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1)",
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZR1, ZR2) VALUES (1, 1, 1, 1, NULL), (2, 1, 1, NULL, 2)")
    let reason = try migrate([
      item(["r1": "s2", "r2": "s3", "r3": "s1"]), shelf(["s1": "r3", "s2": "r1", "s3": "r2"]),
    ])
    #expect(reason == nil)
    #expect(try numbers("SELECT ZR1, ZR2, ZR3 FROM ZITEM ORDER BY Z_PK") == [[1, -1, 1], [2, 2, -1]])
  }

  @Test("Rows that lose a relationship to a subentity lose its keys, and are not counted")
  func lostKeys() throws {
    let count = PropertyDescription.attribute(
      AttributeDescription(
        name: "size", type: .integer64, isOptional: true, isReadOnly: true,
        derivation: .init(expression: "books.@count")))
    try make(
      [
        Self.entity("Item", [World.toOne("shelf", "Shelf", inverse: "items")]), Self.entity("Book", in: "Item"),
        Self.entity("Shelf", [World.toMany("items", "Item", inverse: "shelf")]),
      ],
      "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1)",
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (1, 1, 1, 1), (2, 2, 1, 1)")
    let reason = try migrate([
      Self.entity("Item"), Self.entity("Book", [World.toOne("shelf", "Shelf", inverse: "books")], in: "Item"),
      Self.entity("Shelf", [World.toMany("books", "Book", inverse: "shelf"), count]),
    ])
    #expect(reason == nil)
    #expect(try numbers("SELECT Z_PK, ZSHELF FROM ZITEM ORDER BY 1") == [[1, -1], [2, 1]])
    #expect(try numbers("SELECT ZSIZE FROM ZSHELF") == [[1]])
  }

  @Test("Rows of an entity that leaves a hierarchy leave its table")
  func leavingEntity() throws {
    try make(
      [Self.entity("Base", [World.attribute("name", .string)]), Self.entity("Leaf", in: "Base")],
      "INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 2, 1)")
    let reason = try migrate([
      Self.entity("Base", [World.attribute("name", .string)]), Self.entity("Leaf", [World.attribute("name", .string)]),
    ])
    #expect(reason == nil)
    #expect(try numbers("SELECT Z_PK FROM ZBASE") == [[1]] && numbers("SELECT Z_PK FROM ZLEAF") == [[2]])
  }
}
