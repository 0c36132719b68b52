import Foundation
import Testing

@testable import SwiftData

/// Computations without a number as their result, and decimal numbers among many.
@Suite struct UndefinedNumberTests {
  @Model final class Statistic {
    var name: String
    var total: Double
    var count: Double
    var average = 1.0
    var last: Double?
    var price = Decimal(0)

    init(_ name: String, _ total: Double, _ count: Double) {
      self.name = name
      self.total = total
      self.count = count
    }
  }

  let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Statistic.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func insert(_ values: (Double, Double)...) throws -> ModelContext {
    let context = ModelContext(container)
    for (index, value) in values.enumerated() { context.insert(Statistic("\(index)", value.0, value.1)) }
    try context.save()
    return ModelContext(container)
  }

  @Test func `A file keeps no sign of zero, and infinities with their signs`() throws {
    let context = try insert((-0.0, -.infinity))
    let row = try #require(try context.fetch(FetchDescriptor<Statistic>()).first)
    #expect(row.total == 0 && row.total.sign == .plus && row.count == -.infinity)
  }

  @Test func `An update refuses a result that is not a number, also for an optional property`() throws {
    let context = try insert((10, 2), (0, 0))
    func check(_ set: (inout ModelUpdate<Statistic>) -> Void) throws {
      let failure = #expect(throws: SwiftDataError.modelValidationFailure) {
        try context.update(model: Statistic.self, set: set)
        try context.save()
      }
      #expect(failure?.explanation?.contains("NaN") == true)
      context.rollback()
    }
    try check { $0.set(\.average, to: #Expression { $0.total / $0.count }) }
    try check { $0.set(\.last, to: #Expression { $0.total / $0.count }) }
    let rows = try ModelContext(container).fetch(FetchDescriptor<Statistic>())
    #expect(rows.map(\.average) == [1, 1] && rows.map(\.last) == [nil, nil])
  }

  @Test func `An update computes an optional property of a value that is not optional, and nil of nil`() throws {
    let context = try insert((10, 2), (1, 0))
    try context.update(model: Statistic.self) { $0.set(\.last, to: #Expression { $0.total / $0.count }) }
    try context.save()
    var rows = try ModelContext(container).fetch(FetchDescriptor<Statistic>(sortBy: [SortDescriptor(\.name)]))
    #expect(rows.map(\.last) == [5, .infinity])
    try context.update(model: Statistic.self, where: #Predicate { $0.name == "0" }) { $0.set(\.last, to: nil) }
    try context.update(model: Statistic.self) { $0.set(\.last, to: #Expression { $0.last.flatMap { $0 - 1 } }) }
    try context.save()
    rows = try ModelContext(container).fetch(FetchDescriptor<Statistic>(sortBy: [SortDescriptor(\.name)]))
    #expect(rows.map(\.last) == [nil, .infinity])
  }

  @Test func `The sum and the average of both infinities are not numbers, in the store and in memory`() throws {
    let context = try insert((.infinity, 0), (-.infinity, 0), (1, 0))
    func check(_ isUndefined: Bool) throws {
      let sum: Double = try context.aggregate(Statistic.self, .sum(\.total))
      let average: Double? = try context.aggregate(Statistic.self, .average(\.total))
      #expect(sum.isNaN == isUndefined && average?.isNaN == isUndefined)
      if !isUndefined { #expect(sum == .infinity && average == .infinity) }
    }
    try check(true)
    context.insert(Statistic("new", 5, 0))
    try check(true)
    try context.delete(model: Statistic.self, where: #Predicate { $0.total < 0 })
    try check(false)
    let none: Double = try context.aggregate(Statistic.self, where: #Predicate { $0.name == "x" }, .sum(\.total))
    #expect(none == 0)
  }

  @Test func `A decimal is found among few and among many`() throws {
    let context = ModelContext(container)
    for number in 0..<40 {
      let statistic = Statistic("\(number)", 0, 0)
      statistic.price = Decimal(number) / 3 * (number % 2 == 0 ? 1 : -1)
      context.insert(statistic)
    }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Statistic>())
    for count in [1, 40, 100, 9000] {
      let prices = (0..<count).map { Decimal($0) / 3 } + [.nan]
      for predicate in [
        #Predicate<Statistic> { prices.contains($0.price) }, #Predicate<Statistic> { !prices.contains($0.price) },
      ] {
        let expected = try all.filter { try predicate.evaluate($0) }.count
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected, "\(count)")
      }
    }
  }
}
