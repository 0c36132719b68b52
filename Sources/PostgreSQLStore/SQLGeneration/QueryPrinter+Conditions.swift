import PostgreSQL
import StoreRequests

extension QueryPrinter {
  /// Which rows a condition with doubts selects.
  enum Bound {
    /// The rows for which the expression may be true.
    case possible
    /// The rows for which the expression is certainly true.
    case certain
    /// The doubts go to the condition around the value that this condition is a part of.
    case value

    /// For a part of a condition that makes the whole condition false if the part is true.
    var opposite: Bound {
      switch self {
      case .possible: .certain
      case .certain: .possible
      case .value: .value
      }
    }
  }

  /// SQL that is true for the rows for which the expression is true (`isNegated`: is not true). For other rows it is false or
  /// `NULL`. With doubts, the bound says which rows are meant.
  ///
  /// A negation is pushed down to the leaves, where it is exact: a `NULL` condition is not true, so its negation is.
  mutating func truth(
    _ expression: FetchExpression, isNegated: Bool = false, _ bound: Bound, depth: Int = 0
  ) throws -> String {
    guard depth < Self.depthLimit else { throw QueryError.tooDeep(limit: Self.depthLimit) }
    switch expression {
    case .not(let operand): return try truth(operand, isNegated: !isNegated, bound, depth: depth + 1)
    case .and(let terms):
      return try junction(terms, isNegated ? "OR" : "AND", isNegated: isNegated, bound, depth: depth + 1)
    case .or(let terms):
      return try junction(terms, isNegated ? "AND" : "OR", isNegated: isNegated, bound, depth: depth + 1)
    case .exists(let path, let relationship, let variable, let condition):
      let inner = isNegated ? bound.opposite : bound
      return try leaf(isNegated: false, bound) { printer in
        let subquery = try printer.subquery(
          path, relationship, variable, condition: condition, inner, depth: depth + 1
        ) { _ in "1" }
        return isNegated ? "NOT EXISTS \(subquery)" : "EXISTS \(subquery)"
      }
    default:
      let test = try leaf(isNegated: isNegated, bound) { try $0.condition(expression, depth: depth + 1) }
      guard !isNegated, let implied = try implied(by: expression, bound, depth: depth + 1) else { return test }
      return test == "TRUE" ? implied : "(\(test) AND \(implied))"
    }
  }

  private mutating func junction(
    _ terms: [FetchExpression], _ operation: String, isNegated: Bool, _ bound: Bound, depth: Int
  ) throws -> String {
    guard !terms.isEmpty else { return operation == "AND" ? "TRUE" : "FALSE" }
    let printed = try terms.map { try truth($0, isNegated: isNegated, bound, depth: depth) }
    return printed.count == 1 ? printed[0] : "(\(printed.joined(separator: " \(operation) ")))"
  }

  /// A condition without conditions in it, made definite with respect to its doubts.
  private mutating func leaf(
    isNegated: Bool, _ bound: Bound, _ print: (inout Self) throws -> String
  ) throws -> String {
    let outer = doubts
    doubts = []
    let sql: String
    do { sql = try attempt(print) } catch let problem as Undecidable {
      doubts = outer
      guard bound != .value else { throw problem }
      isExact = false
      return bound == .possible ? "TRUE" : "FALSE"
    }
    let test = isNegated ? "(\(sql)) IS NOT TRUE" : sql
    let own = doubts
    doubts = outer
    guard !own.isEmpty else { return test }
    if bound == .value {
      doubts += own
      return test
    }
    isExact = false
    let certain = own.joined(separator: " AND ")
    return bound == .possible ? "(\(test) OR (\(certain)) IS NOT TRUE)" : "((\(test)) AND \(certain))"
  }

  private mutating func condition(_ expression: FetchExpression, depth: Int) throws -> String {
    switch expression {
    case .comparison(let comparison, let left, let right): return try compare(comparison, left, right, depth: depth)
    case .isNull(.object(let path)): return try "\(key(path).sql) IS NULL"
    case .isNull(let operand): return try "(\(value(operand, depth: depth).sql)) IS NULL"
    case .membership(let operand, let constants): return try membership(operand, constants, depth: depth)
    case .objectMembership(let path, let keys): return try objectMembership(path, keys)
    case .isKind(let path, let entityName):
      let row = try row(path.variable, path.steps)
      let wanted = try [entityName, path.castTo].compactMap(\.self).map { try layout.entities.existingEntity($0) }
      let tests = wanted.map { kindTest($0, row) ?? "\(row.key) IS NOT NULL" }
      return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " AND ")))"
    case .isInteger(let operand, let range):
      return try "\(value(operand, depth: depth).operand.sql) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .constant(.integer(let number)): return number == 0 ? "FALSE" : "TRUE"
    case .constant: return "FALSE"
    default:
      let value = try value(expression, depth: depth)
      switch value.kind {
      case .boolean: return value.sql
      case .integer, .wideInteger, .real, .single, .decimal: return "\(value.sql) <> 0"
      case .null: return "FALSE"
      default: throw Undecidable()
      }
    }
  }

  // MARK: Comparisons

  private mutating func compare(
    _ comparison: FetchExpression.Comparison, _ left: FetchExpression, _ right: FetchExpression, depth: Int
  ) throws -> String {
    switch comparison {
    case .equal: return try equality(left, right, depth: depth)
    case .notEqual: return try "(\(equality(left, right, depth: depth))) IS NOT TRUE"
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if left.isIdentity || right.isIdentity { throw QueryError.identitiesHaveNoOrder }
      let (one, other) = try operands(left, right, depth: depth)
      if one.isEncoded || other.isEncoded { throw Undecidable() }
      return "\(one.comparable) \(comparison.sqlOperator) \(other.comparable)"
    }
  }

  /// Equality that treats `NULL` as a value: `=` if one side is a constant other than `NULL`, else `IS NOT DISTINCT FROM`.
  private mutating func equality(_ left: FetchExpression, _ right: FetchExpression, depth: Int) throws -> String {
    switch (left, right) {
    case (.objectConstant(.some(let one)), .objectConstant(.some(let other))):
      return reader.isEqual(one, other) ? "TRUE" : "FALSE"
    case (.objectConstant(let one), .objectConstant(let other)): return one == other ? "TRUE" : "FALSE"
    case (.objectConstant(let key), .object(let path)), (.object(let path), .objectConstant(let key)):
      guard let key else { return try "\(self.key(path).sql) IS NULL" }
      return try objectMembership(path, [key])
    case (.object(let one), .object(let other)):
      let (first, second) = try (key(one), key(other))
      if first.entity.hierarchy == second.entity.hierarchy { return "\(first.sql) IS NOT DISTINCT FROM \(second.sql)" }
      // Rows of different tables are never equal, but two missing rows are.
      return "(\(first.sql) IS NULL AND \(second.sql) IS NULL)"
    case (.constant(.null), let operand), (let operand, .constant(.null)):
      return try "(\(value(operand, depth: depth).sql)) IS NULL"
    case (.constant(let constant), let operand) where !operand.isConstant,
      (let operand, .constant(let constant)) where !operand.isConstant:
      return try membership(operand, [constant], depth: depth)
    default:
      let (one, other) = try operands(left, right, depth: depth)
      if one.isEncoded || other.isEncoded { throw Undecidable() }
      return "\(one.comparable) IS NOT DISTINCT FROM \(other.comparable)"
    }
  }

  /// Two values of one kind.
  mutating func operands(
    _ left: FetchExpression, _ right: FetchExpression, depth: Int
  ) throws -> (SQLValue, SQLValue) {
    switch (left, right) {
    case (.constant(let constant), let operand) where !operand.isConstant:
      let value = try value(operand, depth: depth)
      return try unified(self.constant(constant, like: value), value)
    case (let operand, .constant(let constant)) where !operand.isConstant:
      let value = try value(operand, depth: depth)
      return try unified(value, self.constant(constant, like: value))
    default: return try unified(value(left, depth: depth), value(right, depth: depth))
    }
  }

  /// A constant of the kind of another value, or else of its own kind.
  mutating func constant(_ constant: StoreValue, like value: SQLValue) throws -> SQLValue {
    if constant.isMissing { return SQLValue(sql: "NULL::\(value.kind.type.sql)", kind: value.kind) }
    // Beside an address, only a text of ASCII has its bytes' order.
    let isText = if case .text = constant { value.kind == .address && !reader.isPlain(constant) } else { false }
    if !isText, let sql = placeholder(constant, as: value.kind) { return SQLValue(sql: sql, kind: value.kind) }
    guard let sql = placeholder(constant, as: constant.naturalKind) else { throw Undecidable() }
    return SQLValue(sql: sql, kind: constant.naturalKind)
  }

  /// Converts two values to one kind.
  func unified(_ left: SQLValue, _ right: SQLValue) throws -> (SQLValue, SQLValue) {
    if left.kind == right.kind || left.kind == .null || right.kind == .null { return (left, right) }
    let kinds: Set = [left.kind, right.kind]
    if kinds == [.text, .address] {
      return (SQLValue(sql: left.sql, kind: .text), SQLValue(sql: right.sql, kind: .text))
    }
    guard left.isNumber, right.isNumber else { throw Undecidable() }
    if kinds.isSubset(of: [.boolean, .integer, .wideInteger]) { return (left.operand, right.operand) }
    if kinds.isSubset(of: [.decimal, .integer, .wideInteger]) { return (left, right) }
    return (SQLValue(sql: left.asReal, kind: .real), SQLValue(sql: right.asReal, kind: .real))
  }
}

extension FetchExpression {
  /// Whether the expression is known before the fetch.
  var isConstant: Bool { if case .constant = self { true } else { false } }
}

extension FetchExpression.Comparison {
  fileprivate var sqlOperator: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}
