import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Prints value expressions of a mapping model as SQL over the rows of the old store, whose alias is `o`.
struct MappedValuePrinter {
  let layout: StoreLayout
  /// The name of the entity mapping, for messages.
  let mapping: String

  /// The columns of an attribute of the new store with their values.
  /// - Throws: ``MappingMigrationError`` for a value that SQL cannot make.
  func columns(
    _ value: MappedValue, of source: EntityLayout, for attribute: AttributeLayout
  ) throws -> [(column: Identifier, sql: String)] {
    if case .source(let path) = value, path.count == 1, case .attribute(let former)? = source.property(named: path[0]),
      former.description.type == .composite || attribute.description.type == .composite
    {
      let pairs = attribute.columns.compactMap { column in
        former.columns.first {
          $0.path.dropFirst() == column.path.dropFirst() && $0.attribute.type == column.attribute.type
        }
        .map { (column.name, "o.\($0.name)") }
      }
      guard pairs.count == attribute.columns.count else { throw unsupported(value, attribute) }
      return pairs
    }
    guard let column = attribute.column else { throw unsupported(value, attribute) }
    let (sql, type) = try print(value, of: source, for: attribute)
    guard let type, type.type != column.attribute.type else {
      if let type, type.allowsExternalBinaryDataStorage != column.attribute.allowsExternalBinaryDataStorage {
        throw unsupported(value, attribute)
      }
      return [(column.name, sql)]
    }
    // Core Data cuts a fraction off.
    if let conversion = type.type.conversion(to: column.attribute.type) { return [(column.name, conversion.sql(sql))] }
    throw unsupported(value, attribute)
  }

  /// The SQL of a value with its attribute; no attribute for a value whose type follows from the destination.
  private func print(
    _ value: MappedValue, of source: EntityLayout, for attribute: AttributeLayout
  ) throws -> (sql: String, attribute: AttributeDescription?) {
    switch value {
    case .source(let path):
      guard let found = read(path, of: source, alias: "o", depth: 0) else { throw unsupported(value, attribute) }
      return found
    case .constant(let tree):
      guard let literal = literal(tree, attribute.description.type) else { throw unsupported(value, attribute) }
      return (literal, nil)
    case .letterCase(let isUpper, let inner):
      let text = try print(inner, of: source, for: attribute)
      return ("\(SQLText.name(of: isUpper ? .uppercased : .lowercased))(\(text.sql))", text.attribute)
    case .arithmetic(let symbol, let left, let right):
      guard ["+", "-", "*", "/"].contains(symbol) else { throw unsupported(value, attribute) }
      let one = try print(left, of: source, for: attribute)
      let other = try print(right, of: source, for: attribute)
      // A quotient of integers is no integer to NSExpression.
      let operand = symbol == "/" ? "CAST(\(other.sql) AS REAL)" : other.sql
      return ("(\(one.sql) \(symbol) \(operand))", one.attribute ?? other.attribute)
    case .rows: throw unsupported(value, attribute)
    }
  }

  private func read(
    _ path: [String], of entity: EntityLayout, alias: String, depth: Int
  ) -> (sql: String, attribute: AttributeDescription?)? {
    guard let first = path.first, let property = entity.property(named: first) else { return nil }
    let inner = "o\(depth + 1)"
    switch property {
    case .attribute(let attribute):
      guard path.count == 1, let column = attribute.column else { return nil }
      return ("\(alias).\(column.name)", attribute.description)
    case .toOne(let toOne):
      guard let destination = layout.entity(named: toOne.destinationName),
        let rest = read(Array(path.dropFirst()), of: destination, alias: inner, depth: depth + 1)
      else { return nil }
      return (
        "(SELECT \(rest.sql) FROM \(destination.table) \(inner) WHERE \(inner).Z_PK = \(alias).\(toOne.key))",
        rest.attribute
      )
    case .toMany(let toMany):
      guard path.dropFirst() == ["@count"] else { return nil }
      switch toMany.storage {
      case .key(let side):
        return ("(SELECT count(*) FROM \(side.table) \(inner) WHERE \(inner).\(side.key) = \(alias).Z_PK)", nil)
      case .joinTable(let side):
        return ("(SELECT count(*) FROM \(side.table) \(inner) WHERE \(inner).\(side.ownColumn) = \(alias).Z_PK)", nil)
      }
    }
  }

  private func literal(_ tree: ExpressionTree, _ type: AttributeType) -> String? {
    let isReal = [.double, .float, .decimal, .date].contains(type)
    let isInteger = [.integer16, .integer32, .integer64, .boolean].contains(type)
    switch tree {
    case .null: return "NULL"
    case .boolean(let flag) where isInteger || isReal: return flag ? "1" : "0"
    case .integer(let number) where isInteger || isReal: return "\(number)"
    case .real(let number) where isReal && number.isFinite: return "\(number)"
    case .real(let number) where isInteger: return Int64(exactly: number.rounded(.towardZero)).map(String.init)
    case .string(let text) where type == .string || type == .uri: return Identifier.literal(text)
    case .date(let seconds) where type == .date && seconds.isFinite: return "\(seconds)"
    default: return nil
    }
  }

  private func unsupported(_ value: MappedValue, _ attribute: AttributeLayout) -> MappingMigrationError {
    MappingMigrationError(
      "the entity mapping \(quoted(mapping)) sets \(quoted(attribute.description.name)) to a value that a store cannot make "
        + "by itself",
      remedy: "write it in a stage that generate-models makes of the mapping model")
  }
}
