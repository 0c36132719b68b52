import SQLite

/// Translates the predicates of partial indexes to SQL: comparisons with constants, joined by AND and OR (CD-4).
struct PartialIndexPredicate {
  /// The condition in SQL, or `nil` if the format is anything else.
  ///
  /// - Parameter column: the column of a property path; `nil` makes the whole predicate untranslatable.
  static func sql(_ format: String, column: (String) -> Identifier?) -> String? {
    guard format.utf8.count <= 10_000, let tokens = tokens(of: format) else { return nil }
    return withoutActuallyEscaping(column) { column in
      var parser = PartialIndexPredicate(tokens: tokens, column: column)
      guard let condition = parser.disjunction(depth: 0), parser.tokens.isEmpty else { return nil }
      return condition
    }
  }

  private var tokens: ArraySlice<Token>
  private let column: (String) -> Identifier?

  private init(tokens: [Token], column: @escaping (String) -> Identifier?) {
    self.tokens = tokens[...]
    self.column = column
  }

  private enum Token: Equatable {
    case word(String)
    case number(String)
    case text(String)
    case symbol(String)
  }

  private mutating func disjunction(depth: Int) -> String? {
    compound(["OR", "||"], "OR", depth) { $0.conjunction(depth: depth) }
  }

  private mutating func conjunction(depth: Int) -> String? {
    compound(["AND", "&&"], "AND", depth) { $0.operand(depth: depth) }
  }

  private mutating func compound(
    _ words: [String], _ joiner: String, _ depth: Int, _ part: (inout PartialIndexPredicate) -> String?
  ) -> String? {
    guard depth < 32, let first = part(&self) else { return nil }
    var parts = [first]
    while take(words) {
      guard let next = part(&self) else { return nil }
      parts.append(next)
    }
    return parts.count == 1 ? first : "(" + parts.joined(separator: " \(joiner) ") + ")"
  }

  private mutating func operand(depth: Int) -> String? {
    if take(["("]) {
      guard let inner = disjunction(depth: depth + 1), take([")"]) else { return nil }
      return inner
    }
    guard case .word(let path)? = tokens.popFirst(), let column = column(path),
      let comparison = comparison(), let value = value()
    else { return nil }
    if value == "NULL" {
      guard comparison == "=" || comparison == "<>" else { return nil }
      return "\(column) IS \(comparison == "=" ? "" : "NOT ")NULL"
    }
    return "\(column) \(comparison) \(value)"
  }

  private mutating func comparison() -> String? {
    guard case .symbol(let symbol)? = tokens.popFirst() else { return nil }
    switch symbol {
    case "=", "==": return "="
    case "!=", "<>": return "<>"
    case "<", ">": return symbol
    case "<=", "=<": return "<="
    case ">=", "=>": return ">="
    default: return nil
    }
  }

  private mutating func value() -> String? {
    switch tokens.popFirst() {
    case .number(let digits)?: return digits
    case .text(let text)?: return Identifier.literal(text)
    case .word(let word)?:
      switch word.uppercased() {
      case "YES", "TRUE": return "1"
      case "NO", "FALSE": return "0"
      case "NIL", "NULL": return "NULL"
      default: return nil
      }
    default: return nil
    }
  }

  /// Takes the next token if it is one of these words or symbols, in any case.
  private mutating func take(_ choices: [String]) -> Bool {
    switch tokens.first {
    case .word(let word)? where choices.contains(word.uppercased()): break
    case .symbol(let symbol)? where choices.contains(symbol): break
    default: return false
    }
    tokens.removeFirst()
    return true
  }

  private static func tokens(of format: String) -> [Token]? {
    var tokens: [Token] = []
    var rest = format[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
      } else if first.isLetter || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        tokens.append(.word(String(word)))
        rest = rest.dropFirst(word.count)
      } else if first.isASCII, first.isNumber || first == "-" {
        let digits = rest.prefix { $0.isASCII && ($0.isNumber || "-+.eE".contains($0)) }
        guard Double(digits) != nil else { return nil }
        tokens.append(.number(String(digits)))
        rest = rest.dropFirst(digits.count)
      } else if first == "\"" || first == "'" {
        let body = rest.dropFirst().prefix { $0 != first }
        guard !body.contains("\\"), body.endIndex < rest.endIndex else { return nil }
        tokens.append(.text(String(body)))
        rest = rest[body.endIndex...].dropFirst()
      } else if "()".contains(first) {
        tokens.append(.symbol(String(first)))
        rest.removeFirst()
      } else if "=!<>&|".contains(first) {
        let symbol = rest.prefix { "=!<>&|".contains($0) }
        tokens.append(.symbol(String(symbol)))
        rest = rest.dropFirst(symbol.count)
      } else {
        return nil
      }
    }
    return tokens
  }
}
