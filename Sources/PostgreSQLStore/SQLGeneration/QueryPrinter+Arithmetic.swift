import PostgreSQL
import StoreRequests

// Arithmetic with the results of Swift's.
extension QueryPrinter {
  /// Integers are computed as `numeric`, so that nothing overflows. See the other functions for other numbers.
  ///
  /// Numbers of 32 bits are computed with 64 bits, as a predicate in `NSPredicate`'s format does. Swift rounds each result to 32 bits, so
  /// a `#Predicate` never comes here with them.
  mutating func arithmetic(
    _ operation: FetchExpression.Arithmetic, _ left: FetchExpression, _ right: FetchExpression, depth: Int
  ) throws -> SQLValue {
    let (one, other) = try arithmeticOperands(left, right, depth: depth)
    guard one.isNumber || one.kind == .null, other.isNumber || other.kind == .null else { throw Undecidable() }
    guard one.kind != .null, other.kind != .null else { return SQLValue(sql: "NULL", kind: .null) }
    let (first, second) = (one.operand, other.operand)
    switch (first.kind, second.kind) {
    case (.wideInteger, .wideInteger): return integers(operation, first.sql, second.sql)
    case (.decimal, .decimal), (.decimal, .wideInteger), (.wideInteger, .decimal):
      return decimals(operation, first, second)
    default: return reals(operation, first.asReal, second.asReal)
    }
  }

  /// Two values; a constant beside a decimal number is one, too.
  private mutating func arithmeticOperands(
    _ left: FetchExpression, _ right: FetchExpression, depth: Int
  ) throws -> (SQLValue, SQLValue) {
    func isDecimal(_ value: SQLValue) -> Bool { value.kind == .decimal }
    switch (left, right) {
    case (.constant(let constant), let operand) where !operand.isConstant:
      let value = try value(operand, depth: depth)
      return (isDecimal(value) ? try self.constant(constant, like: value) : try self.value(left, depth: depth), value)
    case (let operand, .constant(let constant)) where !operand.isConstant:
      let value = try value(operand, depth: depth)
      return (value, isDecimal(value) ? try self.constant(constant, like: value) : try self.value(right, depth: depth))
    default: return try (value(left, depth: depth), value(right, depth: depth))
    }
  }

  private func integers(_ operation: FetchExpression.Arithmetic, _ one: String, _ other: String) -> SQLValue {
    let sql =
      switch operation {
      case .add: "(\(one) + \(other))"
      case .subtract: "(\(one) - \(other))"
      case .multiply: "(\(one) * \(other))"
      case .divide: "div(\(one), nullif(\(other), 0))"
      case .remainder: "mod(\(one), nullif(\(other), 0))"
      }
    return SQLValue(sql: sql, kind: .wideInteger)
  }

  /// The server's `numeric` has as many digits as a result needs; `Decimal` has 38. So the result is certain for short numbers.
  ///
  /// A predicate in `NSPredicate`'s format computes with doubles in memory. So the result is certain only where both ways agree.
  private mutating func decimals(
    _ operation: FetchExpression.Arithmetic, _ one: SQLValue, _ other: SQLValue
  ) -> SQLValue {
    let sign: String
    switch operation {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    case .divide, .remainder: return quotient(operation, one, other)
    }
    func isShort(_ sql: String) -> String { "abs(\(sql)) < 1e10 AND scale(\(sql)) <= 9" }
    let result = "(\(one.sql) \(sign) \(other.sql))"
    // CASE keeps the server from casting a number that no double can hold.
    let isSafe =
      "CASE WHEN \(isShort(one.sql)) AND \(isShort(other.sql)) THEN \(result)::double precision = \(one.asReal) \(sign) \(other.asReal) "
      + "WHEN \(one.sql) IS NOT NULL AND \(other.sql) IS NOT NULL THEN FALSE END"
    doubts.append("(\(isSafe)) IS NOT FALSE")
    return SQLValue(sql: result, kind: .decimal)
  }

  /// A quotient, or a remainder of whole numbers. Only a predicate in `NSPredicate`'s format has them, which computes with
  /// doubles. A double tells a decimal number of 15 digits from others.
  private mutating func quotient(
    _ operation: FetchExpression.Arithmetic, _ one: SQLValue, _ other: SQLValue
  ) -> SQLValue {
    let isShort = [one.sql, other.sql].map { "abs(\($0)) < 1e8 AND scale(\($0)) <= 7" }.joined(separator: " AND ")
    doubts.append("(\(isShort)) IS NOT FALSE")
    let result =
      operation == .divide
      ? "\(one.asReal) / nullif(\(other.asReal), 0)"
      : "mod(trunc(\(one.sql)), nullif(trunc(\(other.sql)), 0))::double precision"
    return SQLValue(sql: "CASE WHEN \(isShort) THEN \(result) END", kind: .real)
  }

  /// The server reports an error where a floating-point number overflows or underflows. Swift goes on with an infinity or 0. So
  /// the numbers are kept within bounds.
  private mutating func reals(
    _ operation: FetchExpression.Arithmetic, _ first: String, _ second: String
  ) -> SQLValue {
    func within(_ range: String, _ operand: String) -> String {
      "(abs(\(operand)) \(range) OR abs(\(operand)) = 'Infinity' OR \(operand) = 0)"
    }
    let (range, sql) =
      switch operation {
      case .add: ("< 8e307", "\(first) + \(second)")
      case .subtract: ("< 8e307", "\(first) - \(second)")
      case .multiply: ("BETWEEN 1e-150 AND 1e150", "\(first) * \(second)")
      case .divide: ("BETWEEN 1e-150 AND 1e150", "\(first) / nullif(\(second), 0)")
      // That of whole numbers, as SQLite's of numbers below 2^63.
      case .remainder: ("< 9e18", "mod(trunc(\(first))::bigint, nullif(trunc(\(second))::bigint, 0))::double precision")
      }
    let isSafe =
      operation == .remainder
      ? "abs(\(first)) \(range) AND abs(\(second)) \(range)" : "\(within(range, first)) AND \(within(range, second))"
    doubts.append("(\(isSafe)) IS NOT FALSE")
    // Not-a-number counts as a missing value.
    return SQLValue(sql: "CASE WHEN \(isSafe) THEN nullif(\(sql), 'NaN') END", kind: .real)
  }
}
