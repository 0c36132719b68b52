import StoreRequests

/// The scalars that a function changes one by one in texts of common scripts: Latin, Greek and Cyrillic, with ASCII and some punctuation.
///
/// The table lacks marks, and scalars that become several, such as the capital of `ß`. So a text whose scalars are all in it is in
/// composed form, and so is the result.
struct LetterTable {
  /// The tables of the functions that have one.
  static let tables = Dictionary(
    uniqueKeysWithValues: [StringFunction.lowercased, .uppercased, .foldedCase, .foldedDiacritics, .canonical].map {
      ($0, LetterTable($0))
    })

  /// A regular expression for the texts whose scalars are all in the table.
  let pattern: String
  private let ranges: ScalarRanges
  /// The scalars that become another one, and that one.
  private let changed: [Unicode.Scalar: Unicode.Scalar]
  /// The scalars that become a given one.
  private let spellings: [Unicode.Scalar: [Unicode.Scalar]]

  private init(_ function: StringFunction) {
    var known: [UInt32] = []
    var changed: [Unicode.Scalar: Unicode.Scalar] = [:]
    for scalar in CommonLetters.scalars where !scalar.isMark {
      let result = CanonicalText.composed(function.result(ofText: "\(scalar)")).unicodeScalars
      guard result.count == 1, let first = result.first else { continue }
      known.append(scalar.value)
      if first != scalar { changed[scalar] = first }
    }
    ranges = ScalarRanges(known)
    pattern = "^\(ranges.brackets)*$"
    self.changed = changed
    spellings = Dictionary(grouping: changed.keys.sorted()) { changed[$0] ?? $0 }
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains(scalar) }

  /// The scalars that become one of the scalars of a known text, and what each becomes, in the same order.
  ///
  /// - Returns: `nil` if the text has a scalar that the table lacks, or that the function changes. No result has that one.
  func spellings(of text: String) -> (scalars: String, letters: String)? {
    let known = Set(CanonicalText.composed(text).unicodeScalars)
    guard known.allSatisfy({ contains($0) && changed[$0] == nil }) else { return nil }
    var scalars = String.UnicodeScalarView()
    var letters = String.UnicodeScalarView()
    for letter in known.sorted() {
      for scalar in spellings[letter] ?? [] {
        scalars.append(scalar)
        letters.append(letter)
      }
    }
    return (String(scalars), String(letters))
  }
}
