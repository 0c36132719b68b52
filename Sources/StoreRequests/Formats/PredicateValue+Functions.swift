import Foundation

extension PredicateValue {
  /// The result of one of `NSExpression`'s functions for known values; `nil` for values of a wrong kind.
  ///
  /// - Throws: ``FormatError`` for a function that is not known.
  package static func applying(_ name: String, to arguments: [PredicateValue]) throws -> PredicateValue {
    if let aggregate = FormatFunction.aggregates[name], arguments.count == 1 {
      return aggregated(aggregate, arguments[0].items)
    }
    switch (name, arguments.count) {
    case ("now", 0), ("now:", 0): return .stored(.real(Date().timeIntervalSinceReferenceDate))
    case ("count:", 1): return .stored(.integer(Int64(arguments[0].items.count)))
    case ("length:", 1): return arguments[0].text.map { .stored(.integer(Int64($0.utf16.count))) } ?? .null
    case (_, 1):
      if let function = FormatFunction.ofText[name] {
        return arguments[0].text.map { .stored(.text(function.result(ofText: $0))) } ?? .null
      }
      if name == "abs:" {
        guard let number = arguments[0].number else { return .null }
        return number < 0 ? arithmetic(.subtract, .stored(.integer(0)), arguments[0]) : arguments[0]
      }
    case (_, 2):
      if let operation = FormatFunction.arithmetic[name] { return arithmetic(operation, arguments[0], arguments[1]) }
    default: break
    }
    throw FormatError.unknownFunction(name, count: arguments.count)
  }

  /// An aggregate of values without the values that are `nil`.
  package static func aggregated(_ aggregate: FetchExpression.Aggregate, _ items: [PredicateValue]) -> PredicateValue {
    let known = items.filter { !$0.isNull }
    switch aggregate {
    case .count: return .stored(.integer(Int64(known.count)))
    case .sum: return known.reduce(.stored(.integer(0))) { arithmetic(.add, $0, $1) }
    case .average:
      guard !known.isEmpty else { return .null }
      return .stored(.real(known.reduce(0) { $0 + ($1.number ?? 0) } / Double(known.count)))
    case .minimum: return known.min { $0.compared(to: $1) == .orderedAscending } ?? .null
    case .maximum: return known.max { $0.compared(to: $1) == .orderedAscending } ?? .null
    }
  }

  /// Integers give an integer if it fits, except in a division.
  private static func arithmetic(
    _ operation: FetchExpression.Arithmetic, _ left: PredicateValue, _ right: PredicateValue
  ) -> PredicateValue {
    if case .stored(.integer(let one)) = left, case .stored(.integer(let other)) = right {
      let result: (partialValue: Int64, overflow: Bool)? =
        switch operation {
        case .add: one.addingReportingOverflow(other)
        case .subtract: one.subtractingReportingOverflow(other)
        case .multiply: one.multipliedReportingOverflow(by: other)
        case .remainder where other != 0: (other == -1 ? 0 : one % other, false)
        case .divide, .remainder: nil
        }
      if let result, !result.overflow { return .stored(.integer(result.partialValue)) }
    }
    guard let one = left.number, let other = right.number else { return .null }
    switch operation {
    case .add: return real(one + other)
    case .subtract: return real(one - other)
    case .multiply: return real(one * other)
    case .divide: return other == 0 ? .null : real(one / other)
    case .remainder:
      // SQLite's remainder is that of whole numbers; a number beyond 64 bits counts as the nearest one.
      guard let first = whole(one), let second = whole(other), second != 0 else { return .null }
      return .stored(.real(second == -1 ? 0 : Double(first % second)))
    }
  }

  /// The whole part of a number, within the bounds of 64 bits; `nil` for not-a-number.
  private static func whole(_ number: Double) -> Int64? {
    if number.isNaN { return nil }
    return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }

  /// A number; not-a-number is `nil`, as in SQL.
  private static func real(_ number: Double) -> PredicateValue { number.isNaN ? .null : .stored(.real(number)) }
}

/// The functions of `NSExpression` that a store can evaluate.
package enum FormatFunction {
  static let arithmetic: [String: FetchExpression.Arithmetic] = [
    "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply, "divide:by:": .divide,
    "modulus:by:": .remainder,
  ]

  static let ofText: [String: StringFunction] = [
    "uppercase:": .uppercased, "lowercase:": .lowercased, "canonical:": .canonical,
  ]

  static let aggregates: [String: FetchExpression.Aggregate] = [
    "sum:": .sum, "average:": .average, "min:": .minimum, "max:": .maximum,
  ]

  /// The aggregates as a step of a path, the last but one: `books.@avg.pages`.
  package static let collectionOperators: [String: FetchExpression.Aggregate] = [
    "@sum": .sum, "@avg": .average, "@min": .minimum, "@max": .maximum,
  ]
}
