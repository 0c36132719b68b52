import Foundation
import ManagedModel
import PostgreSQL

/// How a column's value becomes a value of another type.
struct ValueConversion {
  var sql: (String) -> String = { $0 }
  /// The condition for values that the new type cannot hold; `nil` if it holds all.
  var misfits: ((String) -> String)?
}

extension AttributeType {
  /// `nil` for types without a conversion that keeps the value; the same conversions as in a Core Data store.
  func conversion(to other: AttributeType) -> ValueConversion? {
    if self == other { return ValueConversion() }
    switch (self, other) {
    case (.string, .uri), (.uri, .string): return ValueConversion()
    case (.date, .double):
      // The seconds from the server's epoch, 1970, to that of dates, 2001.
      return ValueConversion(sql: { "(extract(epoch FROM \($0)) - 978307200)::double precision" })
    case (.double, .date):
      return ValueConversion(
        sql: { "timestamptz '2001-01-01 00:00:00+00' + make_interval(secs => \($0))" },
        misfits: { "\($0) NOT BETWEEN -211845110400 AND 9223339708799" })
    case (.boolean, .string): return ValueConversion(sql: { "\($0)::integer::text" })
    case (_, .string): return integerRange == nil ? nil : ValueConversion(sql: { "\($0)::text" })
    default: return isNumber && other.isNumber ? numberConversion(to: other) : nil
    }
  }

  /// The value of a structure's new mandatory element in old rows: zero, or nothing; `nil` for types without such a value.
  var emptyLiteral: String? {
    switch self {
    case .boolean: "false"
    case .integer16, .integer32, .integer64, .decimal, .double, .float: "0"
    case .date: AttributeValue.date(0).literal(.moment)
    case .string: "''"
    case .binary: "''::bytea"
    default: nil
    }
  }

  private func numberConversion(to other: AttributeType) -> ValueConversion {
    let number: (String) -> String = { [self] in self == .boolean ? "\($0)::integer" : $0 }
    if other == .boolean {
      return ValueConversion(sql: { "(\($0) <> 0)" }, misfits: { "\($0) NOT IN (0, 1)" })
    }
    let type = DataType(other)?.sql ?? ""
    let cast: (String) -> String = { "\(number($0))::\(type)" }
    if let range = other.integerRange {
      if let own = integerRange, range.contains(own.lowerBound), range.contains(own.upperBound) {
        return ValueConversion(sql: cast)
      }
      // In the column's own type: a cast of a floating-point number to a decimal number rounds it to 15 digits, or to 6.
      // 2 to the power of 63 is a floating-point number, the largest integer is none.
      let end = range.upperBound == .max ? "9223372036854775808" : "\(range.upperBound + 1)"
      let isWhole: (String) -> String = { [self] in integerRange == nil ? " AND \($0) = trunc(\($0))" : "" }
      return ValueConversion(
        sql: cast, misfits: { "NOT (\($0) >= \(range.lowerBound) AND \($0) < \(end)\(isWhole($0)))" })
    }
    switch (self, other) {
    case (.double, .decimal), (.float, .decimal):
      // The text has all digits; a cast cuts them. 10 to the power of 127 is the bound of saves. Swift's decimal numbers have up to 128
      // digits after the point.
      return ValueConversion(
        sql: { "\($0)::text::numeric" },
        misfits: {
          "(\($0) IN ('NaN', 'Infinity', '-Infinity') OR abs(\($0)::text::numeric) > 1e127 OR scale(\($0)::text::numeric) > 128)"
        })
    case (.double, .float), (.decimal, .float):
      return ValueConversion(
        sql: cast,
        // The bounds are the first number that rounds to infinity, 2¹²⁸ - 2¹⁰³, and the least number but 0.
        misfits: {
          "(abs(\($0)) >= 340282356779733661637539395458142568448 AND \($0) NOT IN ('NaN', 'Infinity', '-Infinity') OR \($0) <> 0 AND abs(\($0)) < 1.4e-45)"
        })
    case (.decimal, .double):
      return ValueConversion(
        sql: cast,
        // The server refuses a number that becomes infinite, or zero. The bounds are the largest number and the least one but 0.
        misfits: {
          "(abs(\($0)) > 1.7976931348623158e308 AND \($0) NOT IN ('NaN', 'Infinity', '-Infinity') OR \($0) <> 0 AND abs(\($0)) < 4.9e-324)"
        })
    case (_, .decimal), (.float, .double): return ValueConversion(sql: cast)
    default:
      // Beyond these bounds not every integer is a floating-point number.
      let bound: Int64 = other == .float ? 1 << 24 : 1 << 53
      guard let own = integerRange, own.upperBound > bound else { return ValueConversion(sql: cast) }
      return ValueConversion(sql: cast, misfits: { "\($0) NOT BETWEEN \(-bound) AND \(bound)" })
    }
  }
}

extension AttributeDescription {
  /// The value that old rows get in a column, as an SQL literal; `nil` if the model states none.
  func initialLiteral(_ column: ColumnLayout) -> String? {
    guard case .binary(let data)? = initialValue, column.type != .bytes else {
      return (initialValue ?? defaultValue)?.literal(column.type)
    }
    if let element = column.type.element { return ArrayForm.literal(data, of: element) }
    return column.type == .jsonb ? JSONForm.literal(data, isArchive: column.holdsArchive) : nil
  }
}
