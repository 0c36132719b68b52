import Foundation

/// A full-text condition of a fetch: words that the text attributes of an object have, by a search index.
///
/// The text comes from users. No character of it is an operator.
package struct TextCondition: Sendable, Hashable {
  package let text: String
  package let form: Form
  /// The attributes to search; all attributes of the index if empty.
  package let attributes: [String]
  /// How much a word in an attribute counts for the order of relevance; 1 for an attribute without a weight.
  package let weights: [String: Double]
  /// Whether the rows of a request without sort terms come in the order of relevance; else by key, for memory to sort them.
  package var isRanked = true

  package enum Form: Sendable, Hashable {
    /// Each word occurs, in any of the attributes.
    case allWords
    /// At least one of the words occurs.
    case anyWord
    /// The words occur side by side in one attribute.
    case phrase
    /// For each word, a word occurs that begins with it.
    case beginnings
  }

  package init(
    _ text: String, form: Form = .allWords, attributes: [String] = [], weights: [String: Double] = [:]
  ) {
    self.text = text
    self.form = form
    self.attributes = attributes
    self.weights = weights
  }

  /// The parts of the text between blanks. A tokenizer may find several words in a part, or none.
  package var parts: [Substring] {
    text.split { $0.isWhitespace || $0 == "\0" }
  }

  /// The texts to look for, in each Unicode normal form that has other words. One form of each is enough.
  ///
  /// An index has the words of texts as they are stored. It drops the diacritics of Latin letters, whatever the form; but not those of a
  /// composed `й`, nor does it compose Hangul. So a text in one normal form is found by a search in the other.
  package var alternatives: [[String]] {
    let texts = form == .phrase ? [parts.joined(separator: " ")] : parts.map { String($0) }
    let all = texts.map(Self.forms)
    guard all.contains(where: { $0.count > 1 }) else { return all }
    // FTS5 leaves out a text without words only where no other text has several forms.
    return all.filter { $0.count > 1 || !WordRules.words(of: $0[0]).isEmpty }
  }

  private static func forms(of text: String) -> [String] {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [text] }
    let normal = [
      text.mappedInPieces(\.precomposedStringWithCanonicalMapping),
      text.mappedInPieces(\.decomposedStringWithCanonicalMapping),
    ]
    guard !normal[0].utf8.elementsEqual(normal[1].utf8) else { return [text] }
    // By bytes: Swift compares characters, and an index scalars.
    func words(_ text: String) -> [[UInt8]] { WordRules.words(of: text).map { Array($0.utf8) } }
    let normalWords = normal.map(words)
    guard normalWords[0] != normalWords[1] else { return [text] }
    // A text that mixes the forms may be stored as it is.
    return (normalWords.contains(words(text)) ? [] : [text]) + normal
  }
}
