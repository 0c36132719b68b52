import Foundation

/// A function of strings in a fetch expression; the result is what Swift's method of that name gives.
///
/// This is all the full-text search there is: the layout has no tables for an index of words, and a table of ours would be a
/// stranger in a file that is Core Data's. Cost: every row that the rest of the predicate leaves; what a text begins with is
/// found by an index of the attribute.
package enum StringFunction: String, Sendable, Hashable, CaseIterable {
  case contains, starts, ends, localizedStandardContains
  /// −1, 0 or 1.
  case caseInsensitiveCompare, localizedCompare, localizedStandardCompare
  case lowercased, uppercased, isEmpty, count
  /// The number of UTF-16 code units, as `NSString.length`.
  case length
  /// Texts without case, without diacritics, or without both, for comparisons that ignore them.
  case foldedCase, foldedDiacritics, canonical
  /// Whether a text is of the form of a pattern with `?` for a character and `*` for any number of them.
  case like
  /// Whether a text as a whole is of the form of a regular expression; false if that is none.
  case matches, matchesIgnoringCase
}

extension StringFunction {
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
