import PostgreSQL
import StoreRequests

/// A regular expression in ICU's syntax that the server's syntax can say, for whole texts of plain ASCII characters.
///
/// It has characters, `.`, `[a-z]`, `\d`, `\w`, `\s`, groups, alternatives and repetitions. `^` at the beginning and `$` at the end say
/// nothing more. Whether a whole text matches does not depend on how greedy a repetition is.
struct RegularPattern {
  /// The longest text for which both sides decide. ICU gives up on long texts, when its stack is full.
  static let textLimit = 1_000
  /// How often a part may stand in the expression when all repetitions with a number are written out.
  private static let weightLimit = 1_000
  private static let depthLimit = 16

  /// The expression for the server; `nil` for a pattern with something else in it, and for one that is no regular expression.
  static func sql(_ pattern: String, ignoringCase: Bool) -> String? {
    // Foundation takes no empty expression.
    if pattern.isEmpty { return nil }
    var parser = RegularPattern(rest: Array(pattern.utf8)[...], ignoresCase: ignoringCase)
    guard let whole = parser.alternatives(depth: 0), parser.rest.isEmpty else { return nil }
    return "^(?:\(whole.sql))$"
  }

  /// A part of the expression.
  private struct Part {
    var sql = ""
    /// Whether it matches the empty text.
    var matchesNothing = true
    var weight = 0
  }

  private var rest: ArraySlice<UInt8>
  private let ignoresCase: Bool

  private init(rest: ArraySlice<UInt8>, ignoresCase: Bool) {
    self.rest = rest
    self.ignoresCase = ignoresCase
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func alternatives(depth: Int) -> Part? {
    guard depth < Self.depthLimit, var result = sequence(depth: depth) else { return nil }
    while take("|") {
      guard let next = sequence(depth: depth) else { return nil }
      result.sql += "|" + next.sql
      result.matchesNothing = result.matchesNothing || next.matchesNothing
      result.weight += next.weight
    }
    return result.weight <= Self.weightLimit ? result : nil
  }

  private mutating func sequence(depth: Int) -> Part? {
    var result = Part()
    if depth == 0 { _ = take("^") }
    while let first = rest.first, first != UInt8(ascii: "|"), first != UInt8(ascii: ")") {
      if depth == 0, take("$") {
        // The end of the sequence: what follows would not match.
        return rest.isEmpty || rest.first == UInt8(ascii: "|") ? result : nil
      }
      guard let part = atom(depth: depth).flatMap({ repeated($0) }) else { return nil }
      result.sql += part.sql
      result.matchesNothing = result.matchesNothing && part.matchesNothing
      result.weight += part.weight
    }
    return result
  }

  private mutating func atom(depth: Int) -> Part? {
    guard let first = rest.popFirst() else { return nil }
    switch Unicode.Scalar(first) {
    case "(":
      if take("?"), !take(":") { return nil }
      guard let inner = alternatives(depth: depth + 1), take(")") else { return nil }
      return Part(sql: "(?:\(inner.sql))", matchesNothing: inner.matchesNothing, weight: inner.weight + 1)
    case "[": return characterClass().map(part)
    case ".": return Part(sql: ".", matchesNothing: false, weight: 1)
    case "\\": return escaped().map(part)
    case "*", "+", "?", "{", "}", "]", "^", "$": return nil
    default: return Self.isPlain(first) ? part(folded([first])) : nil
    }
  }

  private func part(_ characters: Set<UInt8>) -> Part {
    Part(sql: ScalarRanges(characters.sorted().lazy.map(UInt32.init)).brackets, matchesNothing: false, weight: 1)
  }

  /// A part with the repetition after it.
  private mutating func repeated(_ part: Part) -> Part? {
    var result = part
    if take("*") {
      result.sql += "*"
      result.matchesNothing = true
    } else if take("+") {
      result.sql += "+"
    } else if take("?") {
      result.sql += "?"
      result.matchesNothing = true
    } else if take("{") {
      guard let low = number() else { return nil }
      let isOpen = take(",")
      let high = isOpen ? number() : low
      guard take("}"), (high ?? low) >= low, (high ?? 1) > 0 else { return nil }
      result.sql += "{\(low)\(isOpen ? "," : "")\(isOpen ? high.map(String.init) ?? "" : "")}"
      result.matchesNothing = part.matchesNothing || low == 0
      result.weight *= max(high ?? low, 1)
    } else {
      return part
    }
    // ICU ends a repetition of nothing in ways of its own.
    if part.matchesNothing || result.weight > Self.weightLimit { return nil }
    // A lazy repetition.
    _ = take("?")
    // One that gives nothing back, or a second repetition.
    guard let next = rest.first else { return result }
    return "*+?{".utf8.contains(next) ? nil : result
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix { Self.isDigit($0) }
    guard digits.count <= 2, let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    rest.removeFirst(digits.count)
    return number
  }

  /// The characters of brackets, after the first bracket.
  private mutating func characterClass() -> Set<UInt8>? {
    let isInverse = take("^")
    // The name of a class, such as `[:alpha:]`.
    if rest.first == UInt8(ascii: ":") { return nil }
    var characters: Set<UInt8> = []
    while let first = rest.popFirst() {
      switch Unicode.Scalar(first) {
      case "]":
        if characters.isEmpty { return nil }
        let all = folded(characters)
        return isInverse ? Set(0x01...0x7F).subtracting(all) : all
      case "\\":
        guard let escaped = escaped() else { return nil }
        characters.formUnion(escaped)
      case "-":
        // Elsewhere it may say something else.
        guard rest.first == UInt8(ascii: "]"), !characters.isEmpty else { return nil }
        characters.insert(first)
      case "[", "&", "^": return nil
      default:
        guard Self.isPlain(first) else { return nil }
        guard rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") else {
          characters.insert(first)
          continue
        }
        rest.removeFirst()
        guard let last = rest.popFirst(), first <= last, Self.kind(first) == Self.kind(last), Self.kind(first) != nil
        else { return nil }
        characters.formUnion(first...last)
      }
      // A range that begins with a class, or a second one.
      if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") { return nil }
    }
    return nil
  }

  /// The characters of an escape, after the backslash.
  private mutating func escaped() -> Set<UInt8>? {
    guard let letter = rest.popFirst() else { return nil }
    let word = Set((0x01...0x7F as ClosedRange<UInt8>).filter { Self.kind($0) != nil || $0 == UInt8(ascii: "_") })
    switch Unicode.Scalar(letter) {
    case "d": return Set(word.filter(Self.isDigit))
    case "w": return word
    case "s": return Set(" \t\n".utf8)
    default: return Self.isPlain(letter) && Self.kind(letter) == nil && letter > 0x20 ? [letter] : nil
    }
  }

  /// Some characters, with the other case of each letter if the case is ignored.
  private func folded(_ characters: Set<UInt8>) -> Set<UInt8> {
    guard ignoresCase else { return characters }
    return characters.union(characters.filter { Self.kind($0 & ~0x20) == .capital }.map { $0 ^ 0x20 })
  }

  private enum Kind { case digit, capital, small }

  private static func kind(_ byte: UInt8) -> Kind? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .capital
    case UInt8(ascii: "a")...UInt8(ascii: "z"): .small
    default: nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { kind(byte) == .digit }

  private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}

extension QueryPrinter {
  /// Whether a regular expression matches a whole text, for texts of plain ASCII characters.
  ///
  /// - Throws: ``Undecidable`` for an expression that is no constant, or that has no form in SQL.
  mutating func matches(_ text: SQLValue, _ pattern: FetchExpression, ignoringCase: Bool) throws -> SQLValue {
    guard case .constant(let constant) = pattern,
      let expression = reader.source(constant, .regular(ignoringCase: ignoringCase))
    else { throw Undecidable() }
    doubts.append("(length(\(text.sql)) <= \(RegularPattern.textLimit)) IS NOT FALSE")
    return SQLValue(
      sql: "(\(text.sql) COLLATE \"C\" ~ \(placeholder(.value(.text, expression))))", kind: .boolean)
  }
}
