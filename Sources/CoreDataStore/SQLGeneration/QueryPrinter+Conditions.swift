import SQLite
import StoreRequests

extension QueryPrinter {
  /// SQL that is true exactly for rows for which the expression is true. For other rows it is false or `NULL`.
  ///
  /// `WHERE`, `AND`, `OR` and `CASE` treat `NULL` as false, so plain operators suffice and indexes can be used.
  mutating func condition(_ expression: FetchExpression, depth: Int = 0) throws -> String {
    try truth(expression, isNegated: false, depth: depth)
  }

  /// The conditions that have to be true together for the expression to be true.
  ///
  /// - Parameter isAlone: whether nothing else is in the clause, so that a single disjunction needs no parentheses.
  mutating func conjuncts(_ expression: FetchExpression, depth: Int = 0, isAlone: Bool = false) throws -> [String] {
    let terms = try conjuncts(expression, isNegated: false, depth: depth)
    if isAlone, terms.count == 1, terms[0].first == "(", expression.isDisjunction(isNegated: false) {
      return [String(terms[0].dropFirst().dropLast())]
    }
    return terms.count <= 64 ? terms : [balanced(terms[...], operation: "AND")]
  }

  /// SQL that is true exactly for rows for which the expression is true (`isNegated`: is not true), as an operand of any
  /// operator.
  ///
  /// A negation is pushed down to the leaves, where it is exact: a `NULL` condition is not true, so its negation is.
  mutating func truth(_ expression: FetchExpression, isNegated: Bool, depth: Int) throws -> String {
    let terms = try conjuncts(expression, isNegated: isNegated, depth: depth)
    return balanced(terms[...], operation: "AND")
  }

  /// The terms of the expression, or of its negation, as a conjunction.
  private mutating func conjuncts(_ expression: FetchExpression, isNegated: Bool, depth: Int) throws -> [String] {
    guard depth < Self.depthLimit else { throw QueryError.tooDeep(limit: Self.depthLimit) }
    switch expression {
    case .not(let operand):
      return try conjuncts(operand, isNegated: !isNegated, depth: depth + 1)
    case .and, .or:
      return try junction(expression, isNegated: isNegated, depth: depth)
    case .comparison(let comparison, let left, let right):
      return [try compare(comparison, left, right, isNegated: isNegated, depth: depth + 1)]
    case .isNull(.object(let path)):
      return [try isAbsent(path, isNegated: isNegated)]
    case .isNull(let operand):
      if let presence = try presence(of: operand) { return ["\(presence) IS \(isNegated ? "TRUE" : "NOT TRUE")"] }
      return [try "\(value(operand, depth: depth + 1)) IS \(isNegated ? "NOT " : "")NULL"]
    case .membership(let operand, let constants):
      return [try membership(operand, constants, isNegated: isNegated, depth: depth + 1)]
    case .objectMembership(let path, let keys):
      return [try objectMembership(path, keys, isNegated: isNegated)]
    case .exists(let path, let relationship, let variable, let condition):
      if !isNegated, let condition, try canUseIndex(condition, variable, path, relationship) {
        return [try ownerTest(path, relationship, variable, condition: condition, depth: depth + 1)]
      }
      let subquery = try subquery(path, relationship, variable, condition: condition, depth: depth + 1) { _ in "1" }
      return [isNegated ? "NOT EXISTS \(subquery)" : "EXISTS \(subquery)"]
    case .isKind(let path, let entityName):
      let row = try row(path.variable, path.steps)
      var tests = [try "\(row.column("Z_ENT")) \(kindTest(layout.existingEntity(entityName)))"]
      if let cast = path.castTo { tests.append(try "\(row.column("Z_ENT")) \(kindTest(layout.existingEntity(cast)))") }
      return isNegated ? ["(\(tests.joined(separator: " AND "))) IS NOT TRUE"] : tests
    case .isInteger(let operand, let range):
      let sql = try value(operand, depth: depth + 1)
      // A result beyond 64 bits becomes a floating-point number, which may equal the least integer after rounding. Its
      // type tells.
      let test =
        range == Int64.min...Int64.max
        ? "typeof(\(sql)) = 'integer'" : "\(sql) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
      return [isNegated ? "(\(test)) IS NOT TRUE" : test]
    case .attribute, .constant, .string, .arithmetic, .negative, .coalesce, .conditional, .count, .aggregate, .object,
      .objectConstant, .groupCount, .groupAggregate, .contains, .elementCount:
      let range = isNegated ? [] : try prefixRange(expression)
      let value = try value(expression, depth: depth + 1)
      return range + [isNegated ? "(\(value)) IS NOT TRUE" : value]
    }
  }

  /// The terms of a conjunction or disjunction. Nested ones of the same kind are merged; a disjunction is a single
  /// term.
  private mutating func junction(_ expression: FetchExpression, isNegated: Bool, depth: Int) throws -> [String] {
    var terms: [FetchExpression] = []
    var pending = [expression]
    let isConjunction = if case .and = expression { true } else { false }
    while let next = pending.popLast() {
      switch next {
      case .and(let inner) where isConjunction: pending.append(contentsOf: inner.reversed())
      case .or(let inner) where !isConjunction: pending.append(contentsOf: inner.reversed())
      default: terms.append(next)
      }
    }
    // An empty conjunction is true, an empty disjunction false.
    guard !terms.isEmpty else { return [isConjunction != isNegated ? "1" : "0"] }
    if isConjunction != isNegated {
      return try terms.flatMap { try conjuncts($0, isNegated: isNegated, depth: depth + 1) }
    }
    if !isNegated { terms = FetchExpression.joiningEqualities(terms) }
    let printed = try terms.map { try truth($0, isNegated: isNegated, depth: depth + 1) }
    return [balanced(printed[...], operation: "OR")]
  }

  /// `((a AND b) AND (c AND d))`: SQLite bounds the depth of an expression, not its length.
  func balanced(_ terms: ArraySlice<String>, operation: String) -> String {
    if terms.count == 1, let only = terms.first { return only }
    if terms.count <= 8 { return "(" + terms.joined(separator: " \(operation) ") + ")" }
    let middle = terms.startIndex + terms.count / 2
    let left = balanced(terms[..<middle], operation: operation)
    return "(\(left) \(operation) \(balanced(terms[middle...], operation: operation)))"
  }

  // MARK: Comparisons

  private mutating func compare(
    _ comparison: FetchExpression.Comparison, _ left: FetchExpression, _ right: FetchExpression, isNegated: Bool,
    depth: Int
  ) throws -> String {
    if let sql = try decimalComparison(comparison, left, right, isNegated: isNegated, depth: depth) { return sql }
    switch comparison {
    case .equal: return try equality(left, right, isEqual: !isNegated, depth: depth)
    case .notEqual: return try equality(left, right, isEqual: isNegated, depth: depth)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if left.isIdentity || right.isIdentity { throw QueryError.identitiesHaveNoOrder }
      let sql = try "\(ordered(left, right, depth: depth)) \(comparison.sqlOperator) \(value(right, depth: depth))"
      return isNegated ? "(\(sql)) IS NOT TRUE" : sql
    }
  }

  /// The left operand of `<`, `<=`, `>` or `>=`, with Swift's order if bytes may have another.
  private mutating func ordered(_ left: FetchExpression, _ right: FetchExpression, depth: Int) throws -> String {
    let isCollated = try areTexts(left, right) && !left.isOrderedByBytes && !right.isOrderedByBytes
    return try value(left, depth: depth) + (isCollated ? SQLText.collatingCanonically : "")
  }

  /// Whether a path leads to no row.
  private mutating func isAbsent(_ path: FetchPath, isNegated: Bool) throws -> String {
    guard let foreignKey = try foreignKey(path) else {
      return try "\(key(path).sql) IS \(isNegated ? "NOT " : "")NULL"
    }
    return "\(isNegated ? "" : "NOT ")EXISTS \(foreignKey.destinations("= \(foreignKey.sql)"))"
  }

  /// Equality that treats `NULL` as a value: `=` if one side is a constant other than `NULL`, else `IS`.
  ///
  /// Texts compare as in Swift. A constant is searched for in all of its forms, which an index can serve; other texts
  /// are collated.
  private mutating func equality(
    _ left: FetchExpression, _ right: FetchExpression, isEqual: Bool, depth: Int
  ) throws -> String {
    switch (left, right) {
    case (.objectConstant(let one), .objectConstant(let other)):
      dependsOnValues = true
      return (one == other) == isEqual ? "1" : "0"
    case (.objectConstant(let key), .object(let path)), (.object(let path), .objectConstant(let key)):
      guard let key else { return try isAbsent(path, isNegated: !isEqual) }
      return try objectMembership(path, [key], isNegated: !isEqual)
    case (.object(let one), .object(let other)):
      let (first, second) = try (key(one), key(other))
      if first.entity.table == second.entity.table {
        return "\(first.sql) IS \(isEqual ? "" : "NOT ")\(second.sql)"
      }
      // Rows of different tables are never equal, but two missing rows are.
      let bothAbsent = "(\(first.sql) IS NULL AND \(second.sql) IS NULL)"
      return isEqual ? bothAbsent : "NOT \(bothAbsent)"
    case (.constant(.null), let operand), (let operand, .constant(.null)):
      return try "\(value(operand, depth: depth)) IS \(isEqual ? "" : "NOT ")NULL"
    case (.constant(.text(let text)), let operand), (let operand, .constant(.text(let text))):
      return try membership(operand, [.text(text)], isNegated: !isEqual, depth: depth)
    case (.constant(.integer(let truth)), .attribute) where truth == 0 || truth == 1:
      return try equality(right, left, isEqual: isEqual, depth: depth)
    case (.attribute, .constant(.integer(let truth))) where try (truth == 0 || truth == 1) && isBoolean(left):
      // The form of a partial index's condition (CD-4).
      return try "\(value(left, depth: depth)) \(isEqual ? "=" : "IS NOT") \(truth)"
    default:
      let isSimple = left.isConstant || right.isConstant
      let operation = isEqual ? (isSimple ? "=" : "IS") : "IS NOT"
      let collation = try areTexts(left, right) ? SQLText.collatingCanonically : ""
      return try "\(value(left, depth: depth))\(collation) \(operation) \(value(right, depth: depth))"
    }
  }
}

extension FetchExpression {
  /// Whether the expression is a text for which the order of bytes agrees with Swift's order.
  ///
  /// This holds for texts with characters below `;` only (digits, blanks, most punctuation). None of them is equivalent
  /// to another character or composes with one, so the first difference from such a text decides both orders.
  fileprivate var isOrderedByBytes: Bool {
    if case .constant(.text(let text)) = self { text.utf8.allSatisfy { $0 < UInt8(ascii: ";") } } else { false }
  }

  /// `a = 1 OR a = 2 OR a = 3` as `a IN (1, 2, 3)`, because SQLite plans long disjunctions in quadratic time.
  fileprivate static func joiningEqualities(_ terms: [FetchExpression]) -> [FetchExpression] {
    guard terms.count > 2 else { return terms }
    var constants: [FetchExpression: [StoreValue]] = [:]
    var result: [FetchExpression] = []
    for term in terms {
      if case .comparison(.equal, .attribute(let path, let name, let element), .constant(let value)) = term,
        value != .null
      {
        let operand = FetchExpression.attribute(path, name: name, element: element)
        if constants[operand]?.append(value) == nil {
          constants[operand] = [value]
          result.append(.membership(operand, []))
        }
      } else {
        result.append(term)
      }
    }
    return result.map { term in
      guard case .membership(let operand, let values) = term, values.isEmpty, let known = constants[operand] else {
        return term
      }
      return .membership(operand, known)
    }
  }

  /// Whether the expression, or its negation, prints as a disjunction in parentheses.
  fileprivate func isDisjunction(isNegated: Bool) -> Bool {
    switch self {
    case .not(let operand): operand.isDisjunction(isNegated: !isNegated)
    case .or(let terms): !isNegated && terms.count { if case .or = $0 { false } else { true } } > 1
    case .and(let terms): isNegated && terms.count { if case .and = $0 { false } else { true } } > 1
    default: false
    }
  }

  /// Whether the expression is known before the fetch, and is not `NULL`.
  fileprivate var isConstant: Bool {
    if case .constant(let value) = self { value != .null } else { false }
  }
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
