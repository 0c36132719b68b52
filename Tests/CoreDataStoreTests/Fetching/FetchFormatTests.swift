import Foundation
import ManagedModel
import StoreRequests
import Testing

@testable import CoreDataStore

/// Predicates that are typed in, put to a store without any class.
@Suite("Predicates in NSPredicate's format, by a store's layout")
struct FetchFormatTests {
  typealias Object = FetchTestWorld.Object
  private let world: FetchTestWorld

  init() throws { world = try FetchTestWorld() }

  private func keys(
    _ format: String, of entity: String = "Person", _ variables: [String: PredicateValue<ObjectKey?>] = [:],
    convertsTexts: Bool = false
  ) throws -> [Int64] {
    let predicate = try FetchExpression(
      format: format, of: entity, in: world.store.entities, variables: variables, convertsTexts: convertsTexts)
    return try world.store.keys(FetchRequest(entityName: entity, predicate: predicate)).map(\.key).sorted()
  }

  private struct Row {
    let world: FetchTestWorld
    let object: Object

    func int(_ name: String) -> Int64? {
      if case .integer(let value)? = object.attributes[name] { value } else { nil }
    }
    func real(_ name: String) -> Double? { if case .real(let value)? = object.attributes[name] { value } else { nil } }
    func text(_ name: String) -> String? { if case .text(let value)? = object.attributes[name] { value } else { nil } }
    func to(_ name: String) -> Row? {
      object.toOne[name].flatMap { world.objects[FetchTestWorld.destinations[name] ?? ""]?[$0] }.map {
        Row(world: world, object: $0)
      }
    }
    func all(_ name: String) -> [Row] {
      (object.toMany[name] ?? []).compactMap { world.objects[FetchTestWorld.destinations[name] ?? ""]?[$0] }.map {
        Row(world: world, object: $0)
      }
    }
  }

  @Test("A format selects the rows that a walk over the objects selects") func selection() throws {
    func folded(_ text: String) -> String {
      text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
    let cases: [(String, (Row) -> Bool)] = [
      ("name BEGINSWITH 'A'", { $0.text("name")?.hasPrefix("A") ?? false }),
      ("name BEGINSWITH[c] 'A'", { $0.text("name")?.lowercased().hasPrefix("a") ?? false }),
      ("name CONTAINS[cd] 'EMILE'", { $0.text("name").map { folded($0).contains("emile") } ?? false }),
      ("name ==[cd] 'EMILE 10'", { $0.text("name").map(folded) == "emile 10" }),
      ("name !=[c] 'ANN'", { $0.text("name")?.lowercased() != "ann" }),
      ("name IN[c] {'ANN', 'zoë'}", { ["ann", "zoë"].contains($0.text("name")?.lowercased()) }),
      ("name LIKE '*le*'", { $0.text("name")?.contains("le") ?? false }),
      ("name LIKE[cd] 'e?ile'", { $0.text("name").map(folded) == "emile" }),
      ("name MATCHES 'A.*|.*9'", { ["Ann", "Emile 9"].contains($0.text("name")) }),
      ("name MATCHES[c] 'a\\\\S*'", { $0.text("name")?.lowercased().hasPrefix("a") ?? false }),
      ("name ENDSWITH 'e'", { $0.text("name")?.hasSuffix("e") ?? false }),
      ("'Ann' == name", { $0.text("name") == "Ann" }), ("name == nil", { $0.text("name") == nil }),
      ("name.length == 3", { $0.text("name")?.utf16.count == 3 }),
      ("lowercase:(name) == 'ann'", { $0.text("name")?.lowercased() == "ann" }),
      ("age BETWEEN {5, 20} AND NOT age == 8", { $0.int("age").map { (5...20).contains($0) && $0 != 8 } ?? false }),
      ("age IN {8, 21, nil}", { [8, 21, nil].contains($0.int("age")) }),
      ("active == YES OR score > 3", { $0.int("active") == 1 || $0.real("score") ?? 0 > 3 }),
      ("age + 1 > boss.age", { row in row.int("age").map { $0 + 1 > row.to("boss")?.int("age") ?? .max } ?? false }),
      ("age / 2 == 10.5", { $0.int("age") == 21 }), ("abs:(age) == 5", { $0.int("age").map(abs) == 5 }),
      ("modulus:by:(age, 4) == 1", { $0.int("age").map { $0 % 4 } == 1 }),
      ("boss == nil", { $0.to("boss") == nil }), ("boss != nil", { $0.to("boss") != nil }),
      ("boss.home == home", { $0.to("boss")?.to("home")?.object.key == $0.to("home")?.object.key }),
      ("address.street == 'Street 1'", { $0.text("address.street") == "Street 1" }),
      (
        "home.title IN {'House 1', boss.home.title}",
        {
          let title = $0.to("home")?.text("title")
          return title == "House 1" || title == $0.to("boss")?.to("home")?.text("title")
        }
      ),
      ("reports.@count > 2", { $0.all("reports").count > 2 }), ("count:(reports) > 2", { $0.all("reports").count > 2 }),
      ("ANY reports.age > 10", { $0.all("reports").contains { $0.int("age") ?? 0 > 10 } }),
      ("ANY reports.age == nil", { $0.all("reports").contains { $0.int("age") == nil } }),
      ("ALL reports.age > 0", { $0.all("reports").allSatisfy { $0.int("age") ?? 0 > 0 } }),
      ("NONE reports.age > 0", { !$0.all("reports").contains { $0.int("age") ?? 0 > 0 } }),
      (
        "ANY reports.age > self.age",
        { row in
          row.all("reports").contains { $0.int("age") ?? .min > row.int("age") ?? .max }
        }
      ),
      (
        "ANY reports.notes.size > 4",
        { $0.all("reports").contains { $0.all("notes").contains { $0.int("size") ?? 0 > 4 } } }
      ),
      (
        "ALL reports.notes.size > 4",
        {
          $0.all("reports").allSatisfy { $0.all("notes").allSatisfy { $0.int("size") ?? 0 > 4 } }
        }
      ),
      ("notes.@sum.size > 10", { $0.all("notes").compactMap { $0.int("size") }.reduce(0, +) > 10 }),
      ("max:(notes.size) == 9", { $0.all("notes").compactMap { $0.int("size") }.max() == 9 }),
      ("notes.@avg.size == nil", { $0.all("notes").compactMap { $0.int("size") }.isEmpty }),
      ("reports CONTAINS boss", { row in row.all("reports").contains { $0.object.key == row.to("boss")?.object.key } }),
      ("SELF IN boss.reports", { $0.to("boss") != nil }),
      ("8 IN reports.age", { $0.all("reports").contains { $0.int("age") == 8 } }),
      (
        "SUBQUERY(reports, $r, $r.age > 3 AND $r.home != nil).@count > 1",
        { $0.all("reports").count { $0.int("age") ?? 0 > 3 && $0.to("home") != nil } > 1 }
      ),
      (
        "SUBQUERY(reports, $r, $r.age > self.age OR SUBQUERY($r.notes, $n, $n.size > $r.age).@count == 1).@count == 0",
        { row in
          !row.all("reports").contains { report in
            report.int("age") ?? .min > row.int("age") ?? .max
              || report.all("notes").count { $0.int("size") ?? .min > report.int("age") ?? .max } == 1
          }
        }
      ),
      ("count:(SUBQUERY(notes, $n, $n.size == nil)) == 1", { $0.all("notes").count { $0.int("size") == nil } == 1 }),
      ("ANY {1, 2} == 2", { _ in true }), ("TRUEPREDICATE", { _ in true }), ("1 > 2", { _ in false }),
    ]
    var sizes: Set<Int> = []
    for (format, test) in cases {
      let expected = world.all("Person").filter { test(Row(world: world, object: $0)) }.map(\.key)
      #expect(try keys(format) == expected, "\(format)")
      sizes.insert(expected.count)
    }
    #expect(sizes.count > 12)
  }

  @Test("Variables stand for values, objects and lists") func variables() throws {
    let boss = world.all("Person")[3].identity
    let reports = world.all("Person").filter { $0.toOne["boss"] == boss.key }.map(\.key)
    #expect(try keys("boss == $B", ["B": .object(boss)]) == reports)
    #expect(try keys("boss IN $B", ["B": .list([.object(boss), .object(nil)])]) == reports)
    #expect(try keys("boss == $B", ["B": .object(nil)]).isEmpty)
    #expect(try keys("SELF == $B", ["B": .object(boss)]) == [boss.key])
    #expect(try keys("age == $N", ["N": .stored(.integer(8))]) == keys("age == 8"))
    #expect(throws: FormatError.missingVariable("X")) { try keys("age == $X") }
  }

  @Test("Texts that were typed stand for dates, UUIDs and bytes") func texts() throws {
    #expect(
      try keys("tag == '03030303-0303-0303-0303-030303030303'", convertsTexts: true)
        == keys(
          "tag == $T", ["T": .stored(.blob(Data(repeating: 3, count: 16)))]))
    #expect(try keys("birthday >= '2001-01-01T02:46:45Z'", convertsTexts: true) == keys("birthday >= 10005"))
    #expect(try keys("birthday < '2001-01-02'", convertsTexts: true) == keys("birthday != nil"))
    #expect(throws: FormatError.self) { try keys("birthday > 'yesterday'", convertsTexts: true) }
    #expect(throws: FormatError.self) { try keys("birthday > '2001-01-02'") }
  }

  @Test("What is wrong is told by name, with the nearest one")
  func errors() throws {
    #expect(throws: QueryError.unknownProperty(name: "nane", entity: "Person", nearest: "name")) {
      try keys("nane BEGINSWITH 'A'")
    }
    #expect(throws: QueryError.unknownProperty(name: "titel", entity: "House", nearest: "title")) {
      try keys("ANY reports.home.titel == 'x'")
    }
    #expect(throws: QueryError.unknownEntity(name: "Persn", nearest: "Person")) { try keys("age > 1", of: "Persn") }
    #expect(throws: FormatError.notUnderstood) { try keys("age >") }
    #expect(throws: FormatError.invalidPattern) { try keys("name MATCHES '('") }
    #expect(throws: FormatError.unknownFunction("soundex:", count: 1)) { try keys("soundex:(name) == 'x'") }
    func message(_ format: String) -> String {
      do {
        _ = try keys(format)
        return ""
      } catch { return "\(error)" }
    }
    for (format, part) in [
      ("reports.age > 3", "“reports” is a to-many relationship"), ("age == 'x'", "different kinds"),
      ("name > 3", "different kinds"), ("boss == 3", "an object can be compared"), ("age BETWEEN {1}", "two bounds"),
      ("ANY age > 3", "no to-many relationship"), ("age CONTAINS 3", "compares texts"),
      ("reports.@sum.name == 3", "@sum"), ("address == 'x'", "address"), ("mood == 'x'", "mood"),
    ] { #expect(message(format).contains(part), "\(format): \(message(format))") }
  }

  @Test("Hostile formats are errors, or run") func hostile() throws {
    let long = (0..<10_000).map { "age == \($0)" }.joined(separator: " OR ")
    #expect(try !keys(long).isEmpty)
    #expect(throws: (any Error).self) { try keys(String(repeating: "(", count: 10_000) + "age == 1") }
    #expect(throws: (any Error).self) { try keys(String(repeating: "NOT ", count: 10_000) + "age == 1") }
    let path = String(repeating: "boss.", count: 100) + "age == 1"
    #expect(throws: (any Error).self) { try keys(path) }
    #expect(try keys("name == 'a\"; DROP TABLE ZPERSON; --'").isEmpty)
  }

  @Test(
    "A regular expression is one by itself, and matches a text as a whole",
    arguments: [
      ("(?x)a # note", ["a"]), ("(?x)a b # note", ["ab"]), ("\\Qa|b", ["a|b"]), ("a|ab", ["a", "ab"]),
      ("(?i)AB", ["ab"]), ("a\\n?", ["a", "a\n"]), ("a.?", ["a", "ab", "a\n"]),
    ])
  func wholeMatches(_ pattern: String, _ expected: [String]) throws {
    try StringFunctions.check(pattern: pattern)
    let texts = ["a", "ab", "a\n", "a|b", "b", "xa", "abc", ""]
    #expect(texts.filter { StringFunctions.matches($0, pattern, ignoring: []) } == texts.filter(expected.contains))
  }

  @Test(
    "What is no regular expression by itself is refused",
    arguments: ["a)|(b", "a)", "a\\", "a)(?:b", "(?x)a # note\n)|(b"])
  func brokenPatterns(_ pattern: String) {
    #expect(throws: FormatError.invalidPattern) { try StringFunctions.check(pattern: pattern) }
    #expect(!StringFunctions.matches("a", pattern, ignoring: []))
  }

  @Test("A pattern is that of its own characters, whichever pattern that Swift takes for the same text came before")
  func patternsInNormalForms() {
    // Forty, so that no other test's patterns decide the outcome.
    for number in 0..<40 {
      let (composed, decomposed) = ("\u{e9}\(number)", "e\u{301}\(number)")
      for (pattern, other) in [(composed, decomposed), (decomposed, composed)] {
        #expect(StringFunctions.matches(pattern, pattern, ignoring: []), "\(number)")
        #expect(!StringFunctions.matches(other, pattern, ignoring: []), "\(number)")
      }
    }
  }
}
