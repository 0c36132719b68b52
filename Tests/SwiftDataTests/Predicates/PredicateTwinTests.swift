import Foundation
import Testing

@testable import SwiftData

@Suite struct PredicateTwinTests {
  typealias Person = PredicateWorld.Person
  let store: PredicateStore

  init() throws { store = try PredicateStore() }

  /// Compares the objects that the store selects with those that memory selects.
  private func check(_ predicates: [Predicate<Person>], location: SourceLocation = #_sourceLocation) throws {
    for predicate in predicates {
      let plan = try FetchPlan(
        FetchDescriptor(predicate: predicate), resolver: store.resolver, allowsInMemory: PredicateStore.allowsInMemory)
      let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
      let expected = try store.people.filter(evaluation.matches).map(\.number)
      let selected = try store.numbers(plan).sorted()
      #expect(selected == expected, "\(sketch(predicate.expression))", sourceLocation: location)
    }
  }

  @Test("Strings: SQL and evaluation select the same")
  func strings() throws {
    let same = ComparisonResult.orderedSame, ascending = ComparisonResult.orderedAscending
    let descending = ComparisonResult.orderedDescending
    let empty = "", composed = "\u{C9}mile", decomposed = "E\u{301}mile", none: String? = nil, zoe = "zoe", a = "a"
    try check([
      #Predicate { $0.name == "a" }, #Predicate { $0.name != "a" }, #Predicate { $0.name == empty },
      #Predicate { $0.name == composed }, #Predicate { $0.name == decomposed }, #Predicate { $0.name != composed },
      #Predicate { $0.nick == "a" }, #Predicate { $0.nick != "a" }, #Predicate { $0.nick == nil },
      #Predicate { $0.nick != nil }, #Predicate { $0.nick == none }, #Predicate { $0.nick == composed },
      #Predicate { $0.name.isEmpty }, #Predicate { !$0.name.isEmpty }, #Predicate { $0.name.count > 4 },
    ])
    try check([
      #Predicate { $0.name.count == 1 }, #Predicate { $0.nick?.isEmpty == true },
      #Predicate { $0.nick?.isEmpty != true }, #Predicate { $0.nick?.count == 1 },
      #Predicate { $0.name.contains("mile") }, #Predicate { $0.name.contains(empty) },
      #Predicate { $0.name.contains("%") }, #Predicate { $0.name.starts(with: "a") },
      #Predicate { $0.name.starts(with: composed) }, #Predicate { !$0.name.starts(with: "a") },
      #Predicate { "xaby".contains($0.name) }, #Predicate { $0.nick?.contains("a") == true },
    ])
    // A part in another normal form, a letter whose mark is left out, a mark alone, and letters that lookalikes equal.
    for part in [
      "\u{EF}v", "i\u{308}v", "na", "q\u{323}", "q", "\u{307}", "s\u{323}\u{307}", "\u{1112}\u{1161}", "K", ";",
      "\u{130}",
    ] {
      try check([
        #Predicate { $0.name.contains(part) }, #Predicate { $0.name.starts(with: part) },
        #Predicate { $0.nick?.contains(part) == true }, #Predicate { $0.nick?.starts(with: part) == true },
        #Predicate { $0.nick?.starts(with: part) ?? false }, #Predicate { !$0.name.contains(part) },
        #Predicate { $0.nick?.starts(with: part) != true },
        #Predicate { $0.reports.contains { $0.name.contains(part) } },
        #Predicate { $0.name.localizedStandardContains(part) }, #Predicate { $0.name == part },
        #Predicate { $0.name.starts(with: part) || $0.age > 40 },
      ])
    }
    // `Predicate.evaluate`, which knows nothing of stores, is a third one here.
    for part in ["naive", "\u{FF41}b", "\u{130}", "\u{FF25}\u{301}mile", "s\u{323}\u{307}", "k", "ss"] {
      let predicate = #Predicate<Person> { $0.name.localizedStandardContains(part) }
      let inMemory = InMemoryEvaluation([predicate.expression], of: predicate.variable)
      #expect(try store.people.filter(predicate.evaluate) == store.people.filter(inMemory.matches), "\(part)")
      try check([predicate])
    }
    try check([
      #Predicate { $0.name.localizedStandardContains("emile") },
      #Predicate { $0.name.localizedStandardContains("STRASSE") },
      #Predicate { $0.name.localizedStandardContains(zoe) }, #Predicate { $0.name.localizedStandardContains(empty) },
      #Predicate { !$0.name.localizedStandardContains("a") },
      #Predicate { $0.name.caseInsensitiveCompare(a) == same },
      #Predicate { $0.name.caseInsensitiveCompare("B") == ascending },
      #Predicate { $0.name.localizedCompare("b") == descending },
      #Predicate { $0.nick.flatMap { $0.localizedStandardContains("A") } ?? false },
      #Predicate { $0.nick ?? "zz" == "zz" }, #Predicate { ($0.nick ?? empty).isEmpty },
      #Predicate { $0.name == $0.nick ?? "" },
    ])
  }

  @Test("Numbers: SQL and evaluation select the same")
  func numbers() throws {
    let odd = Double("nan") ?? 0, infinity = Double.infinity, three = 3, upwards = 3..., ages: Set = [1, 42],
      scores: [Double?] = [nil, 0.1, Double("nan")]
    try check([
      #Predicate { $0.age == 42 }, #Predicate { $0.age != 42 }, #Predicate { $0.age > 1 }, #Predicate { $0.age >= 1 },
      #Predicate { $0.age < 0 }, #Predicate { $0.age <= -1 }, #Predicate { !($0.age > 1) },
      #Predicate { $0.score == 0 }, #Predicate { $0.score == infinity }, #Predicate { $0.score < 0.2 },
      #Predicate { $0.score == odd }, #Predicate { $0.score != odd }, #Predicate { $0.score < odd },
      #Predicate { !($0.score < odd) }, #Predicate { $0.ratio == nil }, #Predicate { $0.ratio == 1.5 },
    ])
    try check([
      #Predicate { $0.ratio != 1.5 }, #Predicate { ($0.ratio ?? -1) < 0 },
      #Predicate { $0.ratio.flatMap { $0 > 0 } == true },
      #Predicate { $0.ratio.flatMap { $0 > 0 } == false }, #Predicate { $0.ratio.flatMap { $0 > 0 } == nil },
      #Predicate { $0.ratio.flatMap { $0 > 0 } ?? true }, #Predicate { if let r = $0.ratio { r > 1 } else { false } },
      #Predicate { $0.ratio! > 0 }, #Predicate { !($0.ratio! > 0) }, #Predicate { $0.age > 3 || $0.ratio! > 0 },
    ])
    try check([
      #Predicate { $0.age + 1 == 2 }, #Predicate { $0.age * 2 > 10 }, #Predicate { $0.age - $0.number < 0 },
      #Predicate { $0.age / 2 == 0 }, #Predicate { $0.age % 3 == 1 }, #Predicate { $0.age % 3 == -1 },
      #Predicate { -$0.age == 1 }, #Predicate { $0.score / 2 > 0.1 }, #Predicate { 1 / $0.score > 5 },
      #Predicate { 1 / $0.score < 0 }, #Predicate { $0.score * 0 == 0 }, #Predicate { $0.age / three == 2 },
    ])
    try check([
      #Predicate { ages.contains($0.age) }, #Predicate { !ages.contains($0.age) },
      #Predicate { scores.contains($0.ratio) },
      #Predicate { (0...7).contains($0.age) }, #Predicate { (0..<7).contains($0.age) },
      #Predicate { upwards.contains($0.age) }, #Predicate { $0.rating == 0.3 }, #Predicate { $0.rating > 0.6 },
      #Predicate { ($0.isActive ? $0.age : $0.number) > 20 },
      #Predicate { person in ages.contains { $0 == person.age } },
      #Predicate { person in ages.allSatisfy { $0 > person.age } },
    ])
  }

  @Test("Logic and Booleans: SQL and evaluation select the same")
  func logic() throws {
    let yes = true, unknown: Bool? = nil
    try check([
      #Predicate { $0.isActive }, #Predicate { !$0.isActive }, #Predicate { $0.isActive == true },
      #Predicate { $0.isActive == yes }, #Predicate { $0.flag == true }, #Predicate { $0.flag == false },
      #Predicate { $0.flag != true }, #Predicate { $0.flag == nil }, #Predicate { $0.flag == unknown },
      #Predicate { $0.flag ?? false }, #Predicate { $0.flag ?? true }, #Predicate { !($0.flag ?? false) },
      #Predicate { $0.isActive && $0.age > 0 }, #Predicate { $0.isActive || $0.age > 0 },
      #Predicate { !($0.isActive && $0.age > 0) }, #Predicate { _ in yes }, #Predicate { _ in !yes },
      #Predicate { yes || $0.age > 0 }, #Predicate { ($0.age > 0) == $0.isActive },
    ])
    try check([.true, .false])
    let adult = #Predicate<Person> { $0.age > 5 }, named = #Predicate<Person> { $0.nick != nil }
    try check([
      Predicate(all: [adult, named]), Predicate(any: [adult, named]), Predicate(all: []), Predicate(any: []),
      Predicate(not: adult), Predicate(all: [Predicate(any: [adult, named]), Predicate(not: adult)]),
    ])
  }

  @Test("Dates, identifiers, bytes, decimals, enumerations, structures: SQL and evaluation select the same")
  func values() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0), token = PredicateStore.uuid(3), data = Data([2, 0])
    let kind = PredicateWorld.Kind.fancy, kinds: Set<PredicateWorld.Kind> = [.odd, .fancy]
    let mood = PredicateWorld.Mood.angry, moods: [PredicateWorld.Mood] = [.calm, .sad],
      level: PredicateWorld.Level? = .high
    let noLevel: PredicateWorld.Level? = nil, tokens: Set = [PredicateStore.uuid(1), PredicateStore.uuid(2)]
    let site = URL(string: "https://example.org/2"), price = Decimal(string: "9.99") ?? 0
    let home = PredicateWorld.Address(street: "a", zip: 3, country: "BG"),
      range = date..<date.addingTimeInterval(300_000)
    let nowhere = PredicateWorld.Address(street: "", zip: 0, country: nil)
    try check([
      #Predicate { $0.born < date }, #Predicate { $0.born >= date }, #Predicate { $0.died == nil },
      #Predicate { $0.died != nil }, #Predicate { ($0.died ?? date) > date }, #Predicate { range.contains($0.born) },
      #Predicate { $0.died == date }, #Predicate { $0.token == token }, #Predicate { $0.token != token },
      #Predicate { $0.token < token }, #Predicate { $0.ref == token }, #Predicate { tokens.contains($0.token) },
      #Predicate { $0.site == site }, #Predicate { $0.site == nil }, #Predicate { $0.price == price },
      #Predicate { $0.price > 1 }, #Predicate { $0.price < 0 }, #Predicate { $0.blob == data },
      #Predicate { $0.blob != data },
    ])
    try check([
      #Predicate { $0.mood == mood }, #Predicate { $0.mood != mood }, #Predicate { moods.contains($0.mood) },
      #Predicate { $0.mood.rawValue == "sad" }, #Predicate { $0.level == level }, #Predicate { $0.level == noLevel },
      #Predicate { $0.level == nil }, #Predicate { $0.level?.rawValue == 5 }, #Predicate { $0.level != level },
      #Predicate { $0.home.street == "a" }, #Predicate { $0.home.zip > 3 }, #Predicate { $0.home.country == nil },
      #Predicate { $0.home == home }, #Predicate { $0.home != home }, #Predicate { $0.home == nowhere },
      #Predicate { $0.home.street.isEmpty }, #Predicate { $0.kind == kind }, #Predicate { $0.kind != kind },
      #Predicate { kinds.contains($0.kind) },
    ])
  }

  @Test("Relationships: SQL and evaluation select the same")
  func relationships() throws {
    let name = "a", names = ["Red", "Blue"]
    try check([
      #Predicate { $0.boss == nil }, #Predicate { $0.boss != nil }, #Predicate { $0.boss?.name == name },
      #Predicate { $0.boss?.name != name }, #Predicate { $0.boss?.boss == nil },
      #Predicate { $0.boss?.boss?.name == name },
      #Predicate { $0.boss!.age > 0 }, #Predicate { !($0.boss!.age > 0) }, #Predicate { $0.boss?.isActive == true },
      #Predicate { $0.boss?.flag == nil }, #Predicate { $0.team?.name == "Red" }, #Predicate { $0.team?.rank == nil },
      #Predicate { ($0.team?.rank ?? 7) > 0 }, #Predicate { $0.boss == $0.boss?.boss },
    ])
    try check([
      #Predicate { $0.reports.isEmpty }, #Predicate { !$0.reports.isEmpty }, #Predicate { $0.reports.count > 3 },
      #Predicate { $0.reports.contains { $0.age > 40 } }, #Predicate { !$0.reports.contains { $0.age > 40 } },
      #Predicate { $0.reports.allSatisfy { $0.age > 0 } }, #Predicate { $0.reports.filter { $0.isActive }.count >= 2 },
      #Predicate { $0.reports.filter { $0.isActive }.isEmpty },
      #Predicate { person in person.reports.contains { $0.age > person.age } },
      #Predicate { $0.reports.contains { $0.reports.contains { $0.nick == nil } } },
      #Predicate { $0.boss?.reports.count == 3 }, #Predicate { $0.boss?.reports.isEmpty == false },
    ])
    try check([
      #Predicate { $0.clubs.isEmpty }, #Predicate { $0.clubs.count == 2 },
      #Predicate { $0.clubs.contains { $0.name == "Judo" } },
      #Predicate { $0.clubs.contains { $0.fee == nil } }, #Predicate { $0.clubs.allSatisfy { ($0.fee ?? 0) > 1 } },
      #Predicate { $0.clubs.contains { $0.members.count > 15 } },
      #Predicate { $0.team.flatMap { team in team.members.contains { $0.age == 42 } } ?? false },
      #Predicate { $0.clubs.filter { ($0.fee ?? 5) > 1 }.contains { $0.name.isEmpty } },
      #Predicate { $0.reports.contains { $0.boss!.age > 3 } },
      #Predicate { $0.team.flatMap { names.contains($0.name) } ?? false },
    ])
  }

  @Test("Subclasses: SQL and evaluation select the same")
  func inheritance() throws {
    typealias Employee = PredicateWorld.Employee
    try check([
      #Predicate { $0 is Employee }, #Predicate { !($0 is Employee) }, #Predicate { ($0 as? Employee)?.salary == nil },
      #Predicate { ($0 as? Employee)?.salary == 400 }, #Predicate { (($0 as? Employee)?.salary ?? 0) > 300 },
      #Predicate { ($0 as? Employee) == nil }, #Predicate { ($0 as! Employee).title.isEmpty },
      #Predicate { $0.reports.contains { $0 is Employee } },
      #Predicate { if let e = $0 as? Employee { e.title == "a" } else { true } },
    ])
  }
}
