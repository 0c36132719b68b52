import Foundation
import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Arithmetic of predicates in `NSPredicate`'s format, which computes with doubles in memory: the server finds the same objects, or leaves
/// them to memory. The full run compares some hundred thousand results.
@Suite("Arithmetic of formats on the server", TestServer.condition)
struct ComputedNumbersTests {
  private static let types: [AttributeType] = [
    .double, .float, .decimal, .integer64, .double, .float, .decimal, .integer64,
  ]
  private static let names = types.indices.map { "n\($0)" }

  private let store: EngineStore
  private let rows: [[String: StoreValue]]
  private let first: Int64

  private static func value(_ type: AttributeType, _ random: inout SplitMix) -> StoreValue {
    let small = Double(random.below(41) - 20)
    let number =
      switch random.below(6) {
      case 0: small
      case 1: small / 4
      case 2: small / 10
      case 3: Double(random.below(2_000_001) - 1_000_000) / 1_000
      case 4: [0, -0.0, 1, -1, 0.1, 1e-7, 99_999_999, 1e8, -1e9][random.below(9)]
      default: [1e19, -9.3e18, 1e30, -1e-30, 3.3333333333, 123_456_789.123_456][random.below(6)]
      }
    switch type {
    case .double: return .real(random.below(12) == 0 ? .infinity : number)
    case .float: return .real(Double(Float(number)))
    case .decimal: return Decimal(string: "\(number)").map { StoreValue($0) } ?? .null
    default: return .integer(Int64(exactly: number.rounded()) ?? Int64(random.below(9)))
    }
  }

  init() throws {
    var random = SplitMix(seed: 20_261_130)
    rows = (0..<(FullTests.areWanted ? 2_000 : 300)).map { _ in
      Dictionary(
        uniqueKeysWithValues: zip(Self.names, Self.types).compactMap { name, type in
          random.below(20) == 0 ? nil : (name, Self.value(type, &random))
        })
    }
    store = try EngineStore([
      EntityDescription(name: "Item", properties: zip(Self.names, Self.types).map { .attribute($0, $1) })
    ])
    try store.insert("Item", rows)
    first = try #require(try store.store.keys(FetchRequest(entityName: "Item")).first?.key)
  }

  private func selected(_ condition: FetchExpression, _ certainty: Certainty) throws -> Set<Int> {
    var request = FetchRequest(entityName: "Item", predicate: condition)
    request.certainty = certainty
    let rows = try store.store.fetch(request)
    var selected: Set<Int> = []
    while try rows.next() { selected.insert(Int(rows.key - first)) }
    return selected
  }

  private static let operations: [(String, FetchExpression.Arithmetic)] = [
    ("add:to:", .add), ("from:subtract:", .subtract), ("multiply:by:", .multiply), ("divide:by:", .divide),
    ("modulus:by:", .remainder),
  ]

  @Test("A result of columns and constants", arguments: operations.indices)
  func results(_ index: Int) throws {
    typealias Value = PredicateValue<Int>
    let (name, operation) = Self.operations[index]
    var random = SplitMix(seed: UInt64(index))
    var (certain, wanted) = (0, 0)
    for left in Self.names.prefix(4) {
      for right in Self.names.suffix(4) + ["constant"] {
        let constant = Self.value([.double, .integer64][random.below(2)], &random)
        let operand: FetchExpression = right == "constant" ? .constant(constant) : attribute(right)
        // A quotient of formats is one of doubles; see `FormatLowering`.
        let dividend: FetchExpression =
          operation == .divide ? .arithmetic(.multiply, attribute(left), .constant(.real(1))) : attribute(left)
        let results = try rows.map { row in
          try Value.applying(
            name, to: [.stored(row[left] ?? .null), .stored(right == "constant" ? constant : row[right] ?? .null)])
        }
        for limit in results.filter({ !$0.isNull }).prefix(FullTests.areWanted ? 20 : 4) {
          // Beside a decimal number, a double of 16 digits stands for the shorter number that Core Data has missed with it.
          guard case .stored(let stored) = limit, Decimal(stored).map({ StoreValue($0) == stored }) ?? true else {
            continue
          }
          for comparison in [FetchExpression.Comparison.less, .equal] {
            let condition = FetchExpression.comparison(
              comparison, .arithmetic(operation, dividend, operand), .constant(stored))
            let expected = Set(
              rows.indices.filter {
                results[$0].compared(to: limit) == (comparison == .less ? .orderedAscending : .orderedSame)
              })
            let found = try selected(condition, .certain)
            #expect(
              found.isSubset(of: expected), "\(condition): \(found.subtracting(expected).prefix(3).map { rows[$0] })")
            let possible = try selected(condition, .possible)
            #expect(
              expected.isSubset(of: possible),
              "\(condition): \(expected.subtracting(possible).prefix(3).map { rows[$0] })")
            (certain, wanted) = (certain + found.count, wanted + expected.count)
          }
        }
      }
    }
    #expect(certain * 2 > wanted, "\(certain) of \(wanted)")
  }

  private func attribute(_ name: String) -> FetchExpression { .attribute(FetchPath(), name: name, element: []) }
}
