import Foundation

/// A function of strings in a fetch expression, with the result of Swift's method of that name.
///
/// Cost: each row that meets the rest of the predicate is tested. `starts` uses an index of the attribute.
package enum StringFunction: String, Sendable, Hashable, CaseIterable {
  case contains, starts, ends, localizedStandardContains
  /// −1, 0 or 1.
  case caseInsensitiveCompare, localizedCompare, localizedStandardCompare
  case lowercased, uppercased, isEmpty, count
  /// The number of UTF-16 code units, as `NSString.length`.
  case length
  /// Texts without case, without diacritics, or without both, for comparisons that ignore them.
  case foldedCase, foldedDiacritics, canonical
  /// Whether a text matches a pattern with `?` for one character and `*` for any number of characters.
  case like
  /// Whether a regular expression matches a whole text; false for a pattern that is no regular expression.
  case matches, matchesIgnoringCase
}

extension StringFunction {
  /// The number of texts that the function takes.
  package var argumentCount: Int {
    switch self {
    case .contains, .starts, .ends, .localizedStandardContains, .caseInsensitiveCompare, .localizedCompare,
      .localizedStandardCompare, .like, .matches, .matchesIgnoringCase:
      2
    case .lowercased, .uppercased, .isEmpty, .count, .length, .foldedCase, .foldedDiacritics, .canonical: 1
    }
  }

  /// The text that the function makes of a text; for a function with another result the text itself.
  package func result(ofText text: String) -> String {
    switch self {
    case .lowercased: StringFunctions.lowercased(text)
    case .uppercased: StringFunctions.uppercased(text)
    case .foldedCase: StringFunctions.folded(text, .caseInsensitive)
    case .foldedDiacritics: StringFunctions.folded(text, .diacriticInsensitive)
    case .canonical: StringFunctions.canonical(text)
    default: text
    }
  }
}
