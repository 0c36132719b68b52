import StoreRequests

/// The rules of words as tables: for long texts, and for the functions of the server.
enum WordTables {
  /// The scalars between words.
  static let separators = ScalarRanges(candidates.filter(WordRules.isSeparator))

  /// The letters of words, for scalars that are not their own letter. Most are capitals, or have a diacritic.
  static let letters: [Unicode.Scalar: Unicode.Scalar] = {
    var result: [Unicode.Scalar: Unicode.Scalar] = [:]
    for value in candidates where !WordRules.isSeparator(value) {
      guard let scalar = Unicode.Scalar(value), let letter = WordRules.letter(of: scalar), letter != scalar else {
        continue
      }
      result[scalar] = letter
    }
    return result
  }()

  /// The words of a text, in their order.
  static func words(of text: String) -> [String] {
    WordRules.words(of: text, isSeparator: separators.contains) { letters[$0] }
  }

  /// All scalars but ideographs of higher planes and scalars for private use, which are letters without case.
  private static let candidates = [1...0x1FFFF, 0xE0000...0xE01FF].flatMap { ($0 as ClosedRange<UInt32>).map(\.self) }
}
