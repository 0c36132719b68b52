import PostgreSQL
import StoreRequests

// Functions that change the letters of a text one by one, such as `lowercased`.
extension QueryPrinter {
  /// The text that a function makes of another one, for a comparison with a known text in texts of common scripts; `nil` for other
  /// expressions and other known texts.
  ///
  /// The server changes only letters that occur in the known text. To change all letters would take it a fifth of a millisecond for each row.
  mutating func changedText(
    _ expression: FetchExpression, comparedWith constant: StoreValue, depth: Int
  ) throws -> SQLValue? {
    guard case .string(let function, let arguments) = expression, isAboutRows || kept[expression] == nil,
      arguments.count == 1, let table = LetterTable.tables[function],
      let scalars = reader.source(constant, .spellings(function)),
      let letters = reader.source(constant, .spelled(function))
    else { return nil }
    let text = try value(arguments[0], depth: depth + 1)
    if text.kind == .null { return text }
    guard text.kind == .text || text.kind == .address else { throw Undecidable() }
    let plain = plainlyChanged(text.sql, by: function)
    guard text.kind == .text, text.sql.utf8.count <= Self.operandLimit else {
      doubtPlain(text)
      return SQLValue(sql: plain, kind: .text)
    }
    let (changed, results) = (placeholder(.value(.text, scalars)), placeholder(.value(.text, letters)))
    let common = placeholder(.parameter(.text(table.pattern)))
    doubts.append("(\(text.sql) COLLATE \"C\" ~ \(common)) IS NOT FALSE")
    let sql =
      "CASE WHEN octet_length(\(text.sql)) = length(\(text.sql)) THEN \(plain) "
      + "ELSE translate(\(text.sql), \(changed), \(results)) END"
    return SQLValue(sql: "(\(sql)) COLLATE \"C\"", kind: .text, isComposed: true)
  }

  /// The text that a function makes of a text in ASCII.
  func plainlyChanged(_ sql: String, by function: StringFunction) -> String {
    switch function {
    case .uppercased: "upper(\(sql) COLLATE \"C\")"
    case .foldedDiacritics: sql
    default: lower(sql)
    }
  }
}
