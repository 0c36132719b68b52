import Foundation
import TestSupport
import Testing

@testable import SwiftData

enum ArithmeticWorld {
  @Model final class Sample {
    var whole: Int = 0
    var other: Int = 0
    var tiny: Int8 = 0
    var medium: Int32 = 0
    var octet: UInt8 = 0
    var ratio: Double = 0
    var fraction: Float = 0
    var price: Decimal = 0
    var owner: Sample?
    @Relationship(inverse: \Sample.owner) var parts: [Sample] = []

    init() {}
  }
}

/// Computations that leave their type: SQL and memory select the same objects, and nothing ends the program.
@Suite struct PredicateArithmeticTests {
  typealias Sample = ArithmeticWorld.Sample
  private typealias Condition = any StandardPredicateExpression<Bool>
  private typealias Number<Value> = any StandardPredicateExpression<Value>
  private typealias Root = PredicateExpressions.Variable<Sample>
  private typealias Build = PredicateExpressions

  let context: ModelContext
  let samples: [Sample]

  init() throws {
    let container = try ModelContainer(for: Sample.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    let numbers = [0, 1, -1, 2, -7, 127, Int.max, Int.min, Int.max - 1, Int.min + 1, Int.max / 2, 3_037_000_500]
    var samples: [Sample] = []
    for (index, number) in numbers.enumerated() {
      let sample = Sample()
      context.insert(sample)
      sample.whole = number
      sample.other = numbers[(index * 5 + 3) % numbers.count]
      sample.tiny = [0, 1, -1, 127, -128, 100, -100, 5][index % 8]
      sample.medium = [0, 1, -1, .max, .min, 65_536, 46_341][index % 7]
      sample.octet = [0, 1, 255, 200, 16][index % 5]
      sample.fraction = [0.1, 0.7, -0.2][index % 3]
      sample.price = [Decimal(1) / 10, Decimal(7) / 10, Decimal(-2) / 10][index % 3]
      sample.ratio = [0, -1.5, .infinity, 1e300][index % 4]
      sample.owner = index > 2 ? samples[index / 3 - 1] : nil
      samples.append(sample)
    }
    try context.save()
    self.samples = samples
  }

  /// Compares what the store selects with what evaluation in memory selects.
  private func check(_ predicate: Predicate<Sample>, location: SourceLocation = #_sourceLocation) throws -> Int {
    let selected = try context.fetch(FetchDescriptor(predicate: predicate))
    let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
    let expected = try samples.filter(evaluation.matches)
    let text = sketch(predicate.expression)
    #expect(Set(selected.map(\.whole)) == Set(expected.map(\.whole)), "\(text)", sourceLocation: location)
    #expect(
      try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count, "\(text)",
      sourceLocation: location)
    return expected.count
  }

  @Test("A computation that leaves its type selects nothing, whatever is asked of it")
  func overflows() throws {
    let zero = 0, five = 5, least: Int8 = -128
    for (predicate, count) in [
      (#Predicate<Sample> { $0.whole + 1 > five }, 4), (#Predicate { !($0.whole + 1 > five) }, 7),
      (#Predicate { $0.whole - 1 < 0 }, 4), (#Predicate { -$0.whole == $0.whole }, 1),
      (#Predicate { $0.whole / zero == 0 }, 0), (#Predicate { $0.whole % zero == 0 }, 0),
      (#Predicate { $0.whole / -1 == $0.whole }, 1), (#Predicate { $0.whole % -1 == 0 }, 12),
      (#Predicate { $0.tiny + 1 > 0 || true }, 10), (#Predicate { true || $0.tiny + 1 > 0 }, 12),
      (#Predicate { -$0.tiny == least }, 0),
    ] as [(Predicate<Sample>, Int)] {
      #expect(try check(predicate) == count, "\(sketch(predicate.expression))")
    }
  }

  @Test("Numbers of other digits than a double's are computed with their own digits")
  func digits() throws {
    let (third, sum, part, tenth) = (Float(0.3), Float(0.8), Float(0.1) / 3, Decimal(1) / 10)
    let (priceThird, priceSum) = (Decimal(3) / 10, Decimal(8) / 10)
    for predicate in [
      #Predicate<Sample> { $0.fraction * 3 == third }, #Predicate { $0.fraction + 0.1 == sum },
      #Predicate { $0.fraction / 3 == part }, #Predicate { -$0.fraction == -0.1 },
      #Predicate { $0.price * 3 == priceThird }, #Predicate { $0.price + tenth == priceSum },
    ] as [Predicate<Sample>] {
      #expect(try check(predicate) == 4, "\(sketch(predicate.expression))")
    }
  }

  @Test("A division by minus zero gives the infinity of the other sign")
  func signedZero() throws {
    let (zero, minusZero) = (0.0, -0.0)
    #expect(try check(#Predicate { $0.ratio / minusZero < 1 }) == 6)
    #expect(try check(#Predicate { $0.ratio / zero < 1 }) == 3)
  }

  @Test("Objects that are not saved yet are selected by the same rule")
  func pending() throws {
    let sample = Sample()
    context.insert(sample)
    sample.whole = .max
    let five = 5
    let descriptor = FetchDescriptor<Sample>(predicate: #Predicate { $0.whole + 1 > five })
    #expect(try context.fetch(descriptor).count == 4)
    sample.whole = 5
    #expect(try context.fetch(descriptor).count == 5)
    try context.save()
    #expect(try context.fetch(descriptor).count == 5)
  }

  @Test("Bounds in the wrong order contain nothing")
  func ranges() throws {
    let three = 3
    #expect(try check(#Predicate { ($0.whole...$0.other).contains(three) }) > 0)
    #expect(try check(#Predicate { !($0.whole..<$0.other).contains(three) }) > 0)
    _ = try check(#Predicate { ($0.ratio...2).contains(1) })
    _ = try check(#Predicate { ($0.whole + 1..<$0.other * 2).contains(three) })
  }

  @Test("Members for which a test has no value do not meet it")
  func members() throws {
    _ = try check(#Predicate { $0.parts.contains { $0.whole + 1 > 0 } })
    _ = try check(#Predicate { $0.parts.allSatisfy { $0.whole * 2 != 8 } })
    _ = try check(#Predicate { $0.parts.filter { $0.tiny - 100 < 0 }.count > 1 })
    _ = try check(#Predicate { ($0.owner?.whole ?? 0) + 1 > 0 })
    _ = try check(#Predicate { $0.owner.flatMap { $0.whole - 1 < 0 } ?? true })
  }

  // MARK: Random predicates

  @Test("Random computations, 300: SQL selects what evaluation selects")
  func random() throws {
    var random = SplitMix(seed: 20_261_122)
    var counts: Set<Int> = []
    for _ in 0..<300 {
      counts.insert(try check(Predicate<Sample> { condition(on: $0, depth: 2, &random) }))
    }
    #expect(counts.count > 8)
  }

  private func condition(on root: Root, depth: Int, _ random: inout SplitMix) -> Condition {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0, 1: comparison(\.whole, \.other, on: root, &random)
    case 2: comparison(\.tiny, \.tiny, on: root, &random)
    case 3: comparison(\.medium, \.medium, on: root, &random)
    case 4: comparison(\.octet, \.octet, on: root, &random)
    case 5:
      and(condition(on: root, depth: depth - 1, &random), condition(on: root, depth: depth - 1, &random))
    case 6: or(condition(on: root, depth: depth - 1, &random), condition(on: root, depth: depth - 1, &random))
    default: not(condition(on: root, depth: depth - 1, &random))
    }
  }

  private func comparison<Value: FixedWidthInteger & Codable & Sendable>(
    _ first: any KeyPath<Sample, Value> & Sendable, _ second: any KeyPath<Sample, Value> & Sendable, on root: Root,
    _ random: inout SplitMix
  ) -> Condition {
    let left = number([first, second], on: root, depth: 2, &random)
    let right = number([first, second], on: root, depth: 1, &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return equal(left, right)
    case 1: return less(left, right)
    case 2: return not(less(left, right))
    default: return isBetween(left, right, number([first, second], on: root, depth: 1, &random))
    }
  }

  private func number<Value: FixedWidthInteger & Codable & Sendable>(
    _ keyPaths: [any KeyPath<Sample, Value> & Sendable], on root: Root, depth: Int, _ random: inout SplitMix
  ) -> Number<Value> {
    guard depth > 0, Int.random(in: 0..<5, using: &random) > 0 else {
      if Bool.random(using: &random), let keyPath = keyPaths.randomElement(using: &random) {
        return Build.build_KeyPath(root: root, keyPath: keyPath)
      }
      let constants: [Value] = [0, 1, 2, 5, 100, .max, .min, .max / 2, .max - 1, 0 &- 1]
      return Build.build_Arg(constants.randomElement(using: &random) ?? 0)
    }
    let (left, right) = (
      number(keyPaths, on: root, depth: depth - 1, &random), number(keyPaths, on: root, depth: depth - 1, &random)
    )
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return computed(left, right, .add)
    case 1: return computed(left, right, .subtract)
    case 2: return computed(left, right, .multiply)
    case 3: return quotient(left, right)
    default: return rest(left, right)
    }
  }

  private func and(_ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>)
    -> Condition
  { Build.build_Conjunction(lhs: left, rhs: right) }

  private func or(_ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>)
    -> Condition
  { Build.build_Disjunction(lhs: left, rhs: right) }

  private func not(_ wrapped: some StandardPredicateExpression<Bool>) -> Condition { Build.build_Negation(wrapped) }

  private func equal<Value: Equatable>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>
  ) -> Condition { Build.build_Equal(lhs: left, rhs: right) }

  private func less<Value: Comparable>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>
  ) -> Condition { Build.build_Comparison(lhs: left, rhs: right, op: .lessThan) }

  private func isBetween<Value: Comparable>(
    _ lower: some StandardPredicateExpression<Value>, _ upper: some StandardPredicateExpression<Value>,
    _ value: some StandardPredicateExpression<Value>
  ) -> Condition {
    Build.build_contains(Build.build_ClosedRange(lower: lower, upper: upper), value)
  }

  private func computed<Value: FixedWidthInteger>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>,
    _ operation: PredicateExpressions.ArithmeticOperator
  ) -> Number<Value> { Build.build_Arithmetic(lhs: left, rhs: right, op: operation) }

  private func quotient<Value: FixedWidthInteger>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>
  ) -> Number<Value> { Build.build_Division(lhs: left, rhs: right) }

  private func rest<Value: FixedWidthInteger>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>
  ) -> Number<Value> { Build.build_Remainder(lhs: left, rhs: right) }
}
