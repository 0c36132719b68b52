import CoreDataStore

/// The SQL text of a table or an index, parsed as far as the checks need.
struct DefinitionText {
  let text: String
  /// The text without quotation marks around names and with single blanks, so that equivalent definitions are equal.
  let plain: String
  /// The words of ``plain``.
  let words: [Substring]

  init(_ text: String) {
    self.text = text
    plain = DefinitionText.plain(text)
    // By bytes: to find the borders of characters takes many times as long, and a check reads every definition.
    words = plain.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
  }

  private static func plain(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var endsWord = false
    for scalar in text.unicodeScalars where scalar != "\"" {
      if scalar.isASCII ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace {
        endsWord = !result.isEmpty
      } else {
        if endsWord { result.append(" ") }
        endsWord = false
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The indexed columns: an index's text without its name and without its condition.
  var indexBody: String {
    guard let position = words.firstIndex(of: "INDEX"), position + 1 < words.count else { return plain }
    return DefinitionText.withoutCondition(words[...position] + words[(position + 2)...])
  }

  /// The text before its condition.
  var withoutCondition: String { DefinitionText.withoutCondition(words[...]) }

  private static func withoutCondition(_ words: ArraySlice<Substring>) -> String {
    words[..<(words.firstIndex(of: "WHERE") ?? words.endIndex)].joined(separator: " ")
  }

  /// Constraints that no table of Core Data has (CD-1.1).
  var constraints: [String] {
    guard words.prefix(2).map({ $0.uppercased() }) != ["CREATE", "VIRTUAL"] else { return [] }
    let words = unquotedWords
    let pairs = Set(zip(words, words.dropFirst()).map { "\($0) \($1)" })
    return ["FOREIGN KEY", "NOT NULL"].filter(pairs.contains)
      + ["REFERENCES", "DEFAULT", "CHECK"].filter(words.contains)
  }

  /// Words outside of quotation marks, in upper case.
  private var unquotedWords: [String] {
    var words: [String] = []
    var word = ""
    var closing: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if let end = closing {
        if scalar == end { closing = nil }
        continue
      }
      // SQLite treats every character beyond ASCII as a letter.
      if !scalar.isASCII || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        || scalar == "_"
      {
        word.unicodeScalars.append(scalar)
        continue
      }
      if !word.isEmpty { words.append(word.uppercased()) }
      word = ""
      switch scalar {
      case "\"", "'", "`": closing = scalar
      case "[": closing = "]"
      default: break
      }
    }
    return word.isEmpty ? words : words + [word.uppercased()]
  }
}
