import Foundation
import ManagedModel
import StoreRequests
import TestSupport

@testable import SwiftData

/// A store with the people of ``PredicateWorld``, and the same people in memory; `PredicateStore+Engine.swift` has the engine.
struct PredicateStore {
  let temporary: TemporaryStore
  let store: OpenStore
  let resolver: StoreResolver
  let engine: any StoreEngine
  let people: [PredicateWorld.Person]
  let clubs: [PredicateWorld.Club]
  /// Row keys by number.
  let keys: [ObjectKey]

  init() throws {
    let temporary = try TemporaryStore(damage: "mentors of a class that the relationship does not lead to")
    let schema = Schema([
      PredicateWorld.Person.self, PredicateWorld.Employee.self, PredicateWorld.Team.self, PredicateWorld.Club.self,
    ])
    let engine = try Self.engine(temporary, schema.lowered())
    let classes: [String: any PersistentModel.Type] = [
      "Person": PredicateWorld.Person.self, "Employee": PredicateWorld.Employee.self,
      "Team": PredicateWorld.Team.self, "Club": PredicateWorld.Club.self,
    ]
    store = try OpenStore(
      index: 0, configuration: ModelConfiguration(url: temporary.url), engine: engine, classes: classes,
      firstTable: 0)
    resolver = StoreResolver(store: store)
    self.engine = engine
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
    _ = try engine.save(changes)
    keys = try rows.map { row in
      guard let key = row.object else { throw QueryError.unknownEntity(name: "Person", nearest: nil) }
      return key
    }
    try finish(clubs: clubRows.compactMap { $0.object?.key })
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
      "tags": .values([(try? ArchivedCollection.encode(person.tags)).map { .blob($0) } ?? .null]),
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
