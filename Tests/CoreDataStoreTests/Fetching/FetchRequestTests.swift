import Foundation
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

@Suite struct FetchRequestTests {
  private func attribute(_ name: String, _ path: [String] = []) -> FetchExpression {
    .attribute(FetchPath(relationships: path), name: name, element: [])
  }

  @Test func sortLimitAndOffsetAreExactAndDeterministic() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    func age(_ object: FetchTestWorld.Object) -> Int64? {
      if case .integer(let age) = object.attributes["age"] { age } else { nil }
    }
    let ascending = people.sorted { (age($0) ?? .min, $0.key) < (age($1) ?? .min, $1.key) }.map(\.key)
    let descending = people.sorted { (age($1) ?? .min, $0.key) < (age($0) ?? .min, $1.key) }.map(\.key)
    for (isAscending, expected) in [(true, ascending), (false, descending)] {
      var request = FetchRequest(
        entityName: "Person", sortTerms: [SortTerm(expression: attribute("age"), isAscending: isAscending)])
      #expect(try world.store.keys(request).map(\.key) == expected)
      for (limit, offset) in [(3, nil), (5, 7), (nil, 38), (0, nil), (100, 39)] as [(Int?, Int?)] {
        request.limit = limit
        request.offset = offset
        let part = Array(expected.dropFirst(offset ?? 0).prefix(limit ?? .max))
        #expect(try world.store.keys(request).map(\.key) == part)
        #expect(try world.store.count(request) == part.count)
      }
    }
    let limited = FetchRequest(entityName: "Person", limit: 4)
    #expect(try world.store.keys(limited).map(\.key) == [1, 2, 3, 4])
  }

  @Test func collationsOrderAsTheSharedFunctionsDo() throws {
    let world = try FetchTestWorld()
    for collation in [SortTerm.Collation.localized, .localizedStandard] {
      let request = FetchRequest(
        entityName: "Person", predicate: .not(.isNull(attribute("name"))),
        sortTerms: [SortTerm(expression: attribute("name"), collation: collation)],
        columns: [ColumnSelection(entityName: "Person", propertyName: "name")])
      let cursor = try world.store.fetch(request)
      var names: [String] = []
      while try cursor.next() {
        var reader = cursor.reader()
        names.append(reader.text() ?? "")
      }
      #expect(names.count > 30)
      for (one, other) in zip(names, names.dropFirst()) {
        let order =
          collation == .localized
          ? StringFunctions.localizedCompare(one, other) : StringFunctions.localizedStandardCompare(one, other)
        #expect(order != .orderedDescending)
      }
    }
  }

  @Test func textDependsOnTheShapeOnlyAndPathsAreJoinedOnce() throws {
    let world = try FetchTestWorld()
    func select(_ age: Int64, _ title: String) throws -> SelectStatement {
      try SelectStatement(
        FetchRequest(
          entityName: "Person",
          predicate: .and([
            .comparison(.equal, attribute("age"), .constant(.integer(age))),
            .comparison(.equal, attribute("title", ["boss", "home"]), .constant(.text(title))),
            .comparison(.greater, attribute("name", ["boss"]), .constant(.text(title))),
          ]), sortTerms: [SortTerm(expression: attribute("name", ["boss"]))], limit: Int(age)), in: world.store.layout)
    }
    let statement = try select(1, "x'--")
    #expect(try statement.sql == select(77, "y").sql)
    #expect(!statement.sql.contains("--"))
    #expect(statement.sql.components(separatedBy: "LEFT JOIN").count == 3)
  }

  @Test("subentities are told apart by Z_ENT, which a whole root does not need")
  func inheritance() throws {
    let world = try FetchTestWorld()
    let employees = world.all("Person").filter { $0.entity == "Employee" }
    #expect(try world.store.count(FetchRequest(entityName: "Employee")) == employees.count)
    #expect(
      try world.store.count(FetchRequest(entityName: "Person", includesSubentities: false)) == 40 - employees.count)
    let all = try SelectStatement(FetchRequest(entityName: "Person"), in: world.store.layout)
    #expect(!all.sql.contains("WHERE"))
  }

  @Test func rowsOfKnownKeysComeInBatches() throws {
    let world = try FetchTestWorld()
    let person = world.all("Person")[0]
    let keys = (1...1_500).map { ObjectKey(entity: person.number, key: Int64($0)) }
    let cursor = try world.store.fetch(
      keys: keys, columns: [ColumnSelection(entityName: "Employee", propertyName: "office")])
    var found: [Int64] = []
    while try cursor.next() {
      var reader = cursor.reader()
      let office = reader.object()
      #expect(office?.key == world.objects["Person"]?[cursor.key]?.toOne["office"])
      #expect(office.map { $0.entity == world.all("House")[0].number } ?? true)
      found.append(cursor.key)
    }
    #expect(found.sorted() == Array(1...40))
    #expect(throws: QueryError.keysOfDifferentTables("Person", "House")) {
      try world.store.fetch(keys: [keys[0], world.all("House")[0].identity], columns: [])
    }
    #expect(try !world.store.fetch(keys: [], columns: []).next())
  }

  @Test("related rows of many owners, for every kind of to-many relationship")
  func relatedRows() throws {
    let world = try FetchTestWorld()
    for (root, name, isOrdered) in [
      ("Person", "reports", false), ("Person", "friends", false), ("Person", "clubs", false),
      ("Person", "notes", false),
      ("House", "residents", true), ("House", "workers", false), ("Club", "members", true),
    ] {
      let owners = world.all(root)
      let cursor = try world.store.related(to: (root, name), owners: owners.map(\.identity), columns: [])
      var found: [Int64: [Int64]] = [:]
      while try cursor.next() { found[cursor.owner, default: []].append(cursor.key) }
      for owner in owners {
        let expected = owner.toMany[name] ?? []
        #expect(found[owner.key] ?? [] == (isOrdered ? expected : expected.sorted()), "\(root) \(owner.key) \(name)")
      }
    }
  }

  @Test func aCursorKeepsItsStateWhileOthersWrite() throws {
    let world = try FetchTestWorld()
    let cursor = try world.store.fetch(FetchRequest(entityName: "Person"))
    var count = 0
    while try cursor.next() {
      count += 1
      if count == 3 {
        var changes = ChangeSet()
        changes.deletions = world.all("Person").map { .init(object: $0.identity, version: nil) }
        _ = try world.store.save(changes)
        #expect(try world.store.count(FetchRequest(entityName: "Person")) == 0)
      }
    }
    #expect(count == 40)
  }

  @Test func theDataVersionTellsOfOthersWrites() throws {
    let world = try FetchTestWorld()
    let before = try world.store.dataVersion()
    #expect(try world.store.dataVersion() == before)
    let other = try PersistentStore.open(at: world.folder.url)
    var changes = ChangeSet()
    changes.deletions = [.init(object: world.all("Note")[0].identity, version: nil)]
    _ = try other.save(changes)
    #expect(try world.store.dataVersion() != before)
  }
}
