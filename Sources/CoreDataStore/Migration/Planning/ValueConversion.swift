import Foundation
import ManagedModel
import StoreRequests

/// How a column's value becomes a value of another type.
struct ValueConversion {
  var sql: (String) -> String = { $0 }
  /// The condition for values that the new type cannot hold; `nil` if it holds all.
  var misfits: ((String) -> String)?

  /// Whether each value stays as it is.
  var keepsAll: Bool { misfits == nil && sql("x") == "x" }

  /// The converted value, or NULL for one that the new type cannot hold.
  func fitting(_ value: String) -> String {
    guard let misfits else { return sql(value) }
    return "CASE WHEN \(misfits(value)) THEN NULL ELSE \(sql(value)) END"
  }
}

extension AttributeType {
  /// `nil` for types without a conversion that keeps the value.
  ///
  /// Core Data infers conversions between numbers only (WWDC 2010, session 118).
  func conversion(to other: AttributeType) -> ValueConversion? {
    if self == other { return ValueConversion() }
    switch (self, other) {
    case (.string, .uri), (.uri, .string), (.date, .double), (.double, .date): return ValueConversion()
    case (_, .string): return integerRange == nil ? nil : ValueConversion(sql: { "CAST(\($0) AS TEXT)" })
    default: return isNumber && other.isNumber ? numberConversion(to: other) : nil
    }
  }

  /// The value of a structure's new mandatory element in old rows: zero, or nothing; `nil` for types without such a value.
  ///
  /// The model does not record the element's initial value in Swift.
  var emptyLiteral: String? {
    switch self {
    case .boolean, .integer16, .integer32, .integer64, .decimal, .double, .float, .date: "0"
    case .string: "''"
    case .binary: "x''"
    default: nil
    }
  }

  private func numberConversion(to other: AttributeType) -> ValueConversion {
    if other == .boolean {
      return ValueConversion(sql: { "(\($0) <> 0)" }, misfits: { "\($0) NOT IN (0, 1)" })
    }
    if let range = other.integerRange {
      if let own = integerRange, range.contains(own.lowerBound), range.contains(own.upperBound) {
        return ValueConversion()
      }
      return ValueConversion(
        sql: { "CAST(\($0) AS INTEGER)" },
        misfits: {
          "(\($0) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound) OR \($0) <> CAST(\($0) AS INTEGER))"
        })
    }
    if other == .decimal {
      // Decimal columns hold integers and doubles alike (CD-5), but no infinite number, and none beyond a decimal number's bounds.
      return ValueConversion(misfits: integerRange == nil ? NumberFunctions.misfits(NumberFunctions.decimal) : nil)
    }
    if other == .float, integerRange == nil {
      return ValueConversion(
        sql: { "\(NumberFunctions.float)(\($0))" }, misfits: NumberFunctions.misfits(NumberFunctions.float))
    }
    if integerRange == nil { return ValueConversion(sql: { "CAST(\($0) AS REAL)" }) }
    // Beyond these bounds not every integer is a floating-point number.
    let bound: Int64 = other == .float ? 1 << 24 : 1 << 53
    return ValueConversion(
      sql: { "CAST(\($0) AS REAL)" }, misfits: { "\($0) NOT BETWEEN \(-bound) AND \(bound)" })
  }
}

extension AttributeDescription {
  /// The default value as a column holds it (CD-5), as an SQL literal; `nil` without a default.
  var defaultLiteral: String? {
    guard let defaultValue else { return nil }
    return StoreValue(defaultValue, as: type).sqlLiteral
  }
}

extension AttributeColumn {
  /// The value that old rows get in the column, as an SQL literal; `nil` if the model states none.
  var initialLiteral: String? {
    guard let value = attribute.initialValue ?? attribute.defaultValue else { return nil }
    var stored = StoreValue(value, as: attribute.type)
    // A byte tells whether the bytes that follow are the value or the name of its file (CD-5).
    if isExternal, case .blob(let data) = stored { stored = .blob([1] + data) }
    return stored.sqlLiteral
  }
}

extension StoreValue {
  fileprivate init(_ value: AttributeValue, as type: AttributeType) {
    switch value {
    case .integer(let number):
      self = type == .double || type == .float || type == .date ? .real(Double(number)) : .integer(number)
    case .boolean(let truth): self = .integer(truth ? 1 : 0)
    case .double(let number):
      if type == .decimal {
        self = StoreValue(Decimal(number))
      } else if let whole = Int64(exactly: number), type != .double, type != .float, type != .date {
        self = .integer(whole)
      } else {
        self = .real(number)
      }
    case .decimal(let number): self = StoreValue(number)
    case .string(let text), .uri(let text): self = .text(text)
    case .date(let seconds): self = .real(seconds)
    case .uuid(let uuid): self = withUnsafeBytes(of: uuid.uuid) { .blob(Data($0)) }
    case .binary(let data): self = .blob(data)
    }
  }
}
