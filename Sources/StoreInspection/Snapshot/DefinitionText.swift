import CoreDataStore

/// The SQL text of a table or an index, parsed as far as the checks need.
struct DefinitionText {
  let text: String

  init(_ text: String) { self.text = text }

  /// The text without quotation marks around names and with single blanks, so that equivalent definitions are equal.
  var plain: String {
    var names = text
    names.unicodeScalars.removeAll { $0 == "\"" }
    return names.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The indexed columns: an index's text without its name and without its condition.
  var indexBody: String {
    let words = plain.split(separator: " ", maxSplits: .max)
    guard let position = words.firstIndex(of: "INDEX"), position + 1 < words.count else { return plain }
    let body = (words[...position] + words[(position + 2)...]).joined(separator: " ")
    return String(body.prefix(upTo: body.firstRange(of: " WHERE ")?.lowerBound ?? body.endIndex))
  }

  /// The text before its condition.
  var withoutCondition: String {
    String(plain.prefix(upTo: plain.firstRange(of: " WHERE ")?.lowerBound ?? plain.endIndex))
  }

  /// Constraints that no table of Core Data has (CD-1.1).
  var constraints: [String] {
    guard !plain.uppercased().hasPrefix("CREATE VIRTUAL ") else { return [] }
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
      if !scalar.isASCII || scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" {
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
