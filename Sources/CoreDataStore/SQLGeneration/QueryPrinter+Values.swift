import ManagedModel
import SQLite
import StoreRequests

extension QueryPrinter {
  /// SQL for the value of an expression. The value of a condition is 1, 0 or `NULL`.
  mutating func value(_ expression: FetchExpression, depth: Int = 0) throws -> String {
    guard depth < Self.depthLimit else { throw QueryError.tooDeep(limit: Self.depthLimit) }
    switch expression {
    case .constant(.null), .objectConstant(nil): return "NULL"
    case .constant(let constant): return placeholder(constant)
    case .objectConstant(.some(let key)): return placeholder(.integer(key.key))
    case .attribute(let path, let name, let element):
      return try attribute(path, name, element).sql
    case .object(let path): return try key(path).sql
    case .arithmetic(let operation, let left, let right):
      let operands = try (number(left, depth: depth + 1), number(right, depth: depth + 1))
      return "(\(operands.0) \(operation.sqlOperator) \(operands.1))"
    case .negative(let operand): return try "(- \(number(operand, depth: depth + 1)))"
    case .coalesce(let first, let second):
      return try "ifnull(\(value(first, depth: depth + 1)), \(value(second, depth: depth + 1)))"
    case .conditional(let condition, let first, let second):
      let test = try truth(condition, isNegated: false, depth: depth + 1)
      let results = try (value(first, depth: depth + 1), value(second, depth: depth + 1))
      return "CASE WHEN \(test) THEN \(results.0) ELSE \(results.1) END"
    case .string(let function, let arguments): return try string(function, arguments, depth: depth + 1)
    case .count(let path, let relationship, let variable, let condition):
      return try subquery(path, relationship, variable, condition: condition, depth: depth + 1) { _ in "count(*)" }
    case .aggregate(let aggregate, let path, let relationship, let variable, let operand):
      let subquery = try subquery(path, relationship, variable, condition: nil, depth: depth + 1) { printer in
        let collation = try printer.isText(operand) ? SQLText.collatingCanonically : ""
        var argument = try printer.number(operand, depth: depth + 1)
        // SQLite evaluates an aggregate in the query whose columns it uses.
        if !operand.hasColumn(of: variable) {
          let key = try printer.row(variable, []).column("Z_PK")
          argument = "CASE \(key) WHEN \(key) THEN \(argument) END"
        }
        return "\(aggregate.sqlFunction)(\(argument)\(collation))"
      }
      return aggregate == .sum ? "ifnull(\(subquery), 0)" : subquery
    case .contains, .elementCount: throw QueryError.archivedCollection
    case .groupCount:
      guard allowsGroupAggregates else { throw QueryError.noGroups }
      return "count(*)"
    case .groupAggregate(let aggregate, let operand, let isDistinct):
      guard allowsGroupAggregates else { throw QueryError.noGroups }
      // Aggregates cannot be nested.
      allowsGroupAggregates = false
      defer { allowsGroupAggregates = true }
      let collation = try isText(operand) ? SQLText.collatingCanonically : ""
      let argument = try (isDistinct ? "DISTINCT " : "") + number(operand, depth: depth + 1) + collation
      let call = "\(aggregate.sqlFunction)(\(argument))"
      return aggregate == .sum ? "ifnull(\(call), 0)" : call
    case .and, .or, .exists:
      // The value is true or false even if an operand is `NULL`, because Swift has no unknown. A test of members may be
      // printed as `IN` over the owners of all matching members. A member without an owner puts `NULL` into that list.
      return try "((\(truth(expression, isNegated: false, depth: depth + 1))) IS TRUE)"
    case .not(let operand):
      return try "((\(truth(operand, isNegated: false, depth: depth + 1))) IS NOT TRUE)"
    case .comparison, .isNull, .membership, .objectMembership, .isKind, .isInteger:
      return try "(\(truth(expression, isNegated: false, depth: depth + 1)))"
    }
  }

  /// An operand of arithmetic. Dates and decimal numbers become floating-point numbers, even if the column's affinity
  /// has stored an integer (CD-5): SQLite would divide integers without remainder.
  private mutating func number(_ expression: FetchExpression, depth: Int) throws -> String {
    guard case .attribute(let path, let name, let element) = expression else {
      return try value(expression, depth: depth)
    }
    let (sql, column) = try attribute(path, name, element)
    return column.type == .timestamp || column.type == .decimal ? "CAST(\(sql) AS REAL)" : sql
  }

  private mutating func attribute(_ path: FetchPath, _ name: String, _ element: [String]) throws
    -> (sql: String, column: ColumnLayout)
  {
    let row = try row(path.variable, path.steps)
    let column = try layout.attributeColumn(name, element: element, of: entity(path, at: row))
    return (try cast(path, at: row, SQLText.reading(column, of: row, in: layout)), column.column)
  }

  /// Whether an attribute has a value, for one whose values may be in files: their bytes need not be read for that.
  ///
  /// - Returns: `nil` for any other expression.
  mutating func presence(of expression: FetchExpression) throws -> String? {
    guard case .attribute(let path, let name, let element) = expression else { return nil }
    let row = try row(path.variable, path.steps)
    let column = try layout.attributeColumn(name, element: element, of: entity(path, at: row))
    guard column.isExternal else { return nil }
    return try cast(path, at: row, SQLText.reading(column, of: row, in: layout, by: SQLText.hasExternalData))
  }

  mutating func isBoolean(_ expression: FetchExpression) throws -> Bool {
    guard case .attribute(let path, let name, let element) = expression else { return false }
    let row = try row(path.variable, path.steps)
    return try layout.attributeColumn(name, element: element, of: entity(path, at: row)).attribute.type == .boolean
  }

  /// Whether an expression's values are strings that compare as in Swift. URIs are ASCII, and compare by bytes.
  mutating func isText(_ expression: FetchExpression) throws -> Bool { try script(of: expression) == .any }

  /// Whether two expressions are strings whose order by bytes may differ from Swift's.
  mutating func areTexts(_ left: FetchExpression, _ right: FetchExpression) throws -> Bool {
    let scripts = try [script(of: left), script(of: right)]
    return !scripts.contains(.none) && scripts.contains(.any)
  }

  private enum Script {
    /// The values are not strings.
    case none
    /// The values are ASCII strings, by their type or as constants.
    case ascii
    case any
  }

  private mutating func script(of expression: FetchExpression) throws -> Script {
    switch expression {
    case .groupAggregate(.minimum, let operand, _), .groupAggregate(.maximum, let operand, _):
      return try script(of: operand)
    case .aggregate(let aggregate, let path, let name, let variable, let operand):
      guard aggregate == .minimum || aggregate == .maximum, let members = try members(of: name, at: path) else {
        return .none
      }
      _ = open(variable, over: members)
      defer { _ = close(variable) }
      return try script(of: operand)
    case .attribute(let path, let name, let element):
      let row = try row(path.variable, path.steps)
      switch try layout.attributeColumn(name, element: element, of: entity(path, at: row)).column.type {
      case .varchar: return .any
      case .uri: return .ascii
      default: return .none
      }
    case .constant(let value):
      guard case .text(let text) = value else { return .none }
      return text.utf8.allSatisfy { $0 < 0x80 } ? .ascii : .any
    case .string(let function, _): return function.givesText ? .any : .none
    case .coalesce(let first, let second), .conditional(_, let first, let second):
      // `NULL` has no type.
      if first == .constant(.null) { return try script(of: second) }
      if second == .constant(.null) { return try script(of: first) }
      let scripts = try [script(of: first), script(of: second)]
      return scripts.contains(.none) ? .none : scripts.contains(.any) ? .any : .ascii
    default: return .none
    }
  }

  private mutating func string(_ function: StringFunction, _ arguments: [FetchExpression], depth: Int) throws -> String
  {
    guard arguments.count == function.argumentCount else {
      throw QueryError.wrongArgumentCount(function, arguments.count)
    }
    let printed = try arguments.map { try value($0, depth: depth) }
    if function == .isEmpty { return "(\(printed.joined()) = '')" }
    return "\(SQLText.name(of: function))(\(printed.joined(separator: ", ")))"
  }
}

extension FetchExpression {
  /// Whether SQLite finds a column of a variable's row in the expression.
  ///
  /// It drops a test whether a row's key is `NULL`. A test of the class has no column where all rows of the table are of that class.
  fileprivate func hasColumn(of variable: FetchVariable) -> Bool {
    switch self {
    case .isNull(.object(let path)), .isKind(let path, _): !path.steps.isEmpty && path.variable == variable
    default: path?.variable == variable || operands.contains { $0.hasColumn(of: variable) }
    }
  }
}

extension StringFunction {
  var givesText: Bool {
    switch self {
    case .lowercased, .uppercased, .foldedCase, .foldedDiacritics, .canonical: true
    default: false
    }
  }
}

extension FetchExpression.Arithmetic {
  fileprivate var sqlOperator: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }
}

extension FetchExpression.Aggregate {
  fileprivate var sqlFunction: String {
    switch self {
    case .minimum: "min"
    case .maximum: "max"
    case .sum: "sum"
    case .average: "avg"
    case .count: "count"
    }
  }
}
