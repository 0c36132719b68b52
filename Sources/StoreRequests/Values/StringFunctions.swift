package import Foundation

/// The string functions of fetch expressions. SQLite and the evaluation in memory call the same implementation, so both select the
/// same rows.
///
/// Localized functions use the current locale of the process.
package enum StringFunctions {
  /// Whether the characters of `part` occur in `text` one after another, as in `Collection.contains(_:)`.
  package static func contains(_ text: String, _ part: String) -> Bool {
    asciiAnswer(text, part) { ASCIIText.contains($0, $1, ignoringCase: false) } ?? isIn(text, part)
  }

  /// Generic, because for strings the compiler would choose Foundation's method, which also finds a combining mark inside a
  /// character.
  private static func isIn<Characters: Collection>(_ whole: Characters, _ part: Characters) -> Bool
  where Characters.Element: Equatable { part.isEmpty || whole.contains(part) }

  package static func starts(_ text: String, with prefix: String) -> Bool {
    asciiAnswer(text, prefix, ASCIIText.starts) ?? text.starts(with: prefix)
  }

  package static func ends(_ text: String, with suffix: String) -> Bool { text.hasSuffix(suffix) }

  /// Whether `part` occurs in `text`; case, diacritics and the width of characters are ignored.
  package static func localizedStandardContains(_ text: String, _ part: String) -> Bool {
    // Core Data ignores the width, Foundation's method on Linux does not.
    asciiAnswer(text, part) { ASCIIText.contains($0, $1, ignoringCase: true) }
      ?? folded(text, .widthInsensitive).localizedStandardContains(folded(part, .widthInsensitive))
  }

  package static func caseInsensitiveCompare(_ left: String, _ right: String) -> ComparisonResult {
    left.caseInsensitiveCompare(right)
  }

  /// The order of the current locale.
  package static func localizedCompare(_ left: String, _ right: String) -> ComparisonResult {
    ASCIIOrder.compare(left, right, readsNumbers: false) ?? left.localizedCompare(right)
  }

  /// The order of names in a list of files: ignores case and width at first, and compares digits by their number.
  package static func localizedStandardCompare(_ left: String, _ right: String) -> ComparisonResult {
    ASCIIOrder.compare(left, right, readsNumbers: true) ?? left.localizedStandardCompare(right)
  }

  package static func lowercased(_ text: String) -> String { text.lowercased() }

  package static func uppercased(_ text: String) -> String { text.uppercased() }

  /// Text without case and diacritics, independent of a language; the result of the derivation `canonical:` (CD-8).
  package static func canonical(_ text: String) -> String { folded(text, [.caseInsensitive, .diacriticInsensitive]) }

  /// Text without case, without diacritics, or without both, independent of a language.
  package static func folded(_ text: String, _ options: String.CompareOptions) -> String {
    text.mappedInPieces { $0.folding(options: options, locale: nil) }
  }

  package static func isEmpty(_ text: String) -> Bool { text.isEmpty }

  /// The number of characters (grapheme clusters).
  package static func count(_ text: String) -> Int { text.count }

  /// The number of UTF-16 code units.
  package static func length(_ text: String) -> Int { text.utf16.count }
}
