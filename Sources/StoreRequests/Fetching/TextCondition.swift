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
}
