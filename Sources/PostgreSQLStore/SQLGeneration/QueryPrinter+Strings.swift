import Foundation
import PostgreSQL
import StoreRequests

// Functions of strings. The server decides about parts and counts of characters in all texts, and about `localizedStandardContains` in
// texts of common scripts. The results of other functions are certain for texts of plain ASCII characters. Memory decides about other
// texts, and about functions that follow a language's rules.
extension QueryPrinter {
  mutating func string(
    _ function: StringFunction, _ arguments: [FetchExpression], depth: Int
  ) throws -> SQLValue {
    let values = try arguments.map { try value($0, depth: depth) }
    guard values.count == function.argumentCount else {
      throw QueryError.wrongArgumentCount(function, arguments.count)
    }
    if values.contains(where: { $0.kind == .null }) { return SQLValue(sql: "NULL", kind: .null) }
    guard values.allSatisfy({ $0.kind == .text || $0.kind == .address }) else { throw Undecidable() }
    let first = values[0].sql
    let second = values.count > 1 ? values[1].sql : ""
    let result: SQLValue
    switch function {
    case .isEmpty: return SQLValue(sql: "(\(first) = '')", kind: .boolean)
    case .contains: return try part(.contains, values[0], values[1], arguments[1])
    case .starts: return try part(.starts, values[0], values[1], arguments[1])
    case .ends: return try part(.ends, values[0], values[1], arguments[1])
    case .like: return try like(values[0], arguments[1])
    case .count: return try characterCount(values[0])
    case .length: return try unitCount(values[0])
    case .localizedStandardContains where Self.foldsPlainly:
      if let found = try search(values[0], arguments[1]) { return found }
      // For Foundation no text contains the empty text.
      result = SQLValue(
        sql: "(strpos(\(lower(first)), \(lower(second))) > 0 AND \(second) <> '')", kind: .boolean)
    case .lowercased, .foldedCase, .canonical: result = SQLValue(sql: lower(first), kind: .text)
    case .uppercased: result = SQLValue(sql: "upper(\(first) COLLATE \"C\")", kind: .text)
    case .foldedDiacritics: result = SQLValue(sql: first, kind: .text)
    case .localizedStandardContains, .caseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
      .matches, .matchesIgnoringCase:
      throw Undecidable()
    }
    for (argument, value) in zip(arguments, values) {
      if case .constant(let constant) = argument {
        guard reader.isPlain(constant) else { throw Undecidable() }
      } else if value.kind == .text {
        doubts.append("(\(value.sql) COLLATE \"C\" ~ '^[\\x20-\\x7e\\n\\t]*$') IS NOT FALSE")
      }
    }
    return result
  }

  /// `localizedStandardContains` of a known text in common scripts; `nil` for another searched text.
  private mutating func search(_ text: SQLValue, _ part: FetchExpression) throws -> SQLValue? {
    guard text.kind == .text, case .constant(let constant) = part,
      let part = reader.source(constant, .commonLetters), let scalars = reader.source(constant, .commonSpellings),
      let letters = reader.source(constant, .commonSpelled)
    else { return nil }
    try checkLength(text)
    let (searched, changed, results) = (
      placeholder(.value(.text, part)), placeholder(.value(.text, scalars)), placeholder(.value(.text, letters))
    )
    let common = placeholder(.parameter(.text(CommonLetters.pattern)))
    doubts.append("(\(text.sql) COLLATE \"C\" ~ \(common)) IS NOT FALSE")
    // The small letters of ASCII are quicker to find.
    let folded =
      "CASE WHEN octet_length(\(text.sql)) = length(\(text.sql)) THEN \(lower(text.sql)) "
      + "ELSE translate(\(text.sql), \(changed), \(results)) END"
    return SQLValue(sql: "(strpos(\(folded), \(searched)) > 0)", kind: .boolean)
  }

  private func lower(_ sql: String) -> String { "lower(\(sql) COLLATE \"C\")" }

  /// Whether the locale's rules of case are those of ASCII.
  static let foldsPlainly = !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
}

extension StoreValue {
  /// A text in composed form (NFC); other values as they are.
  var composed: StoreValue {
    if case .text(let text) = self { .text(CanonicalText.composed(text)) } else { self }
  }

  /// The first text, by bytes, after all texts that begin with the value in composed form; `NULL` if there is none.
  var afterPrefix: StoreValue {
    guard case .text(let text) = composed, let end = CanonicalText.following(prefix: text) else { return .null }
    return .text(end)
  }
}
