import Foundation
import ManagedModel

/// Readers of each type's values from their text in a model's XML. None of them depends on the locale.
extension AttributeValues {
  static func integer(_ text: String, _ range: ClosedRange<Int64>) -> Reading {
    if let number = Int64(text), range.contains(number) { return .value(.integer(number)) }
    // An attribute that once had a Boolean or a floating-point type keeps the old text of its default.
    if let number = Double(number: text), let integer = Int64(exactly: number), range.contains(integer) {
      return .value(.integer(integer))
    }
    switch text {
    case "YES": return .coerced(.integer(1), text)
    case "NO": return .coerced(.integer(0), text)
    default: return .invalid(text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  static func double(_ text: String, limit: Double) -> Reading {
    if let number = Double(number: text), abs(number) <= limit { return .value(.double(number)) }
    return switch text {
    case "YES": .coerced(.double(1), text)
    case "NO": .coerced(.double(0), text)
    default: .invalid(text, expected: "a number that the type can hold")
    }
  }

  /// Seconds since 2001-01-01T00:00:00Z.
  static func date(_ text: String) -> Reading {
    guard let seconds = Double(number: text), seconds.isFinite else {
      return .invalid(text, expected: "a number of seconds since 2001-01-01")
    }
    return .value(.date(seconds))
  }

  static func boolean(_ text: String) -> Reading {
    if let value = ModelParser.boolean(text) { return .value(.boolean(value)) }
    // A default from a former numeric type: every number but zero is true.
    if let number = Double(number: text) { return .coerced(.boolean(number != 0), text) }
    return .invalid(text, expected: "YES or NO")
  }

  static func uuid(_ text: String) -> Reading {
    UUID(uuidString: text).map { .value(.uuid($0)) }
      ?? .invalid(text, expected: "a UUID such as 01234567-89AB-CDEF-0123-456789ABCDEF")
  }

  /// Reads the exact number; refuses a number that `Decimal` would round.
  static func decimal(_ text: String) -> Reading {
    let invalid = Reading.invalid(text, expected: "a decimal number of at most 38 digits")
    guard let number = DecimalLiteral(text), number.digits.count <= 38, (-127...127).contains(number.exponent) else {
      return text == "YES" || text == "NO" ? .coerced(.decimal(text == "YES" ? 1 : 0), text) : invalid
    }
    let exact = (number.isNegative ? "-" : "") + number.digits + "e\(number.exponent)"
    guard let value = Decimal(string: exact, locale: nil), value.isFinite else { return invalid }
    return .value(.decimal(value))
  }
}

/// A number in decimal notation: `[+-]digits[.digits][e[+-]digits]`, of at most 1,000 bytes.
///
/// Refuses text that Foundation or the standard library would accept: `12abc`, `0x1p3`, `nan`.
struct DecimalLiteral {
  var isNegative = false
  /// Significant digits, without zeros at either end; `0` for zero.
  var digits = ""
  /// The power of ten that `digits` is multiplied by.
  var exponent = 0

  init?(_ text: String) {
    var rest = Substring(text).utf8
    guard rest.count <= 1_000 else { return nil }
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }

    func takeDigits() -> String {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest.removeFirst(digits.count)
      return String(Substring(digits))
    }
    let whole = takeDigits()
    var fraction = ""
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits()
    }
    guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
    var power = 0
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard let value = Int(takeDigits()), value < 100_000 else { return nil }
      power = sign * value
    }
    guard rest.isEmpty else { return nil }

    digits = String((whole + fraction).drop { $0 == "0" })
    exponent = power - fraction.count
    while digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty {
      digits = "0"
      exponent = 0
    }
  }
}

extension Double {
  /// Reads a finite number in decimal notation; `nil` for any other text.
  fileprivate init?(number text: String) {
    guard DecimalLiteral(text) != nil, let value = Double(text), value.isFinite else { return nil }
    self = value
  }
}
