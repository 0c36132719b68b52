import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests

extension QueryPrinter {
  /// SQL for the value of an expression.
  mutating func value(_ expression: FetchExpression, depth: Int = 0) throws -> SQLValue {
    guard depth < Self.depthLimit else { throw QueryError.tooDeep(limit: Self.depthLimit) }
    if !isAboutRows, let known = kept[expression] { return known }
    switch expression {
    case .constant(.null), .objectConstant(nil): return SQLValue(sql: "NULL", kind: .null)
    case .constant(let constant):
      if constant.isMissing { return SQLValue(sql: "NULL", kind: .null) }
      guard let sql = placeholder(constant, as: constant.naturalKind) else { throw Undecidable() }
      return SQLValue(sql: sql, kind: constant.naturalKind)
    case .objectConstant(.some(let key)): return SQLValue(sql: integer(key.key), kind: .integer)
    case .attribute(let path, let name, let element):
      let row = try row(path.variable, path.steps)
      let (column, type) = try layout.column(name, element: element, of: entity(path, at: row))
      return SQLValue(sql: try cast(path, at: row, row.column(column.name)), kind: column.encodedKind ?? type.kind)
    case .object(let path): return SQLValue(sql: try key(path).sql, kind: .integer)
    case .arithmetic(let operation, let left, let right):
      return try arithmetic(operation, left, right, depth: depth + 1)
    case .negative(let operand):
      let value = try value(operand, depth: depth + 1).operand
      guard value.isNumber else { throw Undecidable() }
      return SQLValue(sql: "(- \(value.sql))", kind: value.kind)
    case .coalesce(let first, let second):
      let (one, other) = try branches(first, second, depth: depth + 1)
      return SQLValue(sql: "coalesce(\(one.sql), \(other.sql))", kind: one.kind == .null ? other.kind : one.kind)
    case .conditional(let condition, let first, let second):
      let test = try truth(condition, .value, depth: depth + 1)
      let (one, other) = try branches(first, second, depth: depth + 1)
      return SQLValue(
        sql: "CASE WHEN \(test) THEN \(one.sql) ELSE \(other.sql) END", kind: one.kind == .null ? other.kind : one.kind)
    case .string(let function, let arguments): return try string(function, arguments, depth: depth + 1)
    case .contains(let list, let element): return try containment(list, element, depth: depth + 1)
    case .elementCount(let list):
      let (sql, _) = try array(list, depth: depth + 1)
      return SQLValue(sql: "cardinality(\(sql))::bigint", kind: .integer)
    case .count(let path, let relationship, let variable, let condition):
      let sql = try subquery(path, relationship, variable, condition: condition, .value, depth: depth + 1) { _ in
        "count(*)"
      }
      return SQLValue(sql: sql, kind: .integer)
    case .aggregate(let aggregate, let path, let relationship, let variable, let operand):
      var kind = SQLValue.Kind.null
      let sql = try subquery(path, relationship, variable, condition: nil, .value, depth: depth + 1) { printer in
        let operand = try printer.value(operand, depth: depth + 2)
        let value = try printer.aggregate(aggregate, printer.operand(operand, over: variable))
        kind = value.kind
        return value.sql
      }
      return SQLValue(sql: aggregate == .sum ? "coalesce(\(sql), 0)" : sql, kind: kind)
    case .groupCount:
      guard allowsGroupAggregates else { throw QueryError.noGroups }
      return SQLValue(sql: "count(*)", kind: .integer)
    case .groupAggregate(let aggregate, let operand, let isDistinct):
      guard allowsGroupAggregates else { throw QueryError.noGroups }
      // Aggregates cannot be nested. They are about the rows of a group, whose texts need not have the form of the group's text.
      (allowsGroupAggregates, isAboutRows) = (false, true)
      defer { (allowsGroupAggregates, isAboutRows) = (true, false) }
      let value = try self.aggregate(aggregate, value(operand, depth: depth + 1), isDistinct: isDistinct)
      return aggregate == .sum ? SQLValue(sql: "coalesce(\(value.sql), 0)", kind: value.kind) : value
    case .and, .or, .not:
      // The value is true or false even if an operand is `NULL`, because Swift has no unknown.
      return SQLValue(sql: "((\(try truth(expression, .value, depth: depth + 1))) IS TRUE)", kind: .boolean)
    case .comparison, .exists, .isNull, .membership, .objectMembership, .isKind, .isInteger:
      return SQLValue(sql: "(\(try truth(expression, .value, depth: depth + 1)))", kind: .boolean)
    }
  }

  /// Two values of one kind: the branches of a condition, one of which each row uses.
  private mutating func branches(
    _ first: FetchExpression, _ second: FetchExpression, depth: Int
  ) throws -> (SQLValue, SQLValue) {
    let (one, other) = try operands(first, second, depth: depth)
    // Of an integer and a decimal number the server makes decimal numbers.
    guard one.kind == .decimal || other.kind == .decimal else { return (one, other) }
    return (
      SQLValue(sql: one.sql, kind: one.kind == .null ? .null : .decimal),
      SQLValue(sql: other.sql, kind: other.kind == .null ? .null : .decimal)
    )
  }

  private func aggregate(
    _ aggregate: FetchExpression.Aggregate, _ operand: SQLValue, isDistinct: Bool = false
  ) throws -> SQLValue {
    let distinct = isDistinct ? "DISTINCT " : ""
    switch aggregate {
    case .count: return SQLValue(sql: "count(\(distinct)\(operand.comparable))", kind: .integer)
    case .minimum, .maximum:
      let function = aggregate == .minimum ? "min" : "max"
      switch operand.kind {
      case .boolean: return SQLValue(sql: "\(function)((\(operand.sql))::int::bigint)", kind: .integer)
      // `min(uuid)` is missing, in version 15 for one. The texts of UUIDs have the same order.
      case .uuid: return SQLValue(sql: "\(function)((\(operand.sql))::text COLLATE \"C\")::uuid", kind: .uuid)
      // PostgreSQL has no least and greatest of these.
      case .bytes, .json, .archive, .array, .null: throw Undecidable()
      default: return SQLValue(sql: "\(function)(\(operand.comparable))", kind: operand.kind)
      }
    case .sum:
      // Memory sums decimal numbers as doubles.
      let number = operand.kind == .decimal ? SQLValue(sql: operand.asReal, kind: .real) : operand.operand
      guard number.isNumber else { throw Undecidable() }
      return SQLValue(sql: "sum(\(distinct)\(number.sql))", kind: number.kind)
    case .average:
      guard operand.isNumber else { throw Undecidable() }
      return SQLValue(sql: "avg(\(distinct)\(operand.asReal))", kind: .real)
    }
  }

  // MARK: Subqueries

  /// A correlated subquery over the objects of a to-many relationship.
  ///
  /// - Parameter select: prints the selected value, which may use the variable.
  mutating func subquery(
    _ path: FetchPath, _ relationshipName: String, _ variable: FetchVariable, condition: FetchExpression?,
    _ bound: Bound, depth: Int, select: (inout QueryPrinter) throws -> String
  ) throws -> String {
    let owner = try key(path)
    let outerGroups = allowsGroupAggregates
    allowsGroupAggregates = false
    defer { allowsGroupAggregates = outerGroups }
    let toMany = try layout.toMany(relationshipName, of: owner.entity)
    let destination = try layout.destination(of: toMany.relationship)
    let row: Row
    let ownerColumn: String
    switch toMany.storage {
    case .key(let side):
      row = open(variable, over: destination, named: relationshipName)
      ownerColumn = row.column(side.column)
    case .joinTable(let side):
      let pairs = nextAlias()
      let table = layout.table(of: destination).sql
      row = open(variable, over: destination, named: relationshipName) { alias in
        "\(side.table.sql) \(pairs) JOIN \(table) \(alias) ON \(alias).\(TableLayout.key) = \(pairs).\(side.other)"
      }
      ownerColumn = "\(pairs).\(side.own)"
    }
    let known = doubts.count
    let selected = try select(&self)
    let filter = try condition.map { " AND \(try truth($0, bound, depth: depth))" } ?? ""
    // A doubt about a member says nothing about its owner.
    guard doubts.count == known else { throw Undecidable() }
    return "(SELECT \(selected) FROM \(close(variable)) WHERE \(ownerColumn) = \(owner.sql)\(kindFilter(row))\(filter))"
  }
}

extension ColumnLayout {
  /// The kind of values that a column has in another form than bytes; `nil` for other columns.
  fileprivate var encodedKind: SQLValue.Kind? {
    type == .jsonb ? (holdsArchive ? .archive : .json) : type.element.map { .array(of: $0) }
  }
}

extension AttributeType {
  var kind: SQLValue.Kind {
    switch self {
    case .integer16, .integer32, .integer64: .integer
    case .boolean: .boolean
    case .float: .single
    case .double: .real
    case .decimal: .decimal
    case .date: .moment
    case .string: .text
    case .uri: .address
    case .uuid: .uuid
    case .binary, .transformable: .bytes
    case .undefined, .objectID, .composite: .null
    }
  }
}
