import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A to-one relationship that is required before or after a migration, or both.
@Suite("Required to-one relationships in a migration", TestServer.condition)
struct RequiredRelationshipMigrationTests {
  private typealias Rule = RelationshipDescription.DeleteRule

  /// Goals that lead to a team, which has an inverse.
  private static func model(
    isRequired: Bool, _ rule: Rule = .nullify, named goal: String = "Goal", with more: [PropertyDescription] = []
  ) -> [EntityDescription] {
    let team = RelationshipDescription(
      name: "team", destinationEntityName: "Team", inverseName: "goals", inverseEntityName: "Team",
      isOptional: !isRequired)
    let goals = RelationshipDescription(
      name: "goals", destinationEntityName: goal, inverseName: "team", inverseEntityName: goal,
      maximumCount: 0, deleteRule: rule)
    var entity = EntityDescription(
      name: goal, properties: [.attribute("minute", .integer64), .relationship(team)] + more)
    if goal != "Goal" { entity.renamingIdentifier = "Goal" }
    return [
      entity, EntityDescription(name: "Team", properties: [.attribute("name", .string), .relationship(goals)]),
    ]
  }

  private static let teams = "INSERT INTO $team (name) VALUES ('Red'), ('Blue')"
  private static let goals = "INSERT INTO $goal (minute, team_id) VALUES (1, 1), (2, 2)"

  /// The columns that require a value, and the foreign keys.
  private func definitions(_ world: EngineStore, _ table: String = "goal") throws -> [String] {
    try world.column(
      """
      SELECT attname || ' NOT NULL' FROM pg_attribute
      WHERE attrelid = '$\(table)'::regclass AND attnum > 0 AND attnotnull AND attname NOT LIKE '\\_%'
      UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = '$\(table)'::regclass AND contype IN ('f', 'c') ORDER BY 1
      """
    ).map { $0.replacing("\(world.schema).", with: "") }
  }

  private func check(_ world: EngineStore, is new: [EntityDescription], _ table: String = "goal") throws {
    #expect(try definitions(world, table) == definitions(EngineStore(new), table))
    #expect(try world.column("SELECT unnest(pending) FROM $_store") == [])
  }

  @Test("One that becomes required, and optional again, has the definitions of a new store")
  func becomesRequired() throws {
    let world = try EngineStore(Self.model(isRequired: false))
    try world.execute("\(Self.teams); \(Self.goals)")
    for isRequired in [true, false] {
      let model = Self.model(isRequired: isRequired)
      try world.migrate(to: model)
      try check(world, is: model)
    }
    #expect(try world.column("SELECT team_id::text FROM $goal ORDER BY minute") == ["1", "2"])
  }

  @Test("It becomes required, and an object has none: refused with the number, and nothing changes")
  func missing() throws {
    let world = try EngineStore(Self.model(isRequired: false))
    try world.execute("\(Self.teams); INSERT INTO $goal (minute, team_id) VALUES (1, 1), (2, NULL)")
    let before = try definitions(world)
    let error = #expect(throws: MigrationError.self) { try world.migrate(to: Self.model(isRequired: true)) }
    #expect(
      error?.obstacle
        == MigrationObstacle(entity: "Goal", property: "team", reason: .missingObject(of: .formerProperty)))
    #expect(error?.rowCount == 1)
    #expect(try definitions(world) == before)
  }

  @Test("Keys that lead nowhere, which the former delete rule allowed, are in the way of a required relationship")
  func dangling() throws {
    let world = try EngineStore(Self.model(isRequired: true, .noAction))
    try world.execute("\(Self.teams); \(Self.goals); DELETE FROM $team WHERE _id = 2")
    let error = #expect(throws: MigrationError.self) { try world.migrate(to: Self.model(isRequired: true)) }
    #expect(
      error?.obstacle
        == MigrationObstacle(entity: "Goal", property: "team", reason: .missingObject(of: .formerProperty)))
    try world.execute("DELETE FROM $goal WHERE minute = 2")
    try world.migrate(to: Self.model(isRequired: true))
    try check(world, is: Self.model(isRequired: true))
  }

  /// The definitions that an earlier version of this package made.
  private func makeOlder(_ world: EngineStore) throws {
    try world.execute(
      """
      ALTER TABLE $goal ALTER COLUMN team_id DROP NOT NULL, DROP CONSTRAINT goal_team_id_fkey,
      ADD CONSTRAINT goal_team_id_fkey FOREIGN KEY (team_id) REFERENCES $team ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
      """)
  }

  @Test("A store of an earlier version keeps its foreign key without a requirement, or gets both")
  func earlierVersion() throws {
    let world = try EngineStore(Self.model(isRequired: true))
    try world.execute("\(Self.teams); \(Self.goals)")
    try makeOlder(world)
    let before = try definitions(world)
    let more = Self.model(isRequired: true, with: [.attribute("note", .string)])
    try world.migrate(to: more)
    #expect(try definitions(world) == before)
    // The goal and its team go in one save.
    let store = try world.reopened(more)
    var changes = ChangeSet()
    for name in ["Team", "Goal"] {
      let entity = try #require(store.entities.entity(named: name))
      changes.deletions.append(ChangeSet.Deletion(object: ObjectKey(entity: entity.number, key: 1), version: nil))
    }
    _ = try store.save(changes)
    #expect(try world.column("SELECT minute::text FROM $goal") == ["2"])
    // Another table with the rows has the requirement and the foreign key of a new store.
    let cascading = Self.model(isRequired: true, .cascade)
    try world.migrate(to: cascading)
    try world.migrate(to: Self.model(isRequired: false))
    try world.migrate(to: Self.model(isRequired: true))
    try check(world, is: Self.model(isRequired: true))
  }

  @Test("A stage with both sides reads an object without its required one, which an earlier version allowed")
  func bothSides() throws {
    let world = try EngineStore(Self.model(isRequired: true))
    try makeOlder(world)
    try world.execute("\(Self.teams); INSERT INTO $goal (minute, team_id) VALUES (1, 1), (2, NULL)")
    let next = Self.model(isRequired: false)
    var step = MigrationStep(ModelDescription(entities: next))
    var keys: [StoreValue] = []
    step.codeBeside = { old, _ in
      var request = FetchRequest(entityName: "Goal")
      request.columns = [ColumnSelection(entityName: "Goal", propertyName: "team")]
      let rows = try old.fetch(request)
      while try rows.next() { keys.append(rows.value(0)) }
    }
    let migrator = try ServerMigrator(try #require(TestServer.shared).address, options: world.options)
    try #expect(migrator.migrate({ _ in [step] }, progress: { _ in }))
    #expect(keys == [.integer(1), .null])
    try check(world, is: next)
  }

  @Test("A row that requires a duplicate of itself leads to itself after the merge")
  func mergedIntoItself() throws {
    func model(isUnique: Bool) -> [EntityDescription] {
      let boss = RelationshipDescription(name: "boss", destinationEntityName: "Person", isOptional: false)
      var person = EntityDescription(
        name: "Person", properties: [.attribute("name", .string), .relationship(boss)])
      if isUnique { person.uniquenessConstraints = [["name"]] }
      return [person]
    }
    let world = try EngineStore(model(isUnique: false))
    // Other programs may have given a row a negative key.
    try world.execute("INSERT INTO $person (_id, name, boss_id) VALUES (-1, 'Ann', 2), (2, 'Ann', 2), (3, 'Ben', 2)")
    var options = world.options
    options.duplicates = .keep
    try ServerMigrator(try #require(TestServer.shared).address, options: options)
      .migrate(to: ModelDescription(entities: model(isUnique: true)))
    #expect(try world.column("SELECT name || boss_id FROM $person ORDER BY _id") == ["Ann-1", "Ben-1"])
  }

  @Test("The requirement stays when the entity gets another name")
  func renamed() throws {
    let world = try EngineStore(Self.model(isRequired: true))
    try world.execute("\(Self.teams); \(Self.goals)")
    let renamed = Self.model(isRequired: true, named: "Score")
    try world.migrate(to: renamed)
    try check(world, is: renamed, "score")
    #expect(try world.column("SELECT team_id::text FROM $score ORDER BY minute") == ["1", "2"])
  }

  @Test("The requirement follows a subclass's relationship to the superclass, and back")
  func moved() throws {
    func model(isBelow: Bool) -> [EntityDescription] {
      let team = PropertyDescription.relationship(
        RelationshipDescription(name: "team", destinationEntityName: "Team", isOptional: false))
      return [
        EntityDescription(name: "Event", isAbstract: true, properties: isBelow ? [] : [team]),
        EntityDescription(
          name: "Goal", superentityName: "Event",
          properties: [.attribute("minute", .integer64)] + (isBelow ? [team] : [])),
        EntityDescription(
          name: "Save", superentityName: "Event",
          properties: [.attribute("second", .integer64)] + (isBelow ? [team] : [])),
        EntityDescription(name: "Team", properties: [.attribute("name", .string)]),
      ]
    }
    let world = try EngineStore(model(isBelow: false))
    try world.execute(
      "\(Self.teams); INSERT INTO $event (_kind, minute, second, team_id) VALUES ('Goal', 1, NULL, 1), ('Save', NULL, 2, 2)"
    )
    try world.migrate(to: model(isBelow: true))
    try check(world, is: model(isBelow: true), "event")
    try world.migrate(to: model(isBelow: false))
    try check(world, is: model(isBelow: false), "event")
    #expect(try world.column("SELECT team_id::text FROM $event ORDER BY _id") == ["1", "2"])
  }
}
