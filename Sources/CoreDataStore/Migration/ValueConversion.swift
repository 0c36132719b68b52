import Foundation
import ManagedModel
import StoreRequests

/// How a column's value becomes a value of another type.
struct ValueConversion {
  /// The values that the new type can hold; `nil` if it holds all.
  var range: ClosedRange<Int64>?
  var sql: (String) -> String = { $0 }
}

extension AttributeType {
  /// `nil` for a conversion that could lose values.
  ///
  /// Core Data infers conversions between numbers only (WWDC 2010, session 118).
  func conversion(to other: AttributeType) -> ValueConversion? {
    if self == other { return ValueConversion() }
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.boolean, .integer16),
      (.boolean, .integer32), (.boolean, .integer64), (.string, .uri), (.uri, .string):
      return ValueConversion()
    case (.integer32, .integer16), (.integer64, .integer16):
      return ValueConversion(range: Int64(Int16.min)...Int64(Int16.max))
    case (.integer64, .integer32): return ValueConversion(range: Int64(Int32.min)...Int64(Int32.max))
    case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean):
      return ValueConversion(sql: { "(\($0) <> 0)" })
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.integer16, .float),
      (.integer32, .float),
      (.integer64, .float), (.boolean, .double), (.boolean, .float), (.decimal, .double), (.decimal, .float):
      return ValueConversion(sql: { "CAST(\($0) AS REAL)" })
    case (.float, .double), (.double, .float), (.date, .double), (.double, .date), (.integer16, .decimal),
      (.integer32, .decimal), (.integer64, .decimal), (.boolean, .decimal), (.double, .decimal), (.float, .decimal):
      return ValueConversion()
    case (.double, .integer16), (.float, .integer16), (.decimal, .integer16):
      return ValueConversion(range: Int64(Int16.min)...Int64(Int16.max), sql: { "CAST(\($0) AS INTEGER)" })
    case (.double, .integer32), (.float, .integer32), (.decimal, .integer32):
      return ValueConversion(range: Int64(Int32.min)...Int64(Int32.max), sql: { "CAST(\($0) AS INTEGER)" })
    case (.double, .integer64), (.float, .integer64), (.decimal, .integer64):
      return ValueConversion(range: Int64.min...Int64.max, sql: { "CAST(\($0) AS INTEGER)" })
    case (.double, .boolean), (.float, .boolean), (.decimal, .boolean): return ValueConversion(sql: { "(\($0) <> 0)" })
    case (.integer16, .string), (.integer32, .string), (.integer64, .string):
      return ValueConversion(sql: { "CAST(\($0) AS TEXT)" })
    default: return nil
    }
  }
}

extension AttributeDescription {
  /// The default value as a column holds it (CD-5), as an SQL literal; `nil` without a default.
  var defaultLiteral: String? {
    guard let defaultValue else { return nil }
    return StoreValue(defaultValue, as: type).sqlLiteral
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
