internal import StoreRequests

/// Words to find in the text properties of objects, by a search index.
///
///     try container.makeSearchIndex(for: Book.self, on: [\.title, \.summary])
///     var descriptor = FetchDescriptor<Book>()
///     descriptor.search = TextSearch("white whale")
///     let books = try context.fetch(descriptor)  // the best match first
///
/// Case does not count, and neither do diacritics of Latin letters: "Cafe" finds "café", but "еж" does not find "ёж". A text is
/// found in either Unicode normal form; for this, "ёж" finds "еж", too, the word that the index has of a decomposed "ёж". A word is a
/// run of letters and digits, so "e-mail" is the word "e" followed by the word "mail". The text may come from a user: no character is an
/// operator. A text without words finds nothing.
///
/// Not in Apple's framework; words are those of SQLite's FTS5 with the tokenizer `unicode61`.
public struct TextSearch<T: PersistentModel> {
  /// How the words of a text are looked for.
  public enum Matching: Sendable, Hashable {
    /// Each word occurs, in any of the properties.
    case allWords
    /// At least one of the words occurs.
    case anyWord
    /// The words occur side by side, in one property.
    case phrase
    /// For each word of the text, a word occurs that begins with it: for a search while the user types.
    case beginnings
  }

  /// The words, between blanks.
  public var text: String
  /// How the words are looked for; ``Matching/allWords`` by default.
  public var matching: Matching
  /// The properties to search; all properties of the search index if empty.
  public var properties: [PartialKeyPath<T>]
  /// How much a word in a property counts for the order of relevance; 1 for a property without a weight.
  ///
  ///     search.weights = [\.title: 10]  // a title counts as much as ten words of a summary
  ///
  /// The weights change the order of results without a sort order only. A fetch throws
  /// ``SwiftDataError/unsupportedKeyPath`` for a property that the index lacks, and for a weight that is negative or not finite.
  public var weights: [PartialKeyPath<T>: Double] = [:]

  /// A search for the words of a text.
  public init(_ text: String, matching: Matching = .allWords, in properties: [PartialKeyPath<T>] = []) {
    self.text = text
    self.matching = matching
    self.properties = properties
  }
}

/// Key paths are not marked `Sendable`, but key paths of model classes hold no mutable state.
extension TextSearch: @unchecked Sendable {}

extension TextSearch: Hashable {}

extension TextSearch {
  /// The condition for the store; names are persistent names.
  func condition(_ names: [String], weights: [String: Double]) -> TextCondition {
    let form: TextCondition.Form =
      switch matching {
      case .allWords: .allWords
      case .anyWord: .anyWord
      case .phrase: .phrase
      case .beginnings: .beginnings
      }
    return TextCondition(text, form: form, attributes: names, weights: weights)
  }
}
