import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Random predicates with a fixed seed, built from small predicates: SQL and memory must agree on each.
@Suite struct PredicateRandomTests {
  typealias Person = PredicateWorld.Person
  private typealias Root = PredicateExpressions.Variable<Person>
  private typealias Condition = any StandardPredicateExpression<Bool>

  /// The number of predicates: `PREDICATE_COUNT`, 50,000 in the full run, or 250; `PREDICATE_SEED` changes the seed.
  private static let count = FullTests.setting("PREDICATE_COUNT") ?? (FullTests.areWanted ? 50_000 : 250)

  @Test("Random predicates, 250 by default: SQL and evaluation select the same")
  func random() throws {
    let store = try PredicateStore()
    var random = SplitMix(seed: UInt64(FullTests.setting("PREDICATE_SEED") ?? 20_261_121))
    var sizes: Set<Int> = []
    for _ in 0..<Self.count {
      let predicate = Predicate<Person> { condition(on: $0, depth: 4, &random) }
      let plan = try FetchPlan(
        FetchDescriptor(predicate: predicate), resolver: store.resolver, allowsInMemory: PredicateStore.allowsInMemory)
      let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
      let expected = try store.people.filter(evaluation.matches).map(\.number)
      let selected = try store.numbers(plan).sorted()
      #expect(selected == expected, "\(sketch(predicate.expression))")
      sizes.insert(expected.count)
    }
    // The results have many different sizes, so the predicates are not trivial.
    #expect(sizes.count > 20)
  }

  private func condition(on root: Root, depth: Int, _ random: inout SplitMix) -> Condition {
    guard depth > 0 else { return leaf(root, &random) }
    return switch random.below(9) {
    case 0: quantified(root, depth: depth, &random)
    case 1: leaf(root, &random)
    default: RandomCondition.joined(&random) { condition(on: root, depth: depth - 1, &$0) }
    }
  }

  /// A condition on the boss, or on the reports.
  private func quantified(_ root: Root, depth: Int, _ random: inout SplitMix) -> Condition {
    typealias Build = PredicateExpressions
    let kind = Int.random(in: 0..<4, using: &random)
    if kind == 0 {
      let boss = Build.build_KeyPath(root: root, keyPath: \Person.boss)
      let inner = Build.Variable<Person>()
      let test = condition(on: inner, depth: depth - 2, &random)
      return flatMapped(boss, inner, test, Bool.random(using: &random))
    }
    let reports = Build.build_KeyPath(root: root, keyPath: \Person.reports)
    let inner = Build.Variable<Person>()
    return quantified(reports, inner, condition(on: inner, depth: depth - 2, &random), kind)
  }

  private func quantified(
    _ people: some StandardPredicateExpression<[Person]>, _ variable: Root,
    _ test: some StandardPredicateExpression<Bool>, _ kind: Int
  ) -> Condition {
    // Each builder makes its own variable; the test is rebound to it.
    switch kind {
    case 1: PredicateExpressions.build_contains(people) { Rebound(variable: variable, to: $0, test: test) }
    case 2: PredicateExpressions.build_allSatisfy(people) { Rebound(variable: variable, to: $0, test: test) }
    default:
      PredicateExpressions.build_KeyPath(
        root: PredicateExpressions.build_filter(people) { Rebound(variable: variable, to: $0, test: test) },
        keyPath: \.isEmpty)
    }
  }

  private func flatMapped<Inner: StandardPredicateExpression<Person?>, Test: StandardPredicateExpression<Bool>>(
    _ person: Inner, _ variable: Root, _ test: Test, _ otherwise: Bool
  ) -> Condition {
    let mapped: PredicateExpressions.OptionalFlatMap<Inner, Person, Rebound<Person, Person, Test>, Bool> =
      PredicateExpressions.build_flatMap(person) { Rebound(variable: variable, to: $0, test: test) }
    return PredicateExpressions.build_NilCoalesce(lhs: mapped, rhs: PredicateExpressions.build_Arg(otherwise))
  }

  private func leaf(_ root: Root, _ random: inout SplitMix) -> Condition {
    let names = PredicateWorld.names.filter { !$0.isEmpty }
    let name = names.randomElement(using: &random) ?? "", number = Int.random(in: -5...45, using: &random)
    let score = PredicateWorld.scores.randomElement(using: &random) ?? 0,
      ages = Set(PredicateWorld.ages.shuffled(using: &random).prefix(3))
    let mood = PredicateWorld.Mood.allCases.randomElement(using: &random) ?? .calm
    let date = Date(timeIntervalSinceReferenceDate: Double(number * 20_000))
    let other = names.randomElement(using: &random) ?? "", some = Set(names.shuffled(using: &random).prefix(3))
    let (low, high) = name <= other ? (name, other) : (other, name)
    let predicates: [Predicate<Person>] = [
      #Predicate { $0.name == name }, #Predicate { $0.nick == name }, #Predicate { $0.nick != name },
      #Predicate { $0.name.localizedStandardContains(name) }, #Predicate { $0.name.contains(name) },
      #Predicate { $0.nick?.starts(with: name) == true }, #Predicate { ($0.nick ?? name).count > 2 },
      #Predicate { $0.age > number }, #Predicate { $0.age % 4 == 1 }, #Predicate { $0.age * 2 < $0.number },
      #Predicate { ages.contains($0.age) }, #Predicate { $0.ratio == nil }, #Predicate { ($0.ratio ?? score) <= 0.5 },
      #Predicate { $0.score >= score }, #Predicate { $0.isActive },
    ]
    let more: [Predicate<Person>] = [
      #Predicate { $0.flag == true }, #Predicate { $0.flag ?? true }, #Predicate { $0.mood == mood },
      #Predicate { $0.level?.rawValue == 5 }, #Predicate { $0.home.zip > number },
      #Predicate { $0.home.country == nil },
      #Predicate { $0.born < date }, #Predicate { $0.died != nil }, #Predicate { $0.boss == nil },
      #Predicate { $0.boss?.name == name }, #Predicate { $0.team?.rank == nil },
      #Predicate { $0.reports.count > 2 }, #Predicate { $0.clubs.contains { $0.name == "chess" } },
      #Predicate { $0 is PredicateWorld.Employee }, #Predicate { ($0 as? PredicateWorld.Employee)?.salary == nil },
    ]
    let strings: [Predicate<Person>] = [
      #Predicate { $0.name < name }, #Predicate { $0.name >= name }, #Predicate { ($0.nick ?? name) <= other },
      #Predicate { $0.name > ($0.nick ?? other) }, #Predicate { $0.name == ($0.nick ?? other) },
      #Predicate { $0.name != name },
      #Predicate { ($0.boss?.name ?? other) == $0.name }, #Predicate { some.contains($0.name) },
      #Predicate { !some.contains($0.nick ?? other) }, #Predicate { (low...high).contains($0.name) },
      #Predicate { (low..<high).contains($0.home.street) }, #Predicate { $0.home.street == $0.name },
      #Predicate { ($0 as? PredicateWorld.Employee)?.title == name },
      #Predicate { $0.reports.contains { $0.name > name } }, #Predicate { ($0.isActive ? $0.name : other) == name },
      #Predicate { person in some.allSatisfy { $0 < person.name } },
    ]
    // Only some stores look into arrays.
    if PredicateStore.allowsInMemory, random.below(12) == 0 {
      let tag = ["x", "y1", "y2", name].randomElement(using: &random) ?? ""
      let arrays: [Predicate<Person>] = [
        #Predicate { $0.tags.contains(tag) }, #Predicate { $0.tags.contains($0.name) }, #Predicate { $0.tags.isEmpty },
        #Predicate { $0.reports.contains { $0.tags.contains(tag) } },
        #Predicate { $0.boss?.tags.contains(tag) == true }, #Predicate { $0.boss?.tags.contains(tag) ?? true },
        #Predicate { $0.tags.count > 1 },
      ]
      let chosen = arrays[random.below(arrays.count)]
      return rebound(chosen.expression, chosen.variable, root)
    }
    let links: [Predicate<Person>] = [
      #Predicate { $0.boss != nil }, #Predicate { $0.team == nil }, #Predicate { $0.mentor == nil },
      #Predicate { $0.mentor != nil }, #Predicate { $0.mentor?.name == name }, #Predicate { $0.boss == $0.boss?.boss },
      #Predicate { $0.boss?.boss == nil }, #Predicate { $0.boss?.reports.isEmpty == false },
      #Predicate { ($0.boss?.reports.count ?? 7) > 3 }, #Predicate { ($0.mentor?.mentees.count ?? 3) == $0.age },
      #Predicate { $0.mentor?.mentor != nil }, #Predicate { $0.mentor?.salary == nil },
      #Predicate { $0.clubs.count > 1 },
      #Predicate { $0.clubs.contains { $0.staff.count == 7 } }, #Predicate { $0.clubs.contains { $0.staff.isEmpty } },
      #Predicate { $0.clubs.allSatisfy { $0.members.count > $0.staff.count } },
      #Predicate { ($0 as? PredicateWorld.Employee)?.workplaces.isEmpty == true },
      #Predicate { $0.boss is PredicateWorld.Employee }, #Predicate { $0.mentor?.workplaces.count == 2 },
      #Predicate { $0.team?.members.isEmpty == false }, #Predicate { $0.mentor == $0.boss?.mentor },
      #Predicate { person in person.reports.contains { $0.boss?.boss == person.boss && $0.mentor == nil } },
    ]
    // swift-format-ignore: NeverForceUnwrap
    let unwrapping: [Predicate<Person>] = [#Predicate { $0.ratio! > score }, #Predicate { $0.boss!.age > number }]
    let all = predicates + more + strings + links + unwrapping
    let chosen = all.randomElement(using: &random) ?? .true
    return rebound(chosen.expression, chosen.variable, root)
  }

  private func rebound(_ test: some StandardPredicateExpression<Bool>, _ variable: Root, _ root: Root) -> Condition {
    Rebound(variable: variable, to: root, test: test)
  }
}
