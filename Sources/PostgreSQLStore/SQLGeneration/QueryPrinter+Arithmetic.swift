import PostgreSQL
import StoreRequests

// Arithmetic with the results of Swift's.
extension QueryPrinter {
  /// Integers are computed as `numeric`, so that nothing overflows. See the other functions for other numbers.
  ///
  /// - Throws: ``Undecidable`` for numbers of 32 bits: Swift rounds each result to 32 bits in a predicate, and computes with 64 bits
  ///   in a predicate in `NSPredicate`'s format.
  mutating func arithmetic(
    _ operation: FetchExpression.Arithmetic, _ left: FetchExpression, _ right: FetchExpression, depth: Int
  ) throws -> SQLValue {
    let (one, other) = try arithmeticOperands(left, right, depth: depth)
    guard one.isNumber || one.kind == .null, other.isNumber || other.kind == .null else { throw Undecidable() }
    guard one.kind != .null, other.kind != .null else { return SQLValue(sql: "NULL", kind: .null) }
    guard one.kind != .single, other.kind != .single else { throw Undecidable() }
    let (first, second) = (one.operand, other.operand)
    switch (first.kind, second.kind) {
    case (.wideInteger, .wideInteger): return integers(operation, first.sql, second.sql)
    case (.decimal, .decimal), (.decimal, .wideInteger), (.wideInteger, .decimal):
      return try decimals(operation, first, second)
    default: return try reals(operation, first.asReal, second.asReal)
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
  ) throws -> SQLValue {
    let sign: String
    switch operation {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    case .divide, .remainder: throw Undecidable()
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

  /// The server reports an error where a floating-point number overflows or underflows. Swift goes on with an infinity or 0. So
  /// the numbers are kept within bounds.
  private mutating func reals(
    _ operation: FetchExpression.Arithmetic, _ first: String, _ second: String
  ) throws -> SQLValue {
    func within(_ range: String, _ operand: String) -> String {
      "(abs(\(operand)) \(range) OR abs(\(operand)) = 'Infinity' OR \(operand) = 0)"
    }
    let (range, sql) =
      switch operation {
      case .add: ("< 8e307", "\(first) + \(second)")
      case .subtract: ("< 8e307", "\(first) - \(second)")
      case .multiply: ("BETWEEN 1e-150 AND 1e150", "\(first) * \(second)")
      case .divide: ("BETWEEN 1e-150 AND 1e150", "\(first) / nullif(\(second), 0)")
      case .remainder: throw Undecidable()
      }
    let isSafe = "\(within(range, first)) AND \(within(range, second))"
    doubts.append("(\(isSafe)) IS NOT FALSE")
    // Not-a-number counts as a missing value.
    return SQLValue(sql: "CASE WHEN \(isSafe) THEN nullif(\(sql), 'NaN') END", kind: .real)
  }
}
