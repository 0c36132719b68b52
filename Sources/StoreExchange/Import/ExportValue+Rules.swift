import ErrorReporting
import Foundation
import ManagedModel
import StoreRequests

extension ExportValue {
  /// The first rule of the attribute that the value breaks, as a predicate without subject; `nil` if it breaks none.
  ///
  /// Lengths count UTF-16 units, as in Core Data. A pattern has to match the whole text. A missing value, or a value of
  /// another type, breaks no rule. Rules of other forms, which only a program can declare, are not evaluated.
  func brokenRule(of attribute: AttributeDescription) -> String? {
    if case .text(let text) = self {
      return attribute.type == .string ? Self.brokenRule(of: attribute, by: text) : nil
    }
    if let minimum = attribute.minimumValue.map(ExportValue.init), compared(to: minimum) == .orderedAscending {
      return "is less than \(minimum.boundText)"
    }
    if let maximum = attribute.maximumValue.map(ExportValue.init), compared(to: maximum) == .orderedDescending {
      return "is more than \(maximum.boundText)"
    }
    return nil
  }

  private static func brokenRule(of attribute: AttributeDescription, by text: String) -> String? {
    let length = text.utf16.count
    if case .integer(let minimum)? = attribute.minimumValue, length < minimum {
      return "has fewer than \(minimum) characters"
    }
    if case .integer(let maximum)? = attribute.maximumValue, length > maximum {
      return "has more than \(maximum) characters"
    }
    guard let pattern = attribute.regularExpression, !StringFunctions.matches(text, pattern, ignoring: []) else {
      return nil
    }
    let isPattern = StringFunctions.isPattern(pattern)
    return isPattern ? "does not match \(quoted(pattern))" : "has to match \(quoted(pattern)), which is no pattern"
  }

  /// Compares the value with a bound; `nil` if their types differ.
  private func compared(to bound: ExportValue) -> ComparisonResult? {
    switch (self, bound) {
    case (.integer(let value), .integer(let bound)): Self.order(value, bound)
    case (.date(let value), .date(let bound)): Self.order(value, bound)
    case (.decimal, _), (_, .decimal): Self.order(decimal, bound.decimal)
    default: Self.order(real, bound.real)
    }
  }

  private static func order<Number: Comparable>(_ left: Number?, _ right: Number?) -> ComparisonResult? {
    guard let left, let right else { return nil }
    return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
  }

  private var decimal: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .decimal(let value): value
    // Converts by digits: the initializer for binary numbers adds digits.
    case .real(let value): Decimal(string: "\(value)")
    default: nil
    }
  }

  private var real: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  private var boundText: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .date(let value): ExportDate.text(value) ?? "\(value) seconds after 2001"
    default: "its bound"
    }
  }
}
