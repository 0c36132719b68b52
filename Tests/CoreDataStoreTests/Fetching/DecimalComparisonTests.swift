import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Rows are chosen by what they read as: Core Data's way from a decimal to a double may miss the nearest one (CD-5).
@Suite struct DecimalComparisonTests {
  private let folder: TemporaryStore
  private let store: PersistentStore
  private let price = FetchExpression.attribute(FetchPath(), name: "price", element: [])

  init() throws {
    folder = try TemporaryStore()
    let thing = EntityDescription(
      name: "Thing", properties: [FetchTestWorld.attribute("price", .decimal)],
      fetchIndexes: [FetchIndexDescription(name: "byPrice", elements: [.init(subject: .property("price"))])])
    store = try PersistentStore.open(at: folder.url, model: ModelDescription(entities: [thing]))
  }

  /// Rows with the keys 1, 2, 3 …
  private func fill(_ values: [StoreValue]) throws {
    var changes = ChangeSet()
    changes.insertions = values.map { value in
      .init(
        entity: 1, columns: [ColumnSelection(entityName: "Thing", propertyName: "price")],
        source: StoreValuesRow(values: ["price": value]))
    }
    _ = try store.save(changes)
  }

  private func keys(_ predicate: FetchExpression) throws -> [Int64] {
    let cursor = try store.fetch(
      FetchRequest(
        entityName: "Thing", predicate: predicate, sortTerms: [SortTerm(expression: .object(FetchPath()))],
        columns: []))
    var keys: [Int64] = []
    while try cursor.next() { keys.append(cursor.key) }
    return keys
  }

  @Test("CD-5 A number is found however Core Data rounded it, and only then")
  func equality() throws {
    try fill([.real(3.3333333332999993), .real(3.3333333333), .real(3.33333333331), .real(3.3333333334), .null])
    let number = try StoreValue(#require(Decimal(string: "3.3333333333")))
    #expect(try keys(.comparison(.equal, price, .constant(number))) == [1, 2])
    #expect(try keys(.comparison(.equal, .constant(number), price)) == [1, 2])
    #expect(try keys(.comparison(.notEqual, price, .constant(number))) == [3, 4, 5])
    #expect(try keys(.membership(price, [number, .null])) == [1, 2, 5])
    #expect(try keys(.not(.membership(price, [number, .null]))) == [3, 4])
    #expect(try keys(.comparison(.less, price, .constant(number))) == [])
    #expect(try keys(.comparison(.greater, .constant(number), price)) == [])
    #expect(try keys(.not(.comparison(.lessOrEqual, price, .constant(number)))) == [3, 4, 5])
    // Several thousand, which are no chain of as many terms.
    let many = try (0..<5_000).map { try StoreValue(#require(Decimal(string: "\($0).3333333333"))) }
    #expect(try keys(.membership(price, many)) == [1, 2])
  }

  @Test("CD-5 Whole numbers are found from 2⁵³ on too, and those next to them are not")
  func wholeNumbers() throws {
    let numbers: [Int64] = [
      9_007_199_254_740_992, 9_007_199_254_740_993, 1_000_000_000_000_000, 1_000_000_000_000_001,
      1_000_000_000_000_000_000, 1_000_000_000_000_000_001, .max,
    ]
    try fill(numbers.map { .integer($0) })
    for (index, number) in numbers.enumerated() {
      let constant = FetchExpression.constant(StoreValue(Decimal(number)))
      #expect(try keys(.comparison(.equal, price, constant)) == [Int64(index + 1)], "\(number)")
      let below = numbers.indices.filter { numbers[$0] < number }.map { Int64($0 + 1) }
      #expect(try keys(.comparison(.less, price, constant)) == below, "\(number)")
    }
  }

  @Test("CD-5 A number with more digits is compared as it is kept: the whole number that its double is, from 2⁵³ on")
  func moreDigits() throws {
    let number = try #require(Decimal(string: "1234567890123456789.5"))
    try fill([StoreValue(number), .integer(1_234_567_890_123_456_789)])
    #expect(try store.rows(of: "Thing", properties: ["price"]).first?.last == .integer(1_234_567_890_123_456_768))
    #expect(Decimal(StoreValue(number)) == 1_234_567_890_123_456_768)
    #expect(try keys(.comparison(.equal, price, .constant(StoreValue(number)))) == [1])
    #expect(try keys(.comparison(.equal, price, .constant(.integer(1_234_567_890_123_456_768)))) == [1])
  }

  @Test("CD-5 Sorting and grouping go by the stored doubles, of which several may be one number; bounds do not care")
  func sortedAndGrouped() throws {
    let number = try #require(Decimal(string: "3.3333333333"))
    try fill([StoreValue(number), .real(3.3333333332999993), .integer(3), .text("NaN"), .real(4.5)])
    func values(_ request: ValueRequest) throws -> [[StoreValue]] {
      let cursor = try store.values(request)
      var rows: [[StoreValue]] = []
      while try cursor.next() {
        var reader = cursor.reader()
        rows.append(request.values.map { _ in reader.value() })
      }
      return rows
    }
    let sorted = try store.keys(
      FetchRequest(
        entityName: "Thing", sortTerms: [SortTerm(expression: price), SortTerm(expression: .object(FetchPath()))]))
    // By the keys the first would come before the second, as both are one number.
    #expect(sorted.map(\.key) == [3, 2, 1, 5, 4])
    let groups = try values(
      ValueRequest(entityName: "Thing", values: [price, .groupCount], groups: [price]))
    #expect(groups.count == 5)
    let bounds = try values(
      ValueRequest(
        entityName: "Thing", predicate: .comparison(.less, price, .constant(.real(3.5))),
        values: [
          .groupAggregate(.minimum, of: price, isDistinct: false),
          .groupAggregate(.maximum, of: price, isDistinct: false),
        ]))
    #expect(bounds.first.map { Decimal($0[0]) } == 3 && bounds.first.map { Decimal($0[1]) } == number)
  }

  @Test(
    "CD-5 All comparisons in SQL choose what the values that are read would", arguments: 1...6 as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    // Numbers of all sizes, powers of ten among them, each with doubles at, near and some steps away from it.
    var values: [StoreValue] = [.null, .integer(0), .integer(5), .text("NaN")]
    var constants: [StoreValue] = [.integer(0), .integer(5), .real(0.1 + 0.2)]
    for _ in 0..<12 {
      let limits: [Int64] = [9, 999, 999_999, 999_999_999_999, 9_999_999_999_999_999, .max]
      let digits = Int64.random(in: 1...limits[random.below(limits.count)], using: &random)
      let significand = random.once(in: 4) ? 1 : digits
      let number = Decimal(
        sign: random.once(in: 3) ? .minus : .plus, exponent: Int.random(in: -20...4, using: &random),
        significand: Decimal(significand))
      let constant = StoreValue(number)
      constants.append(constant)
      values.append(constant)
      let double: Double
      switch constant {
      case .real(let number): double = number
      case .integer(let number):
        double = Double(number)
        values += [1, 2, 100, 1_000].map { .integer(number > 0 ? number - $0 : number + $0) }
        if number == 0 { continue }
      default: continue
      }
      for steps in [1, 2, 3, 5, 9, 17, 40, 44, 45, 46, 60, 100] as [UInt64] {
        values += [
          .real(Double(bitPattern: double.bitPattern + steps)), .real(Double(bitPattern: double.bitPattern - steps)),
        ]
      }
    }
    try fill(values)
    let numbers = try PlainSQL.rows(folder.url, "SELECT ZPRICE FROM ZTHING ORDER BY Z_PK").map { Decimal($0[0]) }
    let sorted = try PlainSQL.rows(folder.url, "SELECT ZPRICE FROM ZTHING WHERE ZPRICE < '' ORDER BY ZPRICE")
      .compactMap { Decimal($0[0]) }
    #expect(sorted == sorted.sorted() && sorted.count == values.count - 2)
    func expected(_ isWanted: (Decimal) -> Bool) -> [Int64] {
      numbers.indices.filter { index in numbers[index].map { !$0.isNaN && isWanted($0) } ?? false }.map {
        Int64($0 + 1)
      }
    }
    let isNumber = FetchExpression.comparison(.less, price, .constant(.text("")))
    for constant in constants {
      let number = try #require(Decimal(constant))
      let cases: [(FetchExpression.Comparison, (Decimal) -> Bool)] = [
        (.equal, { $0 == number }), (.less, { $0 < number }), (.lessOrEqual, { $0 <= number }),
        (.greater, { $0 > number }), (.greaterOrEqual, { $0 >= number }),
      ]
      for (comparison, isWanted) in cases {
        let found = try keys(.and([.comparison(comparison, price, .constant(constant)), isNumber]))
        #expect(found == expected(isWanted), "\(comparison) \(number)")
      }
      #expect(try keys(.membership(price, [constant, .real(1e100)])) == expected { $0 == number }, "\(number)")
    }
  }
}
