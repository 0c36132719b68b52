import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Numbers in predicates over a PostgreSQL store", TestServer.condition)
struct NumberTests {
  @Model final class Sample {
    var number: Int
    var share: Float
    var other: Float?
    var price: Decimal
    var cost: Decimal?

    init(_ number: Int, _ share: Float, _ other: Float?, _ price: Decimal, _ cost: Decimal?) {
      self.number = number
      self.share = share
      self.other = other
      self.price = price
      self.cost = cost
    }
  }

  private static let floats: [Float] = [
    0, -0.0, 0.1, 0.2, 0.3, 1.5, -2.25, 16_777_216, 16_777_218, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, 1e-30, 3e38,
  ]
  private static let decimals = [
    "0", "0.1", "0.3", "-1.25", "0.12345678901234567890", "0.12345678901234567891", "12345678901234567890123456789.5",
    "99999999999999999999999999999999999999", "1e-30", "-0.30000000000000000001", "1e100", "3.3333333333",
  ].compactMap { Decimal(string: $0) }

  let store: TemporaryStore
  let context: ModelContext
  let samples: [Sample]

  init() throws {
    store = try TemporaryStore()
    let container = try TestEngine.postgreSQL.container(Schema([Sample.self]), store)
    let writing = ModelContext(container)
    var samples: [Sample] = []
    for number in 0..<60 {
      let (floats, decimals) = (Self.floats, Self.decimals)
      samples.append(
        Sample(
          number, floats[number % floats.count], number % 7 == 0 ? nil : floats[(number * 5 + 3) % floats.count],
          decimals[number % decimals.count], number % 5 == 0 ? nil : decimals[(number * 7 + 2) % decimals.count]))
    }
    for sample in samples { writing.insert(sample) }
    try writing.save()
    self.samples = samples
    context = ModelContext(container)
  }

  private func check(_ predicate: Predicate<Sample>, _ comment: Comment? = nil) throws {
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
    let expected = samples.filter { (try? predicate.evaluate($0)) ?? false }
    #expect(found.map(\.number) == expected.map(\.number), comment)
  }

  @Test("Arithmetic of Float has the result that memory has")
  func floats() throws {
    for limit in [0, 0.3, 0.30000001, 33_554_432, .infinity] as [Float] {
      try check(#Predicate { $0.share + 0.1 > limit }, "+ constant, \(limit)")
      try check(#Predicate { $0.share * 3 == limit }, "* constant, \(limit)")
      try check(#Predicate { $0.share * $0.share >= limit }, "* itself, \(limit)")
      try check(#Predicate { $0.share / 3 < limit }, "/ constant, \(limit)")
      try check(#Predicate { $0.other.flatMap { $0 - 0.1 == limit } ?? false }, "- constant, \(limit)")
      try check(#Predicate { -$0.share <= limit }, "negated, \(limit)")
      try check(#Predicate { $0.share == limit }, "itself, \(limit)")
    }
    let some = Array(Self.floats.prefix(5))
    try check(#Predicate { some.contains($0.share) })
  }

  @Test("A sum of Float is computed in double, as over SQLite")
  func floatSums() throws {
    let container = try TestEngine.postgreSQL.container(Schema([Sample.self]), try TemporaryStore())
    let writing = ModelContext(container)
    for number in 0..<1000 { writing.insert(Sample(number, 0.1, nil, 0, nil)) }
    try writing.save()
    #expect(try writing.aggregate(Sample.self, .sum(\.share)) == Float(1000 * Double(Float(0.1))))
  }

  @Test("Decimal constants keep all of their digits")
  func decimals() throws {
    for constant in Self.decimals {
      try check(#Predicate { $0.price == constant }, "== \(constant)")
      try check(#Predicate { $0.price != constant }, "!= \(constant)")
      try check(#Predicate { $0.price < constant }, "< \(constant)")
      try check(#Predicate { $0.price >= constant }, ">= \(constant)")
      try check(#Predicate { $0.cost == constant }, "optional == \(constant)")
      try check(#Predicate { ($0.cost ?? constant) > 0 }, "?? \(constant)")
    }
    let some = Set(Self.decimals.prefix(6))
    try check(#Predicate { some.contains($0.price) })
    try check(#Predicate { !some.contains($0.price) })
  }

  @Test("Arithmetic of Decimal has the result that memory has")
  func decimalArithmetic() throws {
    let tenth = Self.decimals[1]
    let long = Self.decimals[4]
    for limit in Self.decimals {
      try check(#Predicate { $0.price + tenth > limit }, "+ \(limit)")
      try check(#Predicate { $0.price * 3 == limit }, "* \(limit)")
      try check(#Predicate { $0.price * $0.price > limit }, "square \(limit)")
      try check(#Predicate { $0.price - long >= limit }, "- \(limit)")
      try check(#Predicate { ($0.cost ?? tenth) + $0.price < limit }, "columns \(limit)")
      try check(#Predicate { -$0.price == limit }, "negated \(limit)")
    }
  }
}
