import Foundation
import ManagedModel
import SQLite
import StoreRequests
import SwiftData
import TestSupport

@testable import CoreDataStore
@testable import SwiftData

/// People with difficult values for predicates: nil everywhere, odd strings and numbers, subclasses.
enum PredicateWorld {
  enum Mood: String, Codable, CaseIterable { case calm, angry, sad }
  enum Level: Int, Codable, CaseIterable { case low = -1, middle = 5, high = 10 }
  enum Kind: Codable, CaseIterable { case plain, fancy, odd }
  struct Address: Codable, Equatable, Hashable {
    var street: String
    var zip: Int
    var country: String?
  }

  @Model class Person {
    var number: Int = 0
    var name: String = ""
    var nick: String?
    var age: Int = 0
    var score: Double = 0
    var ratio: Double?
    var rating: Float = 0
    var isActive: Bool = false
    var flag: Bool?
    var born: Date = Date(timeIntervalSinceReferenceDate: 0)
    var died: Date?
    var token: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var ref: UUID?
    var site: URL?
    var price: Decimal = 0
    var blob: Data?
    var mood: Mood = PredicateWorld.Mood.calm
    var level: Level?
    var kind: Kind = PredicateWorld.Kind.plain
    var home: Address = PredicateWorld.Address(street: "", zip: 0, country: nil)
    var tags: [String] = []
    var boss: Person?
    @Relationship(inverse: \Person.boss) var reports: [Person] = []
    var team: Team?
    /// Leads to a subentity, whose table has rows of entities to which it must not lead.
    var mentor: Employee?
    @Relationship(inverse: \Club.members) var clubs: [Club] = []

    init(number: Int) { self.number = number }

    var shoutedName: String { name + "!" }
  }

  @Model final class Employee: Person {
    var salary: Int?
    var title: String = ""
    @Relationship(inverse: \Person.mentor) var mentees: [Person] = []
    @Relationship(inverse: \Club.staff) var workplaces: [Club] = []

    override init(number: Int) { super.init(number: number) }
  }

  @Model final class Team {
    var name: String = ""
    var rank: Int?
    @Relationship(inverse: \Person.team) var members: [Person] = []

    init(name: String) { self.name = name }
  }

  @Model final class Club {
    var name: String = ""
    var fee: Double?
    var members: [Person] = []
    var staff: [Employee] = []

    init(name: String) { self.name = name }
  }

  static let names = [
    "", "a", "A", "ab", "\u{C9}mile", "E\u{301}mile", "emile", "stra\u{DF}e", "STRASSE", "\u{130}stanbul", "istanbul",
    "10", "9", "z", "\u{1F1E7}\u{1F1EC}", "na\u{EF}ve", "naive", "%", "_", "'\"\\", "Zo\u{EB}", "b\u{0}c",
    // Equal texts in other normal forms, marks in either order, lookalike characters, and their neighbours.
    "nai\u{308}ve", "q\u{307}\u{323}", "q\u{323}\u{307}", "q\u{307}", "\u{1E69}", "s\u{307}\u{323}", "\u{1E61}\u{323}",
    "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "\u{D558}\u{11AB}", "\u{D558}", "K", "\u{212A}", ";", "\u{37E}", "f",
    "\u{C5}", "A\u{30A}", "\u{212B}", "Az", "E\u{341}mile", "\u{1F468}\u{200D}\u{1F680}", "\u{1F468}", "\u{301}", "e",
    "\u{F900}", "\u{8C48}", "\u{8C49}", "e\u{301}", "e\u{301}\u{308}", "e\u{308}\u{301}",
  ]
  static let scores: [Double] = [0, 0.25, 1.5, -2.25, .infinity, -.infinity, 1e300, 0.1, -7]
  static let ages = [0, 1, -1, 7, 42, -40, 100, 3]
}

/// A store with the people of ``PredicateWorld``, and the same people in memory.
struct PredicateStore {
  let temporary: TemporaryStore
  let store: OpenStore
  let resolver: StoreResolver
  let persistent: PersistentStore
  let people: [PredicateWorld.Person]
  let clubs: [PredicateWorld.Club]
  /// Row keys by number.
  let keys: [ObjectKey]

  init() throws {
    let temporary = try TemporaryStore()
    let schema = Schema([
      PredicateWorld.Person.self, PredicateWorld.Employee.self, PredicateWorld.Team.self, PredicateWorld.Club.self,
    ])
    let persistent = try PersistentStore.open(at: temporary.url, model: schema.lowered())
    let classes: [String: any PersistentModel.Type] = [
      "Person": PredicateWorld.Person.self, "Employee": PredicateWorld.Employee.self,
      "Team": PredicateWorld.Team.self, "Club": PredicateWorld.Club.self,
    ]
    store = try OpenStore(
      index: 0, configuration: ModelConfiguration(url: temporary.url), engine: persistent, classes: classes,
      firstTable: 0)
    resolver = StoreResolver(store: store)
    self.persistent = persistent
    self.temporary = temporary

    let teams = (0..<4).map { index in
      let team = PredicateWorld.Team(name: ["Red", "", "Gr\u{FC}n", "Blue"][index])
      team.rank = [1, nil, -3, 0][index]
      return team
    }
    let clubs = (0..<5).map { index in
      let club = PredicateWorld.Club(name: ["Chess", "chess", "Judo", "", "Empty"][index])
      club.fee = [nil, 0, -1.5, 10, 3][index]
      return club
    }
    let people = (0..<60).map(Self.person)
    var members = [[Int]](repeating: [], count: clubs.count)
    for (number, person) in people.enumerated() {
      if number % 3 != 0 { person.boss = people[(number * 7) % 11] }
      if number % 4 != 1 { person.team = teams[number % 3] }
      if number % 5 != 0 { person.mentor = people[(number * 8) % 24] as? PredicateWorld.Employee }
      for club in 0..<4 where (number + club) % (club + 3) == 0 {
        members[club].append(number)
      }
    }
    for case let employee as PredicateWorld.Employee in people {
      employee.mentees = people.filter { $0.mentor === employee }
      employee.workplaces = clubs.indices.filter { employee.number % ($0 + 2) == 0 }.map { clubs[$0] }
    }
    let staff = clubs.map { club in
      people.compactMap { $0 as? PredicateWorld.Employee }.filter { $0.workplaces.contains { $0 === club } }
    }
    for (club, employees) in zip(clubs, staff) { club.staff = employees }
    for (index, club) in clubs.enumerated() { club.members = members[index].map { people[$0] } }
    for (number, person) in people.enumerated() {
      person.reports = people.filter { $0.boss === person }
      person.clubs = clubs.indices.filter { members[$0].contains(number) }.map { clubs[$0] }
    }
    for team in teams { team.members = people.filter { $0.team === team } }
    self.people = people
    self.clubs = clubs

    // Writes the rows by hand, so that an error of the layers above cannot hide an error of the predicates.
    var changes = ChangeSet()
    let rows = people.map { StoreValuesRow(Self.contents($0)) }
    let teamRows = teams.map {
      StoreValuesRow(["name": .values([.text($0.name)]), "rank": .values([integer($0.rank)])])
    }
    let clubRows = clubs.map { StoreValuesRow(["name": .values([.text($0.name)]), "fee": .values([real($0.fee)])]) }
    for (number, person) in people.enumerated() {
      if let boss = person.boss { rows[number].contents["boss"] = .row(rows[boss.number]) }
      if let mentor = person.mentor { rows[number].contents["mentor"] = .row(rows[mentor.number]) }
      if let index = teams.firstIndex(where: { $0 === person.team }) {
        rows[number].contents["team"] = .row(teamRows[index])
      }
    }
    func insert(_ name: String, _ row: StoreValuesRow) throws {
      guard let number = store.number(of: name) else { throw QueryError.unknownEntity(name: name, nearest: nil) }
      let columns = row.contents.keys.sorted().map { ColumnSelection(entityName: name, propertyName: $0) }
      changes.insertions.append(ChangeSet.Insertion(entity: number, columns: columns, source: row))
    }
    let store = self.store
    for row in clubRows { try insert("Club", row) }
    for (person, row) in zip(people, rows) where person is PredicateWorld.Employee { try insert("Employee", row) }
    for (person, row) in zip(people, rows) where !(person is PredicateWorld.Employee) { try insert("Person", row) }
    for row in teamRows { try insert("Team", row) }
    let order = changes.insertions.map { ObjectIdentifier($0.source) }
    func reference(_ row: StoreValuesRow) -> ChangeSet.Reference {
      .inserted(order.firstIndex(of: ObjectIdentifier(row)) ?? -1)
    }
    for (index, row) in clubRows.enumerated() where !members[index].isEmpty {
      changes.relationshipChanges.append(
        ChangeSet.RelationshipChange(
          owner: reference(row), relationship: "members", added: members[index].map { reference(rows[$0]) }))
    }
    for (index, row) in clubRows.enumerated() where !staff[index].isEmpty {
      changes.relationshipChanges.append(
        ChangeSet.RelationshipChange(
          owner: reference(row), relationship: "staff", added: staff[index].map { reference(rows[$0.number]) }))
    }
    _ = store
    _ = try persistent.save(changes)
    keys = try rows.map { row in
      guard let key = row.object else { throw QueryError.unknownEntity(name: "Person", nearest: nil) }
      return key
    }
    try makeKeysDangle(clubs: clubRows.compactMap { $0.object?.key })
  }

  /// A key that no row has.
  static let missingKey: Int64 = 9999

  /// Replaces nil keys by keys of missing rows, or of rows of a wrong entity; both read as nil.
  ///
  /// Adds rows of join tables that lead to or from such rows.
  private func makeKeysDangle(clubs: [Int64]) throws {
    let layout = persistent.layout
    let person = try layout.existingEntity("Person")
    let (boss, team) = try (layout.toOne("boss", of: person), layout.toOne("team", of: person))
    let mentor = try layout.toOne("mentor", of: person)
    let nobody = Self.missingKey
    // A person who is not an employee.
    let stranger = keys[5]
    try persistent.write { connection in
      for (number, key) in keys.enumerated() {
        func point(_ relationship: ToOneLayout, to row: Int64) throws {
          let kind = relationship.entityColumn.map { ", \($0) = \(relationship.destinationNumber)" } ?? ""
          try connection.execute(
            "UPDATE \(person.table) SET \(relationship.key) = \(row)\(kind) WHERE Z_PK = \(key.key)")
        }
        if people[number].boss == nil, number % 2 == 0 { try point(boss, to: nobody - Int64(number % 4)) }
        if people[number].team == nil, number % 8 == 1 { try point(team, to: nobody) }
        if people[number].mentor == nil { try point(mentor, to: number % 3 == 0 ? stranger.key : nobody) }
      }
      for (entity, name, strays) in [
        ("Club", "members", [nobody, nobody - 1]), ("Club", "staff", [nobody, stranger.key, keys[7].key]),
      ] {
        guard
          case .joinTable(let side) = try layout.toMany(name, of: layout.existingEntity(entity)).storage
        else { continue }
        let pairs = clubs.flatMap { club in strays.map { (club, $0) } } + keys.prefix(9).map { (nobody, $0.key) }
        for (own, other) in pairs {
          try connection.execute(
            "INSERT OR IGNORE INTO \(side.table) (\(side.ownColumn), \(side.otherColumn)) VALUES (\(own), \(other))")
        }
      }
    }
  }

  /// The numbers of the people that the store selects for a plan, in its order.
  func numbers<Model>(_ plan: FetchPlan<Model>) throws -> [Int] {
    let numberByKey = Dictionary(zip(keys.map(\.key), keys.indices)) { first, _ in first }
    return try persistent.keys(plan.request).compactMap { numberByKey[$0.key] }
  }

  private static func person(_ number: Int) -> PredicateWorld.Person {
    let world = PredicateWorld.self
    let person: PredicateWorld.Person
    if number % 4 == 0 {
      let employee = PredicateWorld.Employee(number: number)
      employee.salary = number % 8 == 0 ? nil : number * 100 - 1200
      employee.title = world.names[(number + 3) % world.names.count]
      person = employee
    } else {
      person = PredicateWorld.Person(number: number)
    }
    person.name = world.names[number % world.names.count]
    person.nick = number % 3 == 0 ? nil : world.names[(number * 5) % world.names.count]
    person.age = world.ages[number % world.ages.count]
    person.score = world.scores[number % world.scores.count]
    person.ratio = number % 2 == 0 ? nil : world.scores[(number * 2) % world.scores.count]
    person.rating = Float(number % 5) * 0.3
    person.isActive = number % 5 < 2
    person.flag = [nil, true, false][number % 3]
    person.born = Date(timeIntervalSinceReferenceDate: Double(number % 13) * 86_400.5 - 300_000)
    person.died = number % 7 == 0 ? Date(timeIntervalSinceReferenceDate: Double(number)) : nil
    person.token = uuid(number % 9)
    person.ref = number % 2 == 0 ? uuid(number % 4) : nil
    person.site = number % 6 == 0 ? URL(string: "https://example.org/\(number % 4)") : nil
    person.price = Decimal(string: ["0", "-1.25", "9.99", "1000000"][number % 4]) ?? 0
    person.blob = number % 4 == 2 ? Data([UInt8(number % 3), 0]) : nil
    person.mood = PredicateWorld.Mood.allCases[number % 3]
    person.level = number % 4 == 3 ? nil : PredicateWorld.Level.allCases[number % 3]
    person.kind = PredicateWorld.Kind.allCases[number % 7 % 3]
    person.home = PredicateWorld.Address(
      street: world.names[(number * 3) % world.names.count], zip: number % 6, country: number % 2 == 0 ? nil : "BG")
    person.tags = number % 2 == 0 ? [] : ["x", "y\(number % 3)"]
    return person
  }

  static func uuid(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number * 29 % 256), 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
  }

  private static func contents(_ person: PredicateWorld.Person) -> [String: StoreValuesRow.Content] {
    var contents: [String: StoreValuesRow.Content] = [
      "number": .values([integer(person.number)]), "name": .values([.text(person.name)]),
      "nick": .values([text(person.nick)]), "age": .values([integer(person.age)]),
      "score": .values([real(person.score)]), "ratio": .values([real(person.ratio)]),
      "rating": .values([real(Double(person.rating))]), "isActive": .values([integer(person.isActive ? 1 : 0)]),
      "flag": .values([integer(person.flag.map { $0 ? 1 : 0 })]),
      "born": .values([real(person.born.timeIntervalSinceReferenceDate)]),
      "died": .values([real(person.died?.timeIntervalSinceReferenceDate)]), "token": .values([bytes(person.token)]),
      "ref": .values([bytes(person.ref)]), "site": .values([text(person.site?.absoluteString)]),
      "price": .values([real(Double("\(person.price)"))]), "blob": .values([person.blob.map { .blob($0) } ?? .null]),
      "mood": .values([.text(person.mood.rawValue)]), "level": .values([integer(person.level?.rawValue)]),
      "kind": .values(PredicateWorld.Kind.allCases.map { $0 == person.kind ? .text("\($0)") : .null }),
      "home": .values([.text(person.home.street), integer(person.home.zip), text(person.home.country)]),
    ]
    if let employee = person as? PredicateWorld.Employee {
      contents["salary"] = .values([integer(employee.salary)])
      contents["title"] = .values([.text(employee.title)])
    }
    return contents
  }
}

private func integer(_ value: Int?) -> StoreValue { value.map { .integer(Int64($0)) } ?? .null }
private func real(_ value: Double?) -> StoreValue { value.map { .real($0) } ?? .null }
private func text(_ value: String?) -> StoreValue { value.map { .text($0) } ?? .null }
private func bytes(_ value: UUID?) -> StoreValue {
  value.map { id in .blob(withUnsafeBytes(of: id.uuid) { Data($0) }) } ?? .null
}

extension PredicateStore {
  /// The identifier that the object of a number has in the store.
  func identifier(of number: Int) -> PersistentIdentifier {
    let key = keys[number]
    let name = people[number] is PredicateWorld.Employee ? "Employee" : "Person"
    return store.identifier(of: key)
      ?? PersistentIdentifier(EntityReference(storeIdentifier: "", name: name), key: key.key)
  }
}
