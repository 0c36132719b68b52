import PostgreSQL
import StoreRequests

// Functions about the characters of texts, as Swift divides and compares them: parts of texts, and their counts.
//
// The server decides for texts in any form. A text of ASCII without a carriage return has one scalar for each character. In another text,
// a mark takes the place of each character of several scalars. If the searched text has such characters, too, they stay in both texts,
// each between two marks.
extension QueryPrinter {
  /// A function with a text in another one.
  enum PartTest {
    case contains, starts, ends

    func sql(_ text: String, _ part: String) -> String {
      switch self {
      case .contains: "strpos(\(text), \(part)) > 0"
      case .starts: "starts_with(\(text), \(part))"
      case .ends: "right(\(text), length(\(part))) = \(part)"
      }
    }
  }

  /// The longest text of SQL that stands several times in a test.
  static let operandLimit = 2_000

  /// Whether a text contains another one, or begins or ends with it, character by character.
  mutating func part(
    _ test: PartTest, _ text: SQLValue, _ part: SQLValue, _ argument: FetchExpression
  ) throws -> SQLValue {
    try checkLength(text, part)
    let pattern = placeholder(.parameter(.text(CharacterClusters.pattern)))
    let mark = placeholder(.parameter(.text("\(CharacterClusters.mark)")))
    // The searched text as it is, and with marks; what takes the place of a character of several scalars.
    let (searched, marked, replacement): (String, String, String)
    if case .constant(let constant) = argument, reader.isPlain(constant) {
      (searched, marked, replacement) = (part.sql, part.sql, mark)
    } else {
      searched = try composed(part, argument)
      let around = placeholder(.parameter(.text("\(CharacterClusters.mark)\\&\(CharacterClusters.mark)")))
      marked = "regexp_replace(\(searched), \(pattern), \(around), 'g')"
      replacement = "CASE WHEN \(searched) ~ \(pattern) THEN \(around) ELSE \(mark) END"
    }
    let whole = normalized(text)
    let decided = test.sql("regexp_replace(\(whole), \(pattern), \(replacement), 'g')", marked)
    // Most rows are decided without marks, which take time.
    return SQLValue(
      sql: "CASE WHEN \(isPlain(text)) THEN \(test.sql(text.sql, searched)) "
        + "ELSE \(test.sql(whole, searched)) AND \(decided) END", kind: .boolean)
  }

  /// Whether a text matches a pattern with wildcards for characters.
  ///
  /// - Throws: ``Undecidable`` for a pattern that is no constant, or that has no form in SQL.
  mutating func like(_ text: SQLValue, _ pattern: FetchExpression) throws -> SQLValue {
    try checkLength(text)
    guard case .constant(let constant) = pattern, let exact = reader.source(constant, .wildcards),
      let wide = reader.source(constant, .wideWildcards)
    else { throw Undecidable() }
    let (fitting, fittingWidely) = (placeholder(.value(.text, exact)), placeholder(.value(.text, wide)))
    let clusters = placeholder(.parameter(.text(CharacterClusters.pattern)))
    let mark = placeholder(.parameter(.text("\(CharacterClusters.mark)")))
    let whole = normalized(text)
    return SQLValue(
      sql: "CASE WHEN \(isPlain(text)) THEN \(text.sql) LIKE \(fitting) "
        + "ELSE \(whole) LIKE \(fittingWidely) AND regexp_replace(\(whole), \(clusters), \(mark), 'g') LIKE \(fitting) END",
      kind: .boolean)
  }

  /// Whether a text matches a pattern that each row has, for texts of ASCII.
  mutating func plainLike(_ text: SQLValue, _ pattern: SQLValue) throws -> SQLValue {
    try checkLength(text, pattern)
    // A character after a backslash stands for itself. A backslash at the end would be an error, so each becomes a character.
    doubts.append("(strpos(\(pattern.sql), E'\\\\') = 0) IS NOT FALSE")
    let escaped = #"regexp_replace(\#(pattern.sql), E'[\\\\%_]', E'\\\\\\&', 'g')"#
    return SQLValue(sql: "(\(text.sql) LIKE translate(\(escaped), '*?', '%_'))", kind: .boolean)
  }

  /// A searched text in composed form. The server composes texts slowly, so it composes neither ASCII nor constants.
  private mutating func composed(_ part: SQLValue, _ argument: FetchExpression) throws -> String {
    if case .constant(let constant) = argument, reader.hasKnownForms(constant),
      let source = reader.source(constant, .composed)
    {
      return placeholder(.value(.text, source))
    }
    guard part.kind == .text else { return part.sql }
    return "CASE WHEN octet_length(\(part.sql)) = length(\(part.sql)) THEN \(part.sql) ELSE \(normalized(part)) END"
  }

  /// The number of characters of a text.
  mutating func characterCount(_ text: SQLValue) throws -> SQLValue {
    try checkLength(text)
    let pattern = placeholder(.parameter(.text(CharacterClusters.pattern)))
    return SQLValue(
      sql: "(CASE WHEN \(isPlain(text)) THEN length(\(text.sql)) "
        + "ELSE length(regexp_replace(\(text.sql), \(pattern), 'x', 'g')) END)::bigint", kind: .integer)
  }

  /// The number of UTF-16 code units of a text: two for a scalar beyond the first plane, which has four bytes.
  mutating func unitCount(_ text: SQLValue) throws -> SQLValue {
    try checkLength(text)
    let firstPlane = placeholder(.parameter(.text("[\\u0001-\\uFFFF]+")))
    return SQLValue(
      sql: "(length(\(text.sql)) + CASE WHEN octet_length(\(text.sql)) = length(\(text.sql)) THEN 0 "
        + "ELSE length(regexp_replace(\(text.sql), \(firstPlane), '', 'g')) END)::bigint", kind: .integer)
  }

  /// Whether each scalar of a text is an ASCII character of its own.
  private func isPlain(_ text: SQLValue) -> String {
    "octet_length(\(text.sql)) = length(\(text.sql)) AND strpos(\(text.sql), chr(13)) = 0"
  }

  private func normalized(_ text: SQLValue) -> String {
    text.kind == .text && !text.isComposed ? "normalize(\(text.sql), NFC)" : text.sql
  }

  /// Nested conditions would double the statement with each level.
  func checkLength(_ operands: SQLValue...) throws {
    guard operands.allSatisfy({ $0.sql.utf8.count <= Self.operandLimit }) else { throw Undecidable() }
  }
}
