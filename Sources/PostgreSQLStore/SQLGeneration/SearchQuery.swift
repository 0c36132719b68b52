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
  /// The places of the phrases of each part: its words in one or several normal forms.
  private(set) var parts: [[Int]] = []
  /// Whether one phrase is enough; else a row has a phrase of each part.
  let isAny: Bool

  /// Whether some parts have several phrases.
  var hasAlternatives: Bool { parts.contains { $0.count > 1 } }

  init(_ condition: TextCondition) {
    isAny = condition.form == .anyWord
    // By bytes: Swift compares characters, and the server scalars.
    var places: [[UInt8]: Int] = [:]
    var known: Set<[Int]> = []
    for forms in condition.alternatives {
      var part: [Int] = []
      for form in forms {
        let words = WordTables.words(of: form)
        // A part without words is no condition.
        if words.isEmpty { continue }
        let phrase = Phrase(words: words, isPrefix: condition.form == .beginnings)
        let bytes = Array(phrase.text.utf8)
        if let place = places[bytes] {
          counts[place] += 1
          part.append(place)
        } else {
          part.append(phrases.count)
          places[bytes] = phrases.count
          phrases.append(phrase)
          counts.append(1)
        }
      }
      if !part.isEmpty, known.insert(part).inserted { parts.append(part) }
    }
  }

  // MARK: The server's index

  /// The most words of an expression for the index. The server reads it by recursion.
  private static let wordLimit = 500

  /// An expression of the type `tsquery` for all rows that may satisfy the condition; `nil` for too many words.
  var expression: String? {
    guard isAny else { return conjunctionOfParts.map(Self.orAnyWord) }
    let alternatives = phrases.map { Self.conjunction([$0]) }
    guard phrases.reduce(0, { $0 + $1.words.count }) <= Self.wordLimit else { return nil }
    return Self.orAnyWord(alternatives.joined(separator: " | "))
  }

  /// Some of the parts are enough to find the rows that may have all.
  ///
  /// - Returns: `nil` if no part is short enough.
  private var conjunctionOfParts: String? {
    var rest = Self.wordLimit
    let several = parts.filter { part in
      let count = part.reduce(0) { $0 + phrases[$1].words.count }
      guard part.count > 1, count <= rest else { return false }
      rest -= count
      return true
    }
    var conditions = several.map { part in
      "(\(part.map { Self.conjunction([phrases[$0]]) }.joined(separator: " | ")))"
    }
    let single = parts.filter { $0.count == 1 }.map { phrases[$0[0]] }
    if rest > 0, !single.isEmpty { conditions.append(Self.conjunction(single, upTo: rest)) }
    return conditions.isEmpty ? nil : "(\(conditions.joined(separator: " & ")))"
  }

  /// The expression for all rows that may have some phrases.
  static func expression(_ phrases: [Phrase]) -> String { orAnyWord(conjunction(phrases)) }

  /// Some of the words are enough to find the rows that may have all.
  private static func conjunction(_ phrases: [Phrase], upTo count: Int = wordLimit) -> String {
    let lexemes = phrases.lazy.flatMap { phrase in
      phrase.words.indices.lazy.map { index in
        let isPrefix = phrase.isPrefix && index == phrase.words.count - 1
        return "'\(SearchFunctions.lexeme(phrase.words[index]))'\(isPrefix ? ":*" : "")"
      }
    }
    return "(\(lexemes.prefix(count).joined(separator: " & ")))"
  }

  private static func orAnyWord(_ expression: String) -> String { "\(expression) | '\(SearchFunctions.anyWord)'" }

  // MARK: Memory

  /// Whether an object has the words in some texts.
  func isTrue(of texts: [String]) -> Bool {
    let texts = texts.map { Array(WordTables.words(of: $0).map { " \($0) " }.joined().utf8) }
    func isFound(_ phrase: Phrase) -> Bool {
      let text = Array(phrase.text.utf8)
      return texts.contains { $0.contains(text) }
    }
    guard !phrases.isEmpty else { return false }
    return isAny
      ? phrases.contains(where: isFound) : parts.allSatisfy { part in part.contains { isFound(phrases[$0]) } }
  }
}
