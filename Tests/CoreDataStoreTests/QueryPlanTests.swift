import Foundation
import SQLite
import Testing

@testable import CoreDataStore

/// That what makes SQL agree with Swift costs no index where an index gives the same.
@Suite struct QueryPlanTests {
  private let world: FetchTestWorld

  init() throws {
    world = try FetchTestWorld()
    try world.store.write {
      try $0.execute("CREATE INDEX NAMES ON ZPERSON (ZNAME); CREATE INDEX AGES ON ZPERSON (ZAGE)")
    }
  }

  private let name = FetchExpression.attribute(FetchPath(), name: "name", element: [])
  private let age = FetchExpression.attribute(FetchPath(), name: "age", element: [])
  private let home = FetchPath(relationships: ["home"])

  private func plan(_ predicate: FetchExpression?, by terms: [SortTerm] = []) throws -> String {
    let select = try SelectStatement(
      FetchRequest(entityName: "Person", predicate: predicate, sortTerms: terms), in: world.store.layout)
    return try world.store.read { connection in
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + select.sql)
      var lines: [String] = []
      while try statement.step() { lines.append(statement.text(3) ?? "") }
      return lines.joined(separator: "\n")
    }
  }

  @Test("Equality with a constant text, and membership, use an index in every script")
  func equality() throws {
    for text in ["Anna", "Karl;", "\u{C9}mile", "\u{D55C}\u{AE00}", "\u{1F680}", ""] {
      let one = try plan(.comparison(.equal, name, .constant(.text(text))))
      #expect(one.contains("USING INDEX NAMES (ZNAME=?)"), "\(text): \(one)")
      let some = try plan(.membership(name, [.text(text), .text("Bob")]))
      #expect(some.contains("USING INDEX NAMES (ZNAME=?)"), "\(text): \(some)")
    }
  }

  @Test("A to-one relationship to a known object, or to one of some, uses the index of its key")
  func relationships() throws {
    let houses = world.all("House").map(\.identity)
    for predicate in [
      FetchExpression.comparison(.equal, .object(home), .objectConstant(houses[0])),
      .objectMembership(home, houses),
      .or([
        .comparison(.equal, .object(home), .objectConstant(houses[0])),
        .comparison(.equal, age, .constant(.integer(3))),
      ]),
    ] {
      let plan = try plan(predicate)
      #expect(plan.contains("USING INDEX ZPERSON_ZHOME_INDEX (ZHOME=?)"), "\(plan)")
    }
    // Whether the row is there is looked up by its key.
    let absent = try plan(.isNull(.object(home)))
    #expect(absent.contains("USING INTEGER PRIMARY KEY (rowid=?)"), "\(absent)")
  }

  @Test("Numbers are compared and sorted by their index")
  func numbers() throws {
    let range = try plan(.comparison(.less, age, .constant(.integer(7))))
    #expect(range.contains("USING INDEX AGES (ZAGE<?)"), "\(range)")
    let sorted = try plan(nil, by: [SortTerm(expression: age)])
    #expect(sorted.contains("USING INDEX AGES") && !sorted.contains("TEMP B-TREE"), "\(sorted)")
    let named = try plan(.comparison(.greater, name, .constant(.text(""))))
    #expect(named.contains("USING INDEX NAMES (ZNAME>?)"), "\(named)")
  }

  @Test("Texts in order are collated, since bytes may be in another: no index of bytes has Swift's order")
  func collated() throws {
    for plan in [
      try plan(.comparison(.less, name, .constant(.text("f")))), try plan(nil, by: [SortTerm(expression: name)]),
    ] { #expect(!plan.contains("NAMES"), "\(plan)") }
  }

  @Test("The schema of a store names none of our collations and functions, so that any SQLite reads and changes it")
  func schema() throws {
    let schema = try world.store.read { try $0.text("SELECT group_concat(sql) FROM sqlite_schema") ?? "" }
    #expect(!schema.contains("OSD_") && !schema.isEmpty)
  }
}
