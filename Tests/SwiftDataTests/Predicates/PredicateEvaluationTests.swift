import Foundation
import Testing

@testable import SwiftData

/// `evaluate(_:)` of captured predicates and expressions within `#Predicate`, as programs for Apple's framework combine them.
@Suite struct PredicateEvaluationTests {
  typealias Person = PredicateWorld.Person
  private let store: PredicateStore

  init() throws { store = try PredicateStore() }

  /// Compares the people that the store selects, and those that memory selects, with those that Swift selects.
  private func check(
    _ predicate: Predicate<Person>, inSQL: Bool = true, location: SourceLocation = #_sourceLocation,
    _ selects: (Person) -> Bool
  ) throws {
    let expected = store.people.filter(selects).map(\.number)
    #expect(!expected.isEmpty && expected.count < store.people.count, sourceLocation: location)
    let plan = try FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver, allowsInMemory: !inSQL)
    // Memory decides about what the store selects, if the store does not decide.
    let selected = try store.numbers(plan).sorted()
    #expect(inSQL ? selected == expected : Set(selected).isSuperset(of: expected), sourceLocation: location)
    let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
    #expect(try store.people.filter(evaluation.matches).map(\.number) == expected, sourceLocation: location)
    #expect(try store.people.filter(predicate.evaluate).map(\.number) == expected, sourceLocation: location)
  }

  @Test func `Captured predicates are parts of the SQL`() throws {
    let adult = #Predicate<Person> { $0.age > 5 }
    let named = #Predicate<Person> { $0.nick != nil }
    try check(#Predicate { adult.evaluate($0) && named.evaluate($0) }) { $0.age > 5 && $0.nick != nil }
    try check(#Predicate<Person> { person in !adult.evaluate(person) || person.number == 1 }) {
      $0.age <= 5 || $0.number == 1
    }
    let needsName = true
    try check(
      #Predicate<Person> { person in
        if needsName { named.evaluate(person) } else { adult.evaluate(person) }
      }
    ) { $0.nick != nil }
  }

  @Test func `A loop combines as many predicates as a search has words`() throws {
    let parts = (0..<40).map { number in #Predicate<Person> { $0.number != number * 2 } }
    let all = parts.reduce(#Predicate { _ in true }) { all, next in
      #Predicate { all.evaluate($0) && next.evaluate($0) }
    }
    try check(all) { !$0.number.isMultiple(of: 2) }
    let any = parts.reduce(nil as Predicate<Person>?) { any, next in
      guard let any else { return #Predicate { !next.evaluate($0) } }
      return #Predicate { any.evaluate($0) || !next.evaluate($0) }
    }
    try check(#require(any)) { $0.number.isMultiple(of: 2) }
  }

  @Test func `A captured predicate tests related objects, each with its own values`() throws {
    let adult = #Predicate<Person> { $0.age > 5 }
    try check(#Predicate<Person> { person in person.reports.contains { adult.evaluate($0) } }) { person in
      person.reports.contains { $0.age > 5 }
    }
    let mixed = #Predicate<Person> { person in
      !adult.evaluate(person) && person.reports.contains { adult.evaluate($0) }
    }
    try check(mixed) { person in person.age <= 5 && person.reports.contains { $0.age > 5 } }
  }

  @Test func `A captured expression gives the value of each argument`() throws {
    let adults = #Expression<[Person], Int> { people in people.filter { $0.age > 5 }.count }
    let double = #Expression<Int, Int> { $0 * 2 }
    try check(#Predicate<Person> { adults.evaluate($0.reports) > 0 }) { person in
      person.reports.contains { $0.age > 5 }
    }
    try check(#Predicate<Person> { double.evaluate($0.age) > double.evaluate($0.number) }) { $0.age > $0.number }
  }

  @Test func `A part of a captured predicate that only memory can evaluate runs there`() throws {
    let tagged = #Predicate<Person> { $0.tags.contains("y1") }
    try check(#Predicate<Person> { tagged.evaluate($0) && $0.number >= 0 }, inSQL: false) { $0.tags.contains("y1") }
  }

  @Test(arguments: [60, 90])
  func `A chain of predicates that evaluate one another gives the values, also beyond what SQL takes`(
    length: Int
  ) throws {
    var chain = #Predicate<Person> { $0.age == 3 }
    for age in 4..<4 + length {
      let shorter = chain
      chain = #Predicate<Person> { shorter.evaluate($0) || $0.age == age }
    }
    try check(chain, inSQL: length < 66) { (3..<4 + length).contains($0.age) }
  }

  @Test func `Predicates that are composed by hand are parts of the SQL`() throws {
    let adult = #Predicate<Person> { $0.age > 5 }
    let composed = Predicate<Person> {
      PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(adult), $0)
    }
    try check(composed) { $0.age > 5 }
    let age = #Expression<Person, Int> { $0.age }
    let compared = Predicate<Person> {
      PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(age), $0),
        rhs: PredicateExpressions.build_Arg(5), op: .greaterThan)
    }
    try check(compared) { $0.age > 5 }
  }
}
