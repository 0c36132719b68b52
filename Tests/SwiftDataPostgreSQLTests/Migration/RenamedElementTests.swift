import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// Elements of a composite attribute with renaming identifiers, which an `.xcdatamodel` may have.
@Suite("Renamed elements of composite attributes in a PostgreSQL store", TestServer.condition)
struct RenamedElementTests {
  private static func model(_ elements: [AttributeDescription]) -> [EntityDescription] {
    [
      EntityDescription(
        name: "Item",
        properties: [
          .attribute(
            AttributeDescription(
              name: "place", type: .composite, isOptional: true, compositeName: "Place", elements: elements))
        ])
    ]
  }

  private static func element(_ name: String, formerly: String? = nil) -> AttributeDescription {
    AttributeDescription(name: name, type: .double, isOptional: true, renamingIdentifier: formerly)
  }

  @Test("Values stay with their elements, and a new element with a former name begins empty")
  func values() throws {
    let point = AttributeDescription(
      name: "point", type: .composite, isOptional: true, compositeName: "Point", elements: [Self.element("x")])
    let spot = AttributeDescription(
      name: "spot", type: .composite, isOptional: true, compositeName: "Point",
      elements: [Self.element("lon", formerly: "x"), Self.element("x")], renamingIdentifier: "point")
    let world = try EngineStore(Self.model([Self.element("a"), Self.element("b"), point]))
    try world.execute("INSERT INTO $item (place_a, place_b, place_point_x) VALUES (1, 2, 3)")
    try world.migrate(to: Self.model([Self.element("a", formerly: "b"), Self.element("b", formerly: "a"), spot]))
    let row = "concat_ws(' ', place_a, place_b, place_spot_lon, coalesce(place_spot_x::text, 'nothing'))"
    #expect(try world.column("SELECT \(row) FROM $item") == ["2 1 3 nothing"])
  }
}
