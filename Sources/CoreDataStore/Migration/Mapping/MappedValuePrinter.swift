import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// A column of a new row with the SQL of its value.
struct MappedColumn {
  let name: Identifier
  let sql: String
  /// The conditions for old rows that have no such value, with the reason.
  var obstacles: [(condition: String, reason: MigrationObstacle.Reason)] = []
  let attribute: AttributeLayout
  /// Whether big values are in files.
  var isExternal = false

  /// The SQL of the stored value: a file of its own in place of the old row's.
  var storedSQL: String {
    isExternal ? "CASE WHEN \(StoredData.namesFile(sql)) THEN \(MappedFiles.function)(\(sql)) ELSE \(sql) END" : sql
  }
}

/// Prints value expressions of a mapping model as SQL over the rows of the old store, which is attached as `old`. Their alias is `o`.
struct MappedValuePrinter {
  let layout: StoreLayout
  /// The name of the entity mapping, for messages.
  let mapping: String

  /// The SQL of a value, and the type that the value has before it is converted.
  private struct Printed {
    let sql: String
    /// `nil` for no value at all.
    let type: AttributeType?
    /// Whether big values are in files.
    var isExternal = false
    /// The conditions for rows in which the value cannot be computed.
    var obstacles: [(condition: String, reason: MigrationObstacle.Reason)] = []

    /// Whether NSExpression treats the value as an integer in arithmetic.
    var isInteger: Bool { type.map { $0 == .boolean || $0.integerRange != nil } ?? false }
    /// Dates are seconds, which NSExpression does not calculate with; a store's own numbers can be.
    var isNumber: Bool { type.map { $0 == .date || $0.isNumber } ?? true }
  }

  /// The columns of an attribute of the new store with their values.
  /// - Throws: ``MappingMigrationError`` for a value that SQL cannot make.
  func columns(
    _ value: MappedValue, of source: EntityLayout, for attribute: AttributeLayout
  ) throws -> [MappedColumn] {
    if case .source(let path) = value, path.count == 1, case .attribute(let former)? = source.property(named: path[0]),
      former.description.type == .composite || attribute.description.type == .composite
    {
      let pairs = attribute.columns.compactMap { column in
        former.columns.first {
          $0.path.dropFirst() == column.path.dropFirst() && $0.attribute.type == column.attribute.type
            && $0.isExternal == column.isExternal
        }
        .map {
          MappedColumn(name: column.name, sql: "o.\($0.name)", attribute: attribute, isExternal: column.isExternal)
        }
      }
      guard pairs.count == attribute.columns.count else { throw unsupported(value, attribute) }
      return pairs
    }
    guard let column = attribute.column, let printed = print(value, of: source),
      printed.type == nil || printed.isExternal == column.isExternal,
      let conversion = conversion(of: printed, to: column.attribute.type)
    else { throw unsupported(value, attribute) }
    return [
      MappedColumn(
        name: column.name, sql: conversion.sql(printed.sql),
        obstacles: printed.obstacles
          + (conversion.misfits.map { [($0(printed.sql), .outOfRange(column.attribute.type))] } ?? []),
        attribute: attribute, isExternal: column.isExternal)
    ]
  }

  /// Numbers may become dates here, because arithmetic with dates gives numbers.
  private func conversion(of value: Printed, to type: AttributeType) -> ValueConversion? {
    guard let own = value.type else { return ValueConversion() }
    return own.conversion(to: type == .date && own.isNumber ? .double : type)
  }

  /// `nil` for a value that SQL cannot make.
  private func print(_ value: MappedValue, of source: EntityLayout) -> Printed? {
    switch value {
    case .source(let path): return read(path, of: source, alias: "o", depth: 0)
    case .constant(let tree): return literal(tree)
    case .letterCase(let isUpper, let inner):
      guard let text = print(inner, of: source), text.type == .string else { return nil }
      return Printed(
        sql: "\(SQLText.name(of: isUpper ? .uppercased : .lowercased))(\(text.sql))", type: .string,
        obstacles: text.obstacles)
    case .arithmetic(let symbol, let left, let right):
      guard ["+", "-", "*", "/"].contains(symbol), let one = print(left, of: source),
        let other = print(right, of: source), one.isNumber, other.isNumber
      else { return nil }
      return arithmetic(one, symbol, other)
    case .rows: return nil
    }
  }

  /// A quotient of integers is an integer, cut towards zero, as NSExpression's is. A division by zero is an obstacle.
  private func arithmetic(_ one: Printed, _ symbol: String, _ other: Printed) -> Printed {
    let isInteger = one.isInteger && other.isInteger
    // SQLite divides whole decimals as integers.
    let operand = symbol == "/" && !isInteger ? "CAST(\(other.sql) AS REAL)" : other.sql
    var result = Printed(sql: "(\(one.sql) \(symbol) \(operand))", type: isInteger ? .integer64 : .double)
    result.obstacles = one.obstacles + other.obstacles
    if symbol == "/" { result.obstacles.append(("\(one.sql) IS NOT NULL AND \(other.sql) = 0", .divisionByZero)) }
    if isInteger {
      // SQLite continues with floating-point numbers if a result exceeds 64 bits.
      result.obstacles.append(("typeof(\(result.sql)) = 'real'", .outOfRange(.integer64)))
    } else if symbol == "/" {
      result.obstacles.append(("abs(\(result.sql)) = 9e999", .outOfRange(.double)))
    }
    return result
  }

  private func read(_ path: [String], of entity: EntityLayout, alias: String, depth: Int) -> Printed? {
    guard let first = path.first, let property = entity.property(named: first) else { return nil }
    let inner = "o\(depth + 1)"
    switch property {
    case .attribute(let attribute):
      guard path.count == 1, let column = attribute.column else { return nil }
      return Printed(sql: "\(alias).\(column.name)", type: attribute.description.type, isExternal: column.isExternal)
    case .toOne(let toOne):
      guard let destination = layout.entity(named: toOne.destinationName),
        let rest = read(Array(path.dropFirst()), of: destination, alias: inner, depth: depth + 1)
      else { return nil }
      return Printed(
        sql: "(SELECT \(rest.sql) FROM old.\(destination.table) \(inner) WHERE \(inner).Z_PK = \(alias).\(toOne.key))",
        type: rest.type, isExternal: rest.isExternal)
    case .toMany(let toMany):
      guard path.dropFirst() == ["@count"] else { return nil }
      let (table, key) =
        switch toMany.storage {
        case .key(let side): (side.table, side.key)
        case .joinTable(let side): (side.table, side.ownColumn)
        }
      return Printed(
        sql: "(SELECT count(*) FROM old.\(table) \(inner) WHERE \(inner).\(key) = \(alias).Z_PK)", type: .integer64)
    }
  }

  private func literal(_ tree: ExpressionTree) -> Printed? {
    switch tree {
    case .null: Printed(sql: "NULL", type: nil)
    case .boolean(let flag): Printed(sql: flag ? "1" : "0", type: .boolean)
    case .integer(let number): Printed(sql: "\(number)", type: .integer64)
    case .real(let number) where number.isFinite: Printed(sql: "\(number)", type: .double)
    case .string(let text): Printed(sql: Identifier.literal(text), type: .string)
    case .date(let seconds) where seconds.isFinite: Printed(sql: "\(seconds)", type: .date)
    default: nil
    }
  }

  private func unsupported(_ value: MappedValue, _ attribute: AttributeLayout) -> MappingMigrationError {
    MappingMigrationError(
      "the entity mapping \(quoted(mapping)) sets \(quoted(attribute.description.name)) to a value that a store cannot make "
        + "by itself",
      remedy: "write it in a stage that generate-models makes of the mapping model")
  }
}
