import Foundation
import StoreRequests
import Testing

@testable import CoreDataStore

/// The SQL of requests of every kind, as a reader sees it.
@Suite struct FetchSQLTests {
  private static let home = FetchExpression.object(FetchPath(relationships: ["home"]))
  private static let age = FetchExpression.attribute(FetchPath(), name: "age", element: [])
  private static let bossName = FetchExpression.attribute(
    FetchPath(relationships: ["boss"]), name: "name", element: [])

  private static let predicates: [(format: String, sql: String)] = [
    ("TRUEPREDICATE", "FROM ZPERSON t0"),
    ("age == 8", "FROM ZPERSON t0\nWHERE t0.ZAGE = ?"),
    (
      "age == 8 AND score > 2 AND active == YES",
      "FROM ZPERSON t0\nWHERE t0.ZAGE = ?\n  AND t0.ZSCORE > ?\n  AND t0.ZACTIVE = 1"
    ),
    (
      "age == 8 OR (score > 2 AND active == NO)",
      "FROM ZPERSON t0\nWHERE t0.ZAGE = ? OR (t0.ZSCORE > ? AND t0.ZACTIVE = 0)"
    ),
    ("NOT age == 8", "FROM ZPERSON t0\nWHERE t0.ZAGE IS NOT ?"),
    ("NOT (age > 8 OR name == nil)", "FROM ZPERSON t0\nWHERE (t0.ZAGE > ?) IS NOT TRUE\n  AND t0.ZNAME IS NOT NULL"),
    ("age IN {1, 2, 3}", "FROM ZPERSON t0\nWHERE t0.ZAGE IN (?, ?, ?, ?)"),
    ("name < 'f'", "FROM ZPERSON t0\nWHERE t0.ZNAME COLLATE OSD_SWIFT < ?"),
    ("name BEGINSWITH 'An'", "FROM ZPERSON t0\nWHERE t0.ZNAME >= ? AND t0.ZNAME < ?\n  AND OSD_STARTS(t0.ZNAME, ?)"),
    ("name CONTAINS[cd] 'an'", "FROM ZPERSON t0\nWHERE OSD_CONTAINS(OSD_CANONICAL(t0.ZNAME), ?)"),
    ("address.street == 'x'", "FROM ZPERSON t0\nWHERE t0.ZSTREET = ?"),
    ("home == nil", "FROM ZPERSON t0\nWHERE NOT EXISTS (SELECT Z_PK FROM ZHOUSE WHERE Z_PK = t0.ZHOME)"),
    ("home == $H", "FROM ZPERSON t0\nWHERE t0.ZHOME = (SELECT Z_PK FROM ZHOUSE WHERE Z_PK = ?)"),
    ("home IN {$H, $H}", "FROM ZPERSON t0\nWHERE t0.ZHOME IN (SELECT Z_PK FROM ZHOUSE WHERE Z_PK IN (?, ?))"),
    ("SELF == $P", "FROM ZPERSON t0\nWHERE t0.Z_PK = ?"),
    (
      "boss.home == $H",
      "FROM ZPERSON t0\nLEFT JOIN ZPERSON t1_boss ON t1_boss.Z_PK = t0.ZBOSS\nWHERE t1_boss.ZHOME = (SELECT Z_PK FROM ZHOUSE WHERE Z_PK = ?)"
    ),
    (
      "boss.name == 'x' AND boss.age > 3",
      "FROM ZPERSON t0\nLEFT JOIN ZPERSON t1_boss ON t1_boss.Z_PK = t0.ZBOSS\nWHERE t1_boss.ZNAME = ?\n  AND t1_boss.ZAGE > ?"
    ),
    (
      "reports.@count > 2",
      "FROM ZPERSON t0\nWHERE (SELECT count(*) FROM ZPERSON t1_reports WHERE t1_reports.ZBOSS = t0.Z_PK) > ?"
    ),
    (
      "ANY reports.age > 3",
      "FROM ZPERSON t0\nWHERE EXISTS (SELECT 1 FROM ZPERSON t1_reports WHERE t1_reports.ZBOSS = t0.Z_PK AND t1_reports.ZAGE > ?)"
    ),
    (
      "ALL clubs.title == 'x'",
      "FROM ZPERSON t0\nWHERE NOT EXISTS (SELECT 1 FROM Z_4CLUBS t1 JOIN ZCLUB t2_clubs ON t2_clubs.Z_PK = t1.Z_1CLUBS WHERE t1.Z_4MEMBERS = t0.Z_PK AND t2_clubs.ZTITLE IS NOT ?)"
    ),
    (
      "clubs CONTAINS $C",
      "FROM ZPERSON t0\nWHERE t0.Z_PK IN (SELECT t1.Z_4MEMBERS FROM Z_4CLUBS t1 JOIN ZCLUB t2_clubs ON t2_clubs.Z_PK = t1.Z_1CLUBS WHERE t2_clubs.Z_PK = ?)"
    ),
    (
      "notes.@sum.size > 10",
      "FROM ZPERSON t0\nWHERE ifnull((SELECT sum(t1_notes.ZSIZE) FROM ZNOTE t1_notes WHERE t1_notes.Z4NOTES = t0.Z_PK), 0) > ?"
    ),
  ]

  @Test("A predicate is a line for each of its conditions, and a join for each path")
  func predicateText() throws {
    let world = try FetchTestWorld()
    let variables: [String: PredicateValue<ObjectKey?>] = [
      "H": .object(world.all("House")[0].identity), "P": .object(world.all("Person")[0].identity),
      "C": .object(world.all("Club")[0].identity),
    ]
    for (format, sql) in Self.predicates {
      let predicate = try FetchExpression(
        format: format, of: "Person", in: world.store.entities, variables: variables)
      let select = try SelectStatement(FetchRequest(entityName: "Person", predicate: predicate), in: world.store.layout)
      #expect(select.sql == "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT\n" + sql, "\(format)")
    }
  }

  @Test("A whole request, of objects and of values")
  func requestText() throws {
    let world = try FetchTestWorld()
    let request = FetchRequest(
      entityName: "Employee", predicate: .comparison(.greater, Self.age, .constant(.integer(3))),
      sortTerms: [SortTerm(expression: Self.bossName, isAscending: false), SortTerm(expression: Self.age)], limit: 5,
      offset: 2, columns: [ColumnSelection(entityName: "Person", propertyName: "home")])
    #expect(
      try SelectStatement(request, in: world.store.layout).sql == """
        SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOME, 2
        FROM ZPERSON t0
        LEFT JOIN ZPERSON t1_boss ON t1_boss.Z_PK = t0.ZBOSS
        WHERE t0.Z_ENT = 5
          AND t0.ZAGE > ?
        ORDER BY t1_boss.ZNAME COLLATE OSD_SWIFT DESC, t0.ZAGE, t0.Z_PK
        LIMIT ? OFFSET ?
        """)
    #expect(
      try SelectStatement.count(request, in: world.store.layout).sql == """
        SELECT count(*) FROM (SELECT 1
        FROM ZPERSON t0
        WHERE t0.Z_ENT = 5
          AND t0.ZAGE > ?
        LIMIT ? OFFSET ?)
        """)
    let values = ValueRequest(
      entityName: "Person", predicate: .not(.isNull(Self.home)),
      values: [Self.home, .groupCount, .groupAggregate(.average, of: Self.age, isDistinct: false)],
      groups: [Self.home], groupPredicate: .comparison(.greater, .groupCount, .constant(.integer(2))),
      sortTerms: [SortTerm(expression: .groupCount, isAscending: false)])
    #expect(
      try SelectStatement(values, in: world.store.layout).sql == """
        SELECT t1_home.Z_PK, 2, count(*), avg(t0.ZAGE)
        FROM ZPERSON t0
        LEFT JOIN ZHOUSE t1_home ON t1_home.Z_PK = t0.ZHOME
        WHERE EXISTS (SELECT Z_PK FROM ZHOUSE WHERE Z_PK = t0.ZHOME)
        GROUP BY t1_home.Z_PK
        HAVING count(*) > ?
        ORDER BY count(*) DESC, t1_home.Z_PK
        """)
  }

  @Test("Values that a group may differ in, and aggregates outside of groups, are refused")
  func refused() throws {
    let world = try FetchTestWorld()
    func error(_ request: ValueRequest) -> QueryError? {
      do {
        _ = try world.store.values(request)
        return nil
      } catch { return error as? QueryError }
    }
    #expect(error(ValueRequest(entityName: "Person", values: [Self.age, .groupCount])) == .differsInGroup)
    #expect(error(ValueRequest(entityName: "Person", values: [Self.age], groups: [Self.home])) == .differsInGroup)
    #expect(error(ValueRequest(entityName: "Person", values: [])) == .noValues)
    #expect(error(ValueRequest(entityName: "Person", predicate: .groupCount, values: [.groupCount])) == .noGroups)
    #expect(
      error(ValueRequest(entityName: "Person", values: [.groupCount], groupPredicate: .groupCount)) == .noGroups)
    #expect(throws: QueryError.noGroups) {
      try world.store.keys(FetchRequest(entityName: "Person", sortTerms: [SortTerm(expression: .groupCount)]))
    }
  }

  @Test("Huge lists and long predicates run; too many paths are an error")
  func huge() throws {
    let world = try FetchTestWorld()
    func count(_ predicate: FetchExpression) throws -> Int {
      try world.store.count(FetchRequest(entityName: "Person", predicate: predicate))
    }
    let ages = try count(.not(.isNull(Self.age)))
    #expect(try count(.membership(Self.age, (-10..<99_990).map { .integer($0) })) == ages)
    let name = FetchExpression.attribute(FetchPath(), name: "name", element: [])
    #expect(try count(.membership(name, (0..<10_000).map { .text("n\($0)") } + [.text("Ann")])) > 0)
    let keys = (0..<100_000).map { ObjectKey(entity: world.all("House")[0].number, key: $0) }
    #expect(try count(.objectMembership(FetchPath(relationships: ["home"]), keys)) == count(.not(.isNull(Self.home))))
    let terms = (-10..<9_990).map { FetchExpression.comparison(.equal, Self.age, .constant(.integer($0))) }
    #expect(try count(.or(terms)) == ages)
    #expect(try count(.not(.and(Array(terms.prefix(2_000))))) == 40)
    let path = FetchPath(relationships: Array(repeating: "boss", count: 70))
    #expect(throws: QueryError.tooManyPaths(limit: 62)) { try count(.attribute(path, name: "age", element: [])) }
  }
}
