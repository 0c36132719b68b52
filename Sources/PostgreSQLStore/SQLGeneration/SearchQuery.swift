import StoreRequests

/// The words of a full-text condition, in the forms in which the server and memory look for them.
struct SearchQuery {
  /// Words that stand side by side, in one attribute.
  struct Phrase {
    let words: [String]
    /// Whether the last word is the beginning of one.
    let isPrefix: Bool

    /// Whether it is one whole word.
    var isWord: Bool { words.count == 1 && !isPrefix }

    /// The phrase as a part of the words of a row; see ``SearchFunctions/words(of:)``.
    var text: String {
      let text = words.map { " \($0) " }.joined()
      return isPrefix ? String(text.unicodeScalars.dropLast()) : text
    }
  }

  /// The phrases, each once, in their order.
  private(set) var phrases: [Phrase] = []
  /// How often the condition has each phrase.
  private(set) var counts: [Int64] = []
  /// Whether one phrase is enough; else a row has all of them.
  let isAny: Bool

  init(_ condition: TextCondition) {
    isAny = condition.form == .anyWord
    let parts = condition.form == .phrase ? [condition.text[...]] : condition.parts
    // By bytes: Swift compares characters, and the server scalars.
    var places: [[UInt8]: Int] = [:]
    for part in parts {
      let words = WordRules.words(of: String(part))
      // A part without words is no condition.
      if words.isEmpty { continue }
      let phrase = Phrase(words: words, isPrefix: condition.form == .beginnings)
      let bytes = Array(phrase.text.utf8)
      if let place = places[bytes] {
        counts[place] += 1
      } else {
        places[bytes] = phrases.count
        phrases.append(phrase)
        counts.append(1)
      }
    }
  }

  // MARK: The server's index

  /// The most words of an expression for the index. The server reads it by recursion.
  private static let wordLimit = 500

  /// An expression of the type `tsquery` for all rows that may satisfy the condition; `nil` for too many words.
  var expression: String? {
    guard isAny else { return Self.expression(phrases) }
    let alternatives = phrases.map { Self.conjunction([$0]) }
    guard phrases.reduce(0, { $0 + $1.words.count }) <= Self.wordLimit else { return nil }
    return Self.orAnyWord(alternatives.joined(separator: " | "))
  }

  /// The expression for all rows that may have some phrases.
  static func expression(_ phrases: [Phrase]) -> String { orAnyWord(conjunction(phrases)) }

  /// Some of the words are enough to find the rows that may have all.
  private static func conjunction(_ phrases: [Phrase]) -> String {
    let lexemes = phrases.lazy.flatMap { phrase in
      phrase.words.indices.lazy.map { index in
        let isPrefix = phrase.isPrefix && index == phrase.words.count - 1
        return "'\(SearchFunctions.lexeme(phrase.words[index]))'\(isPrefix ? ":*" : "")"
      }
    }
    return "(\(lexemes.prefix(wordLimit).joined(separator: " & ")))"
  }

  private static func orAnyWord(_ expression: String) -> String { "\(expression) | '\(SearchFunctions.anyWord)'" }

  // MARK: Memory

  /// Whether an object has the words in some texts.
  func isTrue(of texts: [String]) -> Bool {
    let texts = texts.map { Array(WordRules.words(of: $0).map { " \($0) " }.joined().utf8) }
    func isFound(_ phrase: Phrase) -> Bool {
      let text = Array(phrase.text.utf8)
      return texts.contains { $0.contains(text) }
    }
    guard !phrases.isEmpty else { return false }
    return isAny ? phrases.contains(where: isFound) : phrases.allSatisfy(isFound)
  }
}
