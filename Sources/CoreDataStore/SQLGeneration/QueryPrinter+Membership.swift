import SQLite
import StoreRequests

// Membership in a list: of values, and of objects by their keys.
extension QueryPrinter {
  mutating func membership(
    _ operand: FetchExpression, _ constants: [StoreValue], isNegated: Bool, depth: Int
  ) throws -> String {
    let known = constants.filter { $0 != .null }
    let matchesNull = known.count != constants.count
    // An omitted operand must bind nothing.
    guard !constants.isEmpty else { return isNegated ? "1" : "0" }
    if let sql = try decimalMembership(operand, constants, isNegated: isNegated, depth: depth) { return sql }
    var operandSQL = try value(operand, depth: depth)
    if known.isEmpty {
      return "\(operandSQL) IS \(isNegated ? "NOT " : "")NULL"
    }
    var values = known
    // An operand of ASCII characters may equal a text of other characters.
    if try known.contains(where: { try areTexts(operand, .constant($0)) }) {
      if let forms = known.textForms { values = forms } else { operandSQL += SQLText.collatingCanonically }
    }
    if values.count == 1, let only = values.first, !matchesNull {
      return "\(operandSQL) \(isNegated ? "IS NOT" : "=") \(placeholder(only))"
    }
    let test = "\(operandSQL) IN (\(list(values)))"
    if !matchesNull { return isNegated ? "(\(test)) IS NOT TRUE" : test }
    // Prints the operand a second time, which binds its placeholders again.
    let repeated = try value(operand, depth: depth)
    return isNegated
      ? "(\(test) OR \(repeated) IS NULL) IS NOT TRUE" : "(\(test) OR \(repeated) IS NULL)"
  }

  mutating func objectMembership(_ path: FetchPath, _ keys: [ObjectKey], isNegated: Bool) throws -> String {
    let foreignKey = try foreignKey(path)
    let (sql, entity) = try foreignKey.map { ($0.sql, $0.destination) } ?? key(path)
    let numbers = try keys.filter { try layout.existingEntity($0.entity).table == entity.table }
    guard let first = numbers.first else { return isNegated ? "1" : "0" }
    let isOne = numbers.count == 1
    let operation = isOne ? "=" : "IN"
    func isAmong() -> String {
      let list = isOne ? placeholder(.integer(first.key)) : "(\(self.list(numbers.map { .integer($0.key) })))"
      return "\(operation) \(list)"
    }
    // A negated test matches most rows, so an index does not help.
    let candidates = isNegated ? nil : foreignKey?.candidates(isAmong)
    // A key may refer to no row (CD-3.1). The subquery tests the rows once, not for each row that refers to them.
    let list = foreignKey.map { "\(operation) \($0.destinations(isAmong()))" } ?? isAmong()
    if isNegated { return "(\(sql) \(list)) IS NOT TRUE" }
    return candidates.map { "(\($0) AND \(sql) \(list))" } ?? "\(sql) \(list)"
  }

  /// Placeholders for the values, padded to a power of two by repeating the last value, so that few different texts
  /// arise.
  mutating func list(_ values: [StoreValue]) -> String {
    guard values.count <= Self.placeholderLimit - bindings.count, let last = values.last else {
      return values.map(\.sqlLiteral).joined(separator: ", ")
    }
    let count = SQLText.paddedCount(values.count)
    bindings.append(contentsOf: values)
    bindings.append(contentsOf: repeatElement(last, count: count - values.count))
    return SQLText.placeholders(count)
  }
}

extension StoreValue {
  /// The value as an SQL literal, for lists with too many values for placeholders. Texts are written as bytes, so that
  /// no quoting is needed.
  var sqlLiteral: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): value.isFinite ? "\(value)" : value.isNaN ? "NULL" : value < 0 ? "-9e999" : "9e999"
    case .text(let value): "CAST(x'\(Self.hexadecimal(value.utf8))' AS TEXT)"
    case .blob(let value): "x'\(Self.hexadecimal(value))'"
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
