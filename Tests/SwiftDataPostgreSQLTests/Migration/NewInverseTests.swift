import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Two relationships without inverse that become each other's inverse.
@Suite("Relationships that become inverses in a migration", TestServer.condition)
struct NewInverseTests {
  /// A person's relationships lead to the superclass, so that none of them is an inverse.
  enum Apart: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Group.self, Team.self, Person.self] }

    @Model class Group {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Team: Group {
      var leader: Person?
      var members: [Person] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      var name: String
      var team: Group?
      var led: Group?
      init(_ name: String) { self.name = name }
    }
  }

  enum Joined: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Group.self, Team.self, Person.self] }

    @Model class Group {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Team: Group {
      @Relationship(inverse: \Person.led) var leader: Person?
      @Relationship(inverse: \Person.team) var members: [Person] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      var name: String
      var team: Team?
      var led: Team?
      init(_ name: String) { self.name = name }
    }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func open(_ version: any VersionedSchema.Type, inFile: Bool) throws -> ModelContext {
    ModelContext(try inFile ? store.openFile(version) : store.open(version))
  }

  private func fill(inFile: Bool, _ change: ([Apart.Team], [Apart.Person]) -> Void) throws {
    let context = try open(Apart.self, inFile: inFile)
    let teams = ["one", "two"].map { Apart.Team($0) }
    let people = ["a", "b", "c", "d"].map { Apart.Person($0) }
    for model in teams { context.insert(model) }
    for model in people { context.insert(model) }
    change(teams, people)
    try context.save()
  }

  @Test("The links of both stay, from both sides", arguments: [false, true])
  func both(inFile: Bool) throws {
    try fill(inFile: inFile) { teams, people in
      teams[0].members = [people[0], people[1]]
      // One link that both sides have, and one that only the other side has.
      people[1].team = teams[0]
      people[2].team = teams[1]
      teams[0].leader = people[3]
      people[0].led = teams[1]
    }
    let context = try open(Joined.self, inFile: inFile)
    let people = try context.fetch(FetchDescriptor<Joined.Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(people.map { $0.team?.name } == ["one", "one", "two", nil])
    #expect(people.map { $0.led?.name } == ["two", nil, nil, "one"])
    let teams = try context.fetch(FetchDescriptor<Joined.Team>(sortBy: [SortDescriptor(\.name)]))
    #expect(teams.map { $0.members.map(\.name).sorted() } == [["a", "b"], ["c"]])
    #expect(teams.map { $0.leader?.name } == ["d", "a"])
  }

  @Test("Sides that disagree are refused with the number, and nothing changes", arguments: [false, true])
  func disagreement(inFile: Bool) throws {
    try fill(inFile: inFile) { teams, people in
      teams[0].members = [people[0]]
      people[0].team = teams[1]
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open(Joined.self, inFile: inFile) }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("team") && message.contains("1 row"), "\(message)")
    let person = try #require(
      try open(Apart.self, inFile: inFile).fetch(
        FetchDescriptor<Apart.Person>(predicate: #Predicate { $0.name == "a" })
      ).first)
    #expect(person.team?.name == "two")
  }

  @Test("Two objects that led to one cannot both keep it one-to-one", arguments: [false, true])
  func severalOwners(inFile: Bool) throws {
    try fill(inFile: inFile) { teams, people in
      for team in teams { team.leader = people[0] }
    }
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { _ = try open(Joined.self, inFile: inFile) }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("led") && message.contains("1 row"), "\(message)")
  }
}
