import Foundation
import StoreRequests

/// The letters that `localizedStandardContains` compares in texts of common scripts: Latin, Greek and Cyrillic, with ASCII and some
/// punctuation.
///
/// In such texts it finds a part exactly where the letters of the part stand side by side among the letters of the text. So the server can
/// decide. The table has one letter for each scalar. It lacks marks, and scalars with several letters, such as `ß`.
enum CommonLetters {
  /// A regular expression for the texts whose scalars are all in the table. Such a text is in composed form.
  static let pattern = "^\(ranges.brackets)*$"

  /// The letters of a searched text; `nil` for an empty text, and for a text with a scalar that the table lacks.
  static func letters(of text: String) -> String? {
    let scalars = CanonicalText.composed(text).unicodeScalars
    guard !scalars.isEmpty, scalars.allSatisfy(ranges.contains) else { return nil }
    var result = String.UnicodeScalarView()
    for scalar in scalars { result.append(letters[scalar] ?? scalar) }
    return String(result)
  }

  /// The scalars that differ from their letter and have one of the given letters, and the letter of each, in the same order.
  static func spellings(of letters: String) -> (scalars: String, letters: String) {
    var scalars = String.UnicodeScalarView()
    var spelled = String.UnicodeScalarView()
    for letter in Set(letters.unicodeScalars).sorted() {
      for scalar in spellings[letter] ?? [] {
        scalars.append(scalar)
        spelled.append(letter)
      }
    }
    return (String(scalars), String(spelled))
  }

  // MARK: The table

  private static let blocks: [ClosedRange<UInt32>] = [
    0x9...0xA, 0x20...0x7E, 0xA0...0x24F, 0x370...0x3FF, 0x400...0x52F, 0x1E00...0x1EFF, 0x2010...0x2027,
    0x20AC...0x20AC,
  ]

  /// The scalars of common scripts that are their own composed form, in ascending order.
  static let scalars = blocks.flatMap { $0.compactMap(Unicode.Scalar.init) }.filter { scalar in
    switch scalar.properties.generalCategory {
    case .unassigned, .format: false
    default: CanonicalText.composed("\(scalar)").unicodeScalars.elementsEqual([scalar])
    }
  }

  private static let all: [(scalar: Unicode.Scalar, letter: Unicode.Scalar)] =
    scalars.compactMap { scalar in
      guard let letters = SearchLetters.letters(of: "\(scalar)"), letters.unicodeScalars.count == 1 else { return nil }
      return letters.unicodeScalars.first.map { (scalar, $0) }
    }

  private static let ranges = ScalarRanges(all.lazy.map(\.scalar.value))

  /// The letters of the scalars that are not their own letter.
  private static let letters = Dictionary(
    uniqueKeysWithValues: all.lazy.filter { $0.scalar != $0.letter }.map { ($0.scalar, $0.letter) })

  private static let spellings = Dictionary(grouping: letters.keys.sorted()) { letters[$0] ?? $0 }
}
