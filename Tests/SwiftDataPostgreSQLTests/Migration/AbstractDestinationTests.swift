import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A to-one relationship led to an abstract entity without subentities, which has no objects.
@Suite("A relationship to an abstract entity without subentities in a migration", TestServer.condition)
struct AbstractDestinationTests {
  private static func entities(_ destination: String?, hasSubentity: Bool = false) -> [EntityDescription] {
    [
      EntityDescription(name: "Author", properties: [.attribute("number", .integer64)]),
      EntityDescription(
        name: "Book",
        properties: [.attribute("number", .integer64)]
          + (destination.map { [.relationship(.init(name: "owner", destinationEntityName: $0))] } ?? [])),
      EntityDescription(name: "Ghost", isAbstract: true),
    ] + (hasSubentity ? [EntityDescription(name: "Spirit", superentityName: "Ghost")] : [])
  }

  @Test(
    "It is added, removed, led elsewhere, or its destination gets a subentity: nothing is in the way",
    arguments: [
      (nil, "Ghost", false), ("Ghost", nil, false), ("Ghost", "Author", false), ("Ghost", "Ghost", true),
    ] as [(String?, String?, Bool)])
  func migrated(before: String?, after: String?, hasSubentity: Bool) throws {
    let world = try EngineStore(Self.entities(before))
    try world.insert("Book", [["number": .integer(7)]])
    #expect(try world.obstacle(to: Self.entities(after, hasSubentity: hasSubentity)) == nil)
    #expect(try world.column("SELECT number::text FROM $book") == ["7"])
    if after != nil { #expect(try world.column("SELECT owner_id::text FROM $book") == ["NULL"]) }
  }
}
