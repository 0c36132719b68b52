import Foundation
import ManagedModel
import SQLite
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

  @Test(
    "CD-5 All comparisons in SQL choose what the values that are read would", arguments: 1...6 as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SeededNumbers(seed)
    // Numbers of all sizes, powers of ten among them, each with doubles at, near and some steps away from it.
    var values: [StoreValue] = [.null, .integer(0), .integer(5), .text("NaN")]
    var constants: [StoreValue] = [.integer(0), .integer(5), .real(0.1 + 0.2)]
    for _ in 0..<12 {
      let limits: [Int64] = [9, 999, 999_999, 999_999_999_999, .max]
      let digits = Int64.random(in: 1...limits[random.below(limits.count)], using: &random)
      let significand = random.once(in: 4) ? 1 : digits
      let number = Decimal(
        sign: random.once(in: 3) ? .minus : .plus, exponent: Int.random(in: -20...4, using: &random),
        significand: Decimal(significand))
      let constant = StoreValue(number)
      // The column makes an integer of a whole double, which has more digits then than anybody asked for.
      if case .real(let double) = constant, double.magnitude >= 0x1p53, double.magnitude < 0x1p63 { continue }
      constants.append(constant)
      values.append(constant)
      guard case .real(let double) = constant else { continue }
      for steps in [1, 2, 3, 5, 9, 17, 40, 44, 45, 46, 60, 100] as [UInt64] {
        values += [
          .real(Double(bitPattern: double.bitPattern + steps)), .real(Double(bitPattern: double.bitPattern - steps)),
        ]
      }
    }
    try fill(values)
    let numbers = try RealStores.sql(folder.url, "SELECT ZPRICE FROM ZTHING ORDER BY Z_PK").map { Decimal($0[0]) }
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
