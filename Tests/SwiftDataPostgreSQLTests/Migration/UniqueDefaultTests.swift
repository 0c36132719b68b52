import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// An attribute that is unique before and after a migration becomes mandatory, and rows without a value get its default value.
@Suite("Default values in a unique column in a migration", TestServer.condition)
struct UniqueDefaultTests {
  private static func entity(isMandatory: Bool) -> [EntityDescription] {
    [
      EntityDescription(
        name: "Sample",
        properties: [
          .attribute(
            AttributeDescription(
              name: "number", type: .integer64, isOptional: !isMandatory,
              defaultValue: isMandatory ? .integer(5) : nil)), .attribute("word", .string),
        ], uniquenessConstraints: [["number"]])
    ]
  }

  private func world(_ rows: String) throws -> EngineStore {
    let world = try EngineStore(Self.entity(isMandatory: false))
    try world.execute("INSERT INTO $sample (number, word) VALUES \(rows)")
    return world
  }

  private func constraints(_ world: EngineStore) throws -> [String] {
    try world.column(
      "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '$sample'::regclass AND contype = 'u'")
  }

  @Test(
    "Rows that would have equal values are counted, and nothing changes",
    arguments: ["(NULL, 'a'), (NULL, 'b'), (1, 'c')", "(NULL, 'a'), (5, 'b')"])
  func duplicates(rows: String) throws {
    let world = try world(rows)
    let before = try world.column("SELECT to_jsonb(s)::text FROM $sample s ORDER BY _id")
    let constraint = try constraints(world)
    let error = #expect(throws: MigrationError.self) { try world.migrate(to: Self.entity(isMandatory: true)) }
    #expect(error?.obstacle.reason == .duplicates(["number"], of: .formerProperty) && error?.rowCount == 1)
    #expect(try world.column("SELECT to_jsonb(s)::text FROM $sample s ORDER BY _id") == before)
    #expect(try constraints(world) == constraint)
  }

  @Test("One row without a value gets the default value, and the column stays unique")
  func one() throws {
    let world = try world("(NULL, 'a'), (1, 'b')")
    let constraint = try constraints(world)
    try world.migrate(to: Self.entity(isMandatory: true))
    #expect(try world.column("SELECT number::text FROM $sample ORDER BY word") == ["5", "1"])
    #expect(try constraints(world) == constraint && constraint.count == 1)
  }
}
