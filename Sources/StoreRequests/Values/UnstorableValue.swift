import ErrorReporting

/// The reason why a column cannot hold a value. The caller, which knows the property, adds its name.
package enum UnstorableValue: ReportableError, Sendable, Hashable {
  /// SQLite stores NaN as `NULL`, so the value would be lost silently.
  case notANumber
  /// A decimal number above 10 to the power of 127, which could not be read back.
  case tooLarge
  case outOfRange(ClosedRange<Int64>)
  /// Another kind of value than the column's, such as a text for a number.
  case wrongKind(expected: String)
  case wrongLength(bytes: Int)
  /// A text with U+0000, which the server's texts cannot have.
  case nulCharacter
  /// A date beyond the years that the server's type has.
  case dateOutOfRange
  /// A finite number that single precision would make infinite.
  case beyondSinglePrecision
  /// A text or bytes of more than a value of the server may have.
  case tooLong
}

extension UnstorableValue {
  package var remedy: String? { nil }

  /// A clause whose subject is the property.
  package var problem: String {
    switch self {
    case .notANumber: "is not a number (NaN), which no store keeps: use nil, or a number"
    case .tooLarge: "is too large for a decimal number in a store, which is 10 to the power of 127 at most"
    case .outOfRange(let range): "is not between \(range.lowerBound) and \(range.upperBound), the bounds of its type"
    case .wrongKind(let expected): "is not \(expected)"
    case .nulCharacter: "has a NUL character (U+0000), which no text of the store can have: remove it"
    case .dateOutOfRange: "is a date before the year 4713 BC or after the year 294276, which the store cannot keep"
    case .beyondSinglePrecision: "is too large for a number of single precision, which its column holds"
    case .tooLong: "is longer than 1 GB, which no value of the store can be: keep it in a file, or in parts"
    case .wrongLength(let bytes): "does not have exactly \(bytes) bytes"
    }
  }
}
