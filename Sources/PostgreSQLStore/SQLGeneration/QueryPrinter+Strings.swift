import Foundation
import PostgreSQL
import StoreRequests

// Functions of strings. The server decides for these texts, and memory for the others:
// - parts of texts and counts of characters: all texts,
// - `localizedStandardContains`, and comparisons without case: texts of common scripts,
// - other functions: texts of plain ASCII characters.
extension QueryPrinter {
  mutating func string(
    _ function: StringFunction, _ arguments: [FetchExpression], depth: Int
  ) throws -> SQLValue {
    guard arguments.count == function.argumentCount else {
      throw QueryError.wrongArgumentCount(function, arguments.count)
    }
    var values: [SQLValue] = []
    for argument in arguments {
      if values.isEmpty, case .constant(let part)? = arguments.dropFirst().first, function.testsLetters,
        let changed = try changedText(argument, comparedWith: part, depth: depth)
      {
        values.append(changed)
      } else {
        values.append(try value(argument, depth: depth))
      }
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
    case .like where arguments[1].isConstant: return try like(values[0], arguments[1])
    case .like: result = try plainLike(values[0], values[1])
    case .matches, .matchesIgnoringCase:
      result = try matches(values[0], arguments[1], ignoringCase: function == .matchesIgnoringCase)
    case .count: return try characterCount(values[0])
    case .length: return try unitCount(values[0])
    case .localizedStandardContains where Self.foldsPlainly:
      if let found = try search(values[0], arguments[1]) { return found }
      // For Foundation no text contains the empty text.
      result = SQLValue(
        sql: "(strpos(\(lower(first)), \(lower(second))) > 0 AND \(second) <> '')", kind: .boolean)
    case .lowercased, .foldedCase, .canonical, .uppercased, .foldedDiacritics:
      result = SQLValue(sql: plainlyChanged(first, by: function), kind: .text)
    case .caseInsensitiveCompare: result = try caseInsensitiveOrder(values[0], values[1])
    case .localizedCompare: result = try localizedOrder(values[0], values[1])
    case .localizedStandardContains, .localizedStandardCompare: throw Undecidable()
    }
    for (argument, value) in zip(arguments, values) {
      if case .constant(let constant) = argument {
        guard reader.isPlain(constant) else { throw Undecidable() }
      } else {
        doubtPlain(value)
      }
    }
    return result
  }

  /// Adds the doubt that a text has other characters than plain ASCII ones.
  mutating func doubtPlain(_ text: SQLValue) {
    guard text.kind == .text else { return }
    doubts.append("(\(text.sql) COLLATE \"C\" ~ '^[\\x20-\\x7e\\n\\t]*$') IS NOT FALSE")
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

  func lower(_ sql: String) -> String { "lower(\(sql) COLLATE \"C\")" }

  /// Whether the locale's rules of case are those of ASCII.
  static let foldsPlainly = !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
}

extension StringFunction {
  /// Whether the function compares the characters of a text with those of another one.
  fileprivate var testsLetters: Bool {
    switch self {
    case .contains, .starts, .ends, .like: true
    default: false
    }
  }
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
