/// A constant in the text of a default's expression, as the server prints it: `0`, `true`, `'red'::text`, `('-1'::integer)::smallint`.
///
/// The text is untrusted and is never run: a text of any other form is no constant.
enum ConstantExpression: Equatable {
  case null
  case boolean(Bool)
  case number(String)
  case text(String)

  init?(_ expression: String) {
    var scanner = Scanner(expression)
    guard let value = scanner.value(), scanner.isAtEnd else { return nil }
    self = value
  }

  private struct Scanner {
    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    init(_ text: String) { rest = text[...].unicodeScalars }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func value() -> ConstantExpression? {
      guard let value = literal() else { return nil }
      while take("::") { guard takeType() else { return nil } }
      return value
    }

    private mutating func literal() -> ConstantExpression? {
      if take("(") {
        depth += 1
        guard depth < 100, let value = value(), take(")") else { return nil }
        return value
      }
      if take("'") { return quotedText().map(ConstantExpression.text) }
      if take("true") { return .boolean(true) }
      if take("false") { return .boolean(false) }
      if take("NULL") { return .null }
      let digits = rest.prefix { ("0"..."9").contains($0) || ".eE+-".unicodeScalars.contains($0) }
      guard digits.contains(where: { ("0"..."9").contains($0) }) else { return nil }
      rest.removeFirst(digits.count)
      return .number(String(digits))
    }

    /// The rest of a text in quotation marks, where two marks are one.
    private mutating func quotedText() -> String? {
      var result = String.UnicodeScalarView()
      while let scalar = rest.popFirst() {
        if scalar == "'" {
          guard rest.first == "'" else { return String(result) }
          rest.removeFirst()
        }
        result.append(scalar)
      }
      return nil
    }

    private mutating func take(_ text: String) -> Bool {
      guard rest.starts(with: text.unicodeScalars) else { return false }
      rest.removeFirst(text.unicodeScalars.count)
      return true
    }

    /// The names of types that have several words.
    private static let phrases: Set<String> = [
      "bit varying", "character varying", "double precision", "time with time zone", "time without time zone",
      "timestamp with time zone", "timestamp without time zone",
    ]

    /// Takes the name of a type: words, names in quotation marks, bounds in parentheses.
    private mutating func takeType() -> Bool {
      var words = String.UnicodeScalarView()
      while let scalar = rest.first {
        if scalar == "\"" {
          rest.removeFirst()
          while let inner = rest.popFirst(), inner != "\"" {}
          words.append("x")
        } else if scalar == "(" {
          let bounds = rest.prefix { $0 != ")" }.dropFirst()
          guard bounds.allSatisfy({ ("0"..."9").contains($0) || $0 == "," }) else { return false }
          rest.removeFirst(bounds.count + 1)
          guard take(")") else { return false }
        } else if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "_.[] ".unicodeScalars.contains(scalar)
        {
          words.append(scalar)
          rest.removeFirst()
        } else {
          break
        }
      }
      let name = String(words)
      return !name.isEmpty && (!name.contains(" ") || Self.phrases.contains(name))
    }
  }
}
