package import Foundation

extension AttributeDescription {
  /// The expression that matches the whole of a text, as a rule with a pattern requires.
  ///
  /// - Throws: an error of Foundation if the pattern is no regular expression.
  package static func wholeMatch(of pattern: String) throws -> NSRegularExpression {
    try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
  }

  /// The regular expression, if it is none.
  package var unreadablePattern: String? {
    regularExpression.flatMap { (try? Self.wholeMatch(of: $0)) == nil ? $0 : nil }
  }

  /// Whether the minimum exceeds the maximum, so that no value is between them.
  var hasCrossedBounds: Bool {
    switch (minimumValue, maximumValue) {
    case (.integer(let minimum)?, .integer(let maximum)?): minimum > maximum
    case (.decimal(let minimum)?, .decimal(let maximum)?): minimum > maximum
    case (.date(let minimum)?, .date(let maximum)?): minimum > maximum
    case (let minimum?, let maximum?):
      if let minimum = minimum.number, let maximum = maximum.number { minimum > maximum } else { false }
    default: false
    }
  }
}

extension AttributeDescription.ValidationRule {
  /// Whether the condition is a predicate in the format.
  package var isReadable: Bool { PredicateParser.predicate(predicate) != nil }
}

extension AttributeValue {
  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    case .double(let number): number
    default: nil
    }
  }
}
