import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// The keys and the order keys that a migration leaves in a PostgreSQL store.
@Suite("Keys of relationships after a migration of a PostgreSQL store", TestServer.condition)
struct MigratedLinksTests {
  private static func relationship(
    _ name: String, _ destination: String, _ inverse: String?, isToMany: Bool = false, isOrdered: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse,
        inverseEntityName: inverse.map { _ in destination }, isOrdered: isOrdered, maximumCount: isToMany ? 0 : 1))
  }

  private static func shelves(_ inverse: (shelf: String?, items: String?)) -> [EntityDescription] {
    [
      EntityDescription(name: "Item", properties: [relationship("shelf", "Shelf", inverse.shelf)]),
      EntityDescription(
        name: "Shelf",
        properties: [relationship("items", "Item", inverse.items, isToMany: true, isOrdered: true)]),
    ]
  }

  @Test("An ordered relationship that gets an inverse keeps the order of links that both sides had")
  func orderOfBothSides() throws {
    let world = try EngineStore(Self.shelves((nil, nil)))
    try world.execute("INSERT INTO $shelf (_id) VALUES (1)")
    try world.execute(
      "INSERT INTO $item (_id, shelf_id, shelf_items_id, shelf_items_id_order) VALUES (1, 1, 1, 4096), (2, 1, 1, 3072), (3, NULL, 1, 2048), (4, 1, NULL, NULL)"
    )
    try world.migrate(to: Self.shelves(("items", "shelf")))
    #expect(try world.column("SELECT _id::text FROM $item ORDER BY shelf_id_order") == ["3", "2", "1", "4"])
  }

  /// Version hashes do not tell a relationship without inverse from one that is its own.
  private static func person(_ version: String, _ inverse: String?, isToMany: Bool = false) -> [EntityDescription] {
    [
      EntityDescription(
        name: "Person",
        properties: [relationship("mate", "Person", inverse, isToMany: isToMany, isOrdered: isToMany)],
        versionHashModifier: version)
    ]
  }

  @Test("A to-one relationship that becomes its own inverse leads back")
  func ownInverse() throws {
    let world = try EngineStore(Self.person("1", nil))
    try world.execute("INSERT INTO $person (_id, mate_id) VALUES (1, 2), (2, 1), (3, 4), (4, NULL), (5, 5)")
    try world.migrate(to: Self.person("2", "mate"))
    #expect(try world.column("SELECT mate_id::text FROM $person ORDER BY _id") == ["2", "1", "4", "3", "5"])
  }

  @Test("It is refused where that would give an object several", arguments: ["(1, 2), (2, 3)", "(1, 2), (3, 2)"])
  func ownInverseOfSeveral(rows: String) throws {
    let world = try EngineStore(Self.person("1", nil))
    let others = rows.contains("(3") ? "(2, NULL)" : "(3, NULL)"
    try world.execute("INSERT INTO $person (_id, mate_id) VALUES \(rows), \(others)")
    let before = try world.column("SELECT mate_id::text FROM $person ORDER BY _id")
    #expect(try world.obstacle(to: Self.person("2", "mate"))?.reason == .severalObjects)
    #expect(try world.column("SELECT mate_id::text FROM $person ORDER BY _id") == before)
  }

  @Test("An ordered relationship that becomes its own inverse keeps its order, and other links follow")
  func orderOfOwnInverse() throws {
    let world = try EngineStore(Self.person("1", nil, isToMany: true))
    try world.execute("INSERT INTO $person (_id) VALUES (1), (2), (3), (4)")
    try world.execute("UPDATE $person SET person_mate_id = 1, person_mate_id_order = 10 - _id WHERE _id IN (2, 3)")
    try world.execute("UPDATE $person SET person_mate_id = 4, person_mate_id_order = 1 WHERE _id = 1")
    try world.migrate(to: Self.person("2", "mate", isToMany: true))
    #expect(
      try world.column(#"SELECT p.mate_id::text FROM $person_mate p WHERE p.person_id = 1 ORDER BY p."order""#)
        == ["3", "2", "4"])
    #expect(try world.column(#"SELECT p.mate_id::text FROM $person_mate p WHERE p."order" IS NULL"#) == [])
  }
}
