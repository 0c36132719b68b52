import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// The SQL of a fetch is made once for each shape of request, and serves every request of that shape.
@Suite("Statements of fetches") struct SelectPlanTests {
  private func ages(_ age: Int64, named name: String, limit: Int) -> FetchRequest {
    FetchRequest(
      entityName: "Person",
      predicate: .and([
        .comparison(.greater, .attribute(FetchPath(), name: "age", element: []), .constant(.integer(age))),
        .comparison(
          .equal, .attribute(FetchPath(relationships: ["boss"]), name: "name", element: []), .constant(.text(name))),
      ]), limit: limit)
  }

  @Test("Requests that differ in constants are printed once")
  func printedOncePerShape() throws {
    let world = try FetchTestWorld()
    let plans = SelectPlans()
    for number in 2..<200 {
      let request = ages(Int64(number), named: "Mrs. \(number) O'Hara", limit: number)
      let statement = try plans.statement(.rows, request, in: world.store.layout)
      let printed = try SelectStatement(request, in: world.store.layout)
      #expect(statement.sql == printed.sql)
      #expect(statement.bindings == printed.bindings)
    }
    #expect(plans.printedCount == 1)
    // Keys, counts and other orders are other shapes.
    _ = try plans.statement(.keys, ages(2, named: "a", limit: 2), in: world.store.layout)
    _ = try plans.statement(.count, ages(3, named: "b", limit: 3), in: world.store.layout)
    var sorted = ages(4, named: "c", limit: 4)
    sorted.sortTerms = [SortTerm(expression: .attribute(FetchPath(), name: "age", element: []))]
    _ = try plans.statement(.rows, sorted, in: world.store.layout)
    #expect(plans.printedCount == 4)
  }

  @Test("A store's fetches print one text for each shape")
  func storesKeepTheirStatements() throws {
    let world = try FetchTestWorld()
    let before = world.store.plans.printedCount
    for number in 2..<50 { _ = try world.store.count(ages(Int64(number), named: "n\(number)", limit: 5 + number)) }
    #expect(world.store.plans.printedCount == before + 1)
  }

  @Test("The cache forgets, and stays right, after many shapes")
  func limit() throws {
    let world = try FetchTestWorld()
    let plans = SelectPlans()
    for number in 1...(SelectPlans.limit + 20) {
      let request = FetchRequest(
        entityName: "Person",
        predicate: .membership(
          .attribute(FetchPath(), name: "age", element: []), [.integer(Int64(number % 7)), .integer(9)]),
        sortTerms: (0..<(number % 40)).map { _ in SortTerm(expression: .object(FetchPath())) }, limit: number)
      let statement = try plans.statement(.rows, request, in: world.store.layout)
      #expect(try statement.bindings == SelectStatement(request, in: world.store.layout).bindings)
    }
  }

  @Test("Texts with several forms, decimal numbers, prefixes and truth values keep statements of their own")
  func valuesThatDecide() throws {
    let world = try FetchTestWorld()
    let plans = SelectPlans()
    let texts = ["plain", "Kelvin", "a;b", "caf\u{E9}", "", "0123", "\u{212A}", "`", "abc*", "*"]
    let name = FetchExpression.attribute(FetchPath(), name: "name", element: [])
    for first in texts {
      for second in texts {
        for predicate: FetchExpression in [
          .comparison(.equal, name, .constant(.text(first))),
          .comparison(.less, name, .constant(.text(second))),
          .membership(name, [.text(first), .text(second)]),
          .string(.starts, [name, .constant(.text(second))]),
          .string(.like, [name, .constant(.text(first))]),
          .comparison(.equal, .constant(.text(first)), .constant(.text(second))),
        ] {
          let request = FetchRequest(entityName: "Person", predicate: predicate)
          let statement = try plans.statement(.rows, request, in: world.store.layout)
          let printed = try SelectStatement(request, in: world.store.layout)
          #expect(statement.sql == printed.sql, "\(predicate)")
          #expect(statement.bindings == printed.bindings, "\(predicate)")
        }
      }
    }
  }

  @Test("Random requests with other constants: the kept statement is the one that would be printed")
  func randomRequests() throws {
    var reused = 0
    for seed in 1...(FullTests.areWanted ? 100 : 6) as ClosedRange<UInt64> {
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      var random = FetchRandomExpressions(world.random, numbers) { world.all($0).map(\.identity) }
      let plans = SelectPlans()
      for _ in 0..<60 {
        let request = random.request()
        for _ in 0..<4 {
          let variation = request.withOtherConstants(&numbers)
          let before = plans.printedCount
          let statement = try plans.statement(.rows, variation, in: world.store.layout)
          if plans.printedCount == before { reused += 1 }
          let printed = try SelectStatement(variation, in: world.store.layout)
          #expect(statement.sql == printed.sql, "seed \(seed): \(variation)")
          #expect(statement.bindings == printed.bindings, "seed \(seed): \(variation)")
        }
      }
    }
    #expect(reused > 100)
  }
}
