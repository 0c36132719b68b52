import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A required to-one relationship is a column that requires a value, so that no program leaves an object without one.
@Suite("Required to-one relationships in PostgreSQL", TestServer.condition)
struct RequiredRelationshipTests {
  @Model final class Team {
    var name: String
    @Relationship(inverse: \Player.team) var players: [Player] = []
    var captain: Captain?
    init(_ name: String) { self.name = name }
  }

  @Model class Player {
    var name: String
    var team: Team?
    init(_ name: String) { self.name = name }
  }

  /// Has a column that the rows of other players leave empty.
  @Model final class Keeper: Player {
    var gloves: Gloves
    init(_ name: String, _ gloves: Gloves) {
      self.gloves = gloves
      super.init(name)
    }
  }

  @Model final class Gloves {
    var size: Int
    init(_ size: Int) { self.size = size }
  }

  @Model final class Captain {
    var name: String
    @Relationship(inverse: \Team.captain) var team: Team
    init(_ name: String, _ team: Team) {
      self.name = name
      self.team = team
    }
  }

  @Model final class Goal {
    var minute: Int
    var team: Team
    init(_ minute: Int, _ team: Team) {
      self.minute = minute
      self.team = team
    }
  }

  let store: TravelStore
  let container: ModelContainer

  init() throws {
    store = try TravelStore()
    container = try ModelContainer(
      for: Team.self, Player.self, Keeper.self, Gloves.self, Captain.self, Goal.self,
      configurations: store.configuration())
  }

  private var context: ModelContext { ModelContext(container) }

  private func run(_ sql: String) throws {
    try store.server.connect().execute(sql.replacing("$", with: "\(store.schema)."))
  }

  @Test("The columns require a value, for the rows of a subclass by a check, and no foreign key clears them")
  func definitions() throws {
    #expect(
      try store.column(
        """
        SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = '\(store.schema)'::regnamespace AND c.relkind = 'r' AND a.attname LIKE '%\\_id' AND a.attname <> '_id'
          AND a.attnotnull AND c.relname NOT LIKE '\\_%' ORDER BY 1
        """) == ["captain.team_id", "goal.team_id"])
    #expect(
      try store.column(
        """
        SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '\(store.schema).player'::regclass
          AND conname = 'player_gloves_id_check'
        """) == ["CHECK (((gloves_id IS NOT NULL) OR (_kind <> 'Keeper'::text)))"])
    #expect(
      try store.column(
        """
        SELECT conname::text FROM pg_constraint WHERE connamespace = '\(store.schema)'::regnamespace AND contype = 'f'
          AND confdeltype = 'n' ORDER BY 1
        """) == ["player_team_id_fkey", "team_captain_id_fkey"])
  }

  @Test("Objects go with the objects that they require, in one save")
  func deletedTogether() throws {
    let first = context
    let team = Team("Red")
    first.insert(team)
    first.insert(Captain("Ann", team))
    for minute in 1...3 { first.insert(Goal(minute, team)) }
    first.insert(Keeper("Kim", Gloves(9)))
    try first.save()
    let second = context
    for team in try second.fetch(FetchDescriptor<Team>()) { second.delete(team) }
    for captain in try second.fetch(FetchDescriptor<Captain>()) { second.delete(captain) }
    for goal in try second.fetch(FetchDescriptor<Goal>()) { second.delete(goal) }
    for gloves in try second.fetch(FetchDescriptor<Gloves>()) { second.delete(gloves) }
    for player in try second.fetch(FetchDescriptor<Player>()) { second.delete(player) }
    try second.save()
    #expect(try store.column("SELECT count(*)::text FROM \(store.schema).goal") == ["0"])
  }

  @Test("A captain takes the place of a deleted one, and captains exchange their teams")
  func exchanged() throws {
    let first = context
    let teams = ["Red", "Blue"].map { Team($0) }
    let captains = zip(["Ann", "Bea"], teams).map { Captain($0, $1) }
    for model in teams { first.insert(model) }
    for model in captains { first.insert(model) }
    try first.save()
    (captains[0].team, captains[1].team) = (teams[1], teams[0])
    try first.save()
    first.delete(captains[0])
    first.insert(Captain("Cleo", teams[1]))
    try first.save()
    let found = try context.fetch(FetchDescriptor<Captain>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { "\($0.name) \($0.team.name)" } == ["Bea Red", "Cleo Blue"])
    #expect(found.map { $0.team.captain?.name } == ["Bea", "Cleo"])
  }

  @Test("A deletion that leaves another program's row without its object is refused, with entity and property")
  func otherProgram() throws {
    let first = context
    let team = Team("Red")
    first.insert(team)
    try first.save()
    // The context knows of no captain, and nobody tells it.
    #expect(team.captain == nil)
    try run("INSERT INTO $captain (name, team_id) SELECT 'Zoe', _id FROM $team")
    first.delete(team)
    let error = #expect(throws: SwiftDataError.self) { try first.save() }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("“team”") && message.contains("“Captain”"), "\(message)")
    #expect(
      try store.column("SELECT t.name FROM \(store.schema).captain c JOIN \(store.schema).team t ON t._id = c.team_id")
        == ["Red"])
  }

  @Test("Another program cannot clear a required relationship")
  func cleared() throws {
    let first = context
    first.insert(Goal(1, Team("Red")))
    first.insert(Keeper("Kim", Gloves(9)))
    first.insert(Player("Pat"))
    try first.save()
    for (sql, state) in [
      ("UPDATE $goal SET team_id = NULL", .notNullViolation), ("UPDATE $player SET gloves_id = NULL", .checkViolation),
      ("DELETE FROM $team", .foreignKeyViolation),
    ] as [(String, SQLState)] {
      let error = #expect(throws: PostgreSQLError.self, "\(sql)") { try run(sql) }
      #expect(error?.state == state, "\(sql)")
    }
    #expect(try context.fetch(FetchDescriptor<Goal>()).map(\.team.name) == ["Red"])
  }
}
