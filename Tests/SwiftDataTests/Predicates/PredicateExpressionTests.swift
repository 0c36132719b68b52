import Foundation
import StoreRequests
import Testing

@testable import SwiftData

/// An `#Expression` inside a condition.
///
/// Foundation on Linux has no `Codable` expressions. So a `Predicate` holds none, and these tests build the condition by hand.
@Suite struct PredicateExpressionTests {
  typealias Person = PredicateWorld.Person
  typealias Build = PredicateExpressions
  private let store: PredicateStore
  private let person = PredicateExpressions.Variable<Person>()

  init() throws { store = try PredicateStore() }

  /// The numbers of the people that the store selects.
  private func inStore(_ condition: some PredicateExpression<Bool>) throws -> [Int] {
    var translation = PredicateTranslation(resolver: store.resolver)
    translation.bind(person, to: .object(ObjectTerm(path: FetchPath(), type: Person.self)))
    let request = FetchRequest(entityName: "Person", predicate: try translation.completeCondition(condition))
    let numbers = Dictionary(uniqueKeysWithValues: store.keys.enumerated().map { ($1.key, $0) })
    return try store.engine.keys(request).compactMap { numbers[$0.key] }.sorted()
  }

  /// The numbers of the people that evaluation in memory selects.
  private func inMemory(_ condition: some PredicateExpression<Bool>) throws -> [Int] {
    try store.people.filter(InMemoryEvaluation([condition], of: person).matches).map(\.number)
  }

  private func property<Value>(_ keyPath: any KeyPath<Person, Value> & Sendable) -> some PredicateExpression<Value> {
    Build.build_KeyPath(root: person, keyPath: keyPath)
  }

  @Test func `An expression of columns is a part of the SQL, and memory gives the same rows`() throws {
    let sum = #Expression<Int, Int, Int> { $0 + $1 * 2 }
    let condition = Build.build_Comparison(
      lhs: Build.build_evaluate(Build.build_Arg(sum), property(\.age), property(\.number)), rhs: Build.build_Arg(50),
      op: .greaterThan)
    let expected = store.people.filter { $0.age + $0.number * 2 > 50 }.map(\.number)
    #expect(!expected.isEmpty && expected.count < store.people.count)
    #expect(try inStore(condition) == expected)
    #expect(try inMemory(condition) == expected)
  }

  @Test func `An expression that is used twice takes the value of each use, and follows relationships`() throws {
    let name = #Expression<Person?, String?> { $0?.name }
    let double = #Expression<Int, Int> { $0 * 2 }
    let condition = Build.build_Disjunction(
      lhs: Build.build_Equal(
        lhs: Build.build_evaluate(Build.build_Arg(name), property(\.boss)), rhs: Build.build_Arg(String?.some("ab"))),
      rhs: Build.build_Equal(
        lhs: Build.build_evaluate(Build.build_Arg(double), property(\.age)),
        rhs: Build.build_evaluate(Build.build_Arg(double), property(\.number))))
    let subordinate = store.people.filter { $0.boss?.name == "ab" }
    let equal = store.people.filter { $0.age == $0.number }
    #expect(!subordinate.isEmpty && !equal.isEmpty)
    let expected = Set((subordinate + equal).map(\.number)).sorted()
    #expect(try inStore(condition) == expected)
    #expect(try inMemory(condition) == expected)
  }

  @Test func `What the store cannot evaluate in an expression is named, and runs in memory`() throws {
    let last = #Expression<[String], String?> { $0.max() }
    let condition = Build.build_Equal(
      lhs: Build.build_evaluate(Build.build_Arg(last), property(\.tags)), rhs: Build.build_Arg(String?.some("y1")))
    let problem = #expect(throws: UnsupportedExpression.self) { try inStore(condition) }
    #expect(problem?.sketch == "$0.max()")
    let expected = store.people.filter { $0.tags.max() == "y1" }.map(\.number)
    #expect(try inMemory(condition) == expected && !expected.isEmpty)
  }

  @Test func `A computation of an expression that has no value selects nothing`() throws {
    let quotient = #Expression<Int, Int> { 10 / $0 }
    let condition = Build.build_Comparison(
      lhs: Build.build_evaluate(Build.build_Arg(quotient), property(\.age)), rhs: Build.build_Arg(1), op: .greaterThan)
    let expected = store.people.filter { $0.age != 0 && 10 / $0.age > 1 }.map(\.number)
    #expect(!expected.isEmpty)
    #expect(try inStore(condition) == expected)
    #expect(try inMemory(condition) == expected)
  }
}
