import Foundation
import StoreRequests

/// The letters of texts as a search by a person compares them: without case and width, and without any marks.
///
/// If the search finds a text, the letters of the searched value contain the letters of the text in one piece. The
/// opposite does not hold, because the search ignores the marks of some scripts only.
enum SearchLetters {
  /// The marks, in the brackets of a regular expression.
  static let marks = ScalarRanges(scalars.lazy.filter { $0.isMark }.map(\.value)).brackets

  /// The characters whose letters the server may fold differently, as a regular expression. These are characters of
  /// several letters, and characters beyond the first plane, whose folding depends on the version of Unicode.
  static let untold = "\(ScalarRanges(table.several.map(\.value).sorted()).brackets)|[\\U00010000-\\U0010FFFF]"

  /// The letters of a text; empty for a text of marks. `nil` for a character of several letters: Foundation finds `ẞ` in a single `s`.
  static func letters(of text: String) -> String? {
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars where !scalar.isMark {
      let letters = table.letters[scalar] ?? [scalar]
      guard letters.count == 1 else { return nil }
      result.append(letters[0])
    }
    return String(result)
  }

  /// The characters with one of some letters, and their letters in the same order.
  static func spellings(of letters: String) -> (characters: String, letters: String) {
    var characters = String.UnicodeScalarView()
    var spelled = String.UnicodeScalarView()
    for letter in Set(letters.unicodeScalars).sorted() {
      for character in table.spellings[letter] ?? [] {
        characters.append(character)
        spelled.append(letter)
      }
    }
    return (String(characters), String(spelled))
  }

  // MARK: The table

  /// The letters of characters of the first plane, as Foundation folds them; made on first use, in some tenths of a second.
  private struct Table {
    /// The letters of the characters that are not their own letter.
    var letters: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    /// The other characters with this letter, without characters that decompose into others.
    var spellings: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    /// The characters with several letters.
    var several: [Unicode.Scalar] = []
  }

  private static let scalars = ((0xB...0xFFFD) as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }

  private static let table: Table = {
    // A line feed keeps neighbours from composing.
    func parts(_ change: (String) -> String) -> [String.UnicodeScalarView.SubSequence] {
      var all = String.UnicodeScalarView()
      for scalar in scalars {
        // Appending a sequence of scalars copies the whole text.
        all.append(scalar)
        all.append("\n")
      }
      return change(String(all)).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    }
    let decomposed = parts(\.decomposedStringWithCanonicalMapping)
    let folded = parts {
      StringFunctions.folded($0, [.caseInsensitive, .diacriticInsensitive, .widthInsensitive])
        .decomposedStringWithCanonicalMapping
    }
    var result = Table()
    // The iota below a letter is a mark, but a letter by itself.
    result.several.append("\u{345}")
    for (index, scalar) in scalars.enumerated() where !scalar.isMark && decomposed[index].elementsEqual([scalar]) {
      let letters = Array(folded[index]).filter { !$0.isMark }
      if letters == [scalar] { continue }
      result.letters[scalar] = letters
      if letters.count == 1 {
        result.spellings[letters[0], default: []].append(scalar)
      } else {
        result.several.append(scalar)
      }
    }
    return result
  }()
}

extension Unicode.Scalar {
  /// Whether the scalar is a mark on the one before.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
