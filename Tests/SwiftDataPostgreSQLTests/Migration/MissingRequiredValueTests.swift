import ErrorReporting
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import Testing

@testable import PostgreSQLStore

/// Rows without a value that their model requires, as an earlier version, a lenient copy or an administrator left them.
@Suite("Rows without a required value in a migration", TestServer.condition)
struct MissingRequiredValueTests {
  /// Items and crates in one table, or in two.
  private static func model(isDivided: Bool, default value: String? = nil) -> [EntityDescription] {
    let size = PropertyDescription.attribute(
      AttributeDescription(
        name: "size", type: .string, isOptional: false, defaultValue: value.map { .string($0) }))
    let weight = PropertyDescription.attribute("weight", .integer64, isOptional: false)
    return [
      EntityDescription(name: "Item", properties: [size]),
      EntityDescription(
        name: "Crate", superentityName: isDivided ? nil : "Item", properties: isDivided ? [size, weight] : [weight]),
    ]
  }

  private func world(withoutValue column: String) throws -> EngineStore {
    let world = try EngineStore(Self.model(isDivided: false))
    try world.execute(
      """
      INSERT INTO $item (_kind, size, weight) VALUES ('Item', 'small', NULL), ('Item', 'large', NULL), ('Crate', 'huge', 3), ('Crate', 'tiny', 4);
      ALTER TABLE $item ALTER COLUMN size DROP NOT NULL, DROP CONSTRAINT item_weight_check;
      UPDATE $item SET \(column) = NULL WHERE _id IN (3, 4)
      """)
    return world
  }

  @Test(
    "Rows that come into another table are counted before, and refused by entity and property",
    arguments: ["size", "weight"])
  func refused(column: String) throws {
    let world = try world(withoutValue: column)
    let error = #expect(throws: MigrationError.self) { try world.migrate(to: Self.model(isDivided: true)) }
    #expect(
      error?.obstacle
        == MigrationObstacle(entity: "Crate", property: column, reason: .missingValue(of: .formerProperty)))
    #expect(error?.rowCount == 2)
    #expect(try world.column("SELECT count(*)::text FROM $item") == ["4"])
    try world.execute("UPDATE $item SET size = coalesce(size, 'x'), weight = coalesce(weight, 9) WHERE _kind = 'Crate'")
    try world.migrate(to: Self.model(isDivided: true))
    #expect(try world.column("SELECT count(*)::text FROM $crate") == ["2"])
  }

  @Test("They get the default value, if the model has one")
  func filled() throws {
    let world = try world(withoutValue: "size")
    try world.migrate(to: Self.model(isDivided: true, default: "medium"))
    #expect(try world.column("SELECT size FROM $crate ORDER BY _id") == ["medium", "medium"])
    #expect(try world.column("SELECT size FROM $item ORDER BY _id") == ["small", "large"])
  }

  @Test("A check for more entities than before counts them, and does not leave a definition that no row satisfies")
  func widened() throws {
    var model = Self.model(isDivided: false)
    let world = try world(withoutValue: "weight")
    model.append(
      EntityDescription(name: "Pallet", superentityName: "Crate", properties: [.attribute("load", .integer64)]))
    #expect(
      try world.obstacle(to: model)
        == MigrationObstacle(entity: "Crate", property: "weight", reason: .missingValue(of: .formerProperty)))
    try world.execute("UPDATE $item SET weight = 1 WHERE _kind = 'Crate'")
    try world.migrate(to: model)
    #expect(try world.column("SELECT unnest(pending) FROM $_store") == [])
  }

  @Test("Where the server itself requires the value, the rows are not counted")
  func trusted() throws {
    let world = try EngineStore(Self.model(isDivided: false))
    let migrator = try ServerMigrator(try #require(TestServer.shared).address, options: world.options)
    let plan = try #require(
      try migrator.plan(to: ModelDescription(entities: Self.model(isDivided: true)), keepsOtherEntities: false))
    #expect(!plan.steps.contains { if case .check = $0 { true } else { false } }, "\(plan.steps)")
  }

  @Test("A definition that rows violate is told with the entity, the property, their number and the way out")
  func pending() throws {
    let world = try world(withoutValue: "weight")
    try world.execute(
      "ALTER TABLE $item ADD CONSTRAINT item_weight_check CHECK (weight IS NOT NULL OR _kind <> 'Crate') NOT VALID")
    let error = try #require(throws: PostgreSQLError.self) {
      try world.execute("ALTER TABLE $item VALIDATE CONSTRAINT item_weight_check")
    }
    let layout = try LayoutBuilder.layout(
      ModelDescription(entities: Self.model(isDivided: false)), schema: world.schema, rule: .snakeCase)
    let unmet = try #require(UnmetDefinition("item_weight_check", of: layout, after: error, over: world.connect()))
    #expect(
      unmet.problem.hasSuffix(
        "2 rows of entity “Crate” have no value of property “weight”, which the model requires, so “item_weight_check” is not in force for all rows"
      ), "\(unmet.problem)")
    let remedy = try #require(unmet.remedy)
    #expect(
      remedy.hasPrefix("give \"weight\" a value in these rows, or make the property optional; SELECT t.\"_id\" FROM "),
      "\(remedy)")
    // The statement of the remedy runs as it stands there.
    let statement = try #require(remedy.split(separator: "; ").last?.split(separator: " names the rows").first)
    #expect(try world.connect().run(String(statement)).rowCount == 2)
  }

  @Test("A foreign key that rows violate is told in the same way")
  func pendingKey() throws {
    let model = [
      EntityDescription(
        name: "Goal",
        properties: [
          .relationship(RelationshipDescription(name: "team", destinationEntityName: "Team", isOptional: true))
        ]),
      EntityDescription(name: "Team", properties: [.attribute("name", .string)]),
    ]
    let world = try EngineStore(model)
    try world.execute("ALTER TABLE $goal DROP CONSTRAINT goal_team_id_fkey; INSERT INTO $goal (team_id) VALUES (9)")
    let layout = try LayoutBuilder.layout(ModelDescription(entities: model), schema: world.schema, rule: .snakeCase)
    let error = PostgreSQLError(state: .foreignKeyViolation, message: "", database: "")
    let unmet = try #require(UnmetDefinition("goal_team_id_fkey", of: layout, after: error, over: world.connect()))
    #expect(unmet.problem.contains("1 row of entity “Goal” leads by property “team” to an object that has no row"))
    #expect(UnmetDefinition("another", of: layout, after: error, over: try world.connect()) == nil)
    let lock = PostgreSQLError(state: .lockNotAvailable, message: "", database: "")
    #expect(UnmetDefinition("goal_team_id_fkey", of: layout, after: lock, over: try world.connect()) == nil)
  }
}
