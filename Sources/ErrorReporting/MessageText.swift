/// Replaces characters that would break a line or move the cursor with spaces.
package func onOneLine(_ text: String) -> String { onOneLine(text, limit: .max) }

/// Replaces characters that would break a line with spaces, and cuts the text after `limit` characters.
package func onOneLine(_ text: some StringProtocol, limit: Int) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars.prefix(limit) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: result.append(" ")
    default: result.append(scalar)
    }
  }
  return String(result)
}

/// A number with its noun: `1 row`, `3 rows`. The plural is the noun with an `s`, unless it is given.
package func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Joins at most `limit` items, and gives the number of further items: `a, b, and 3 more`.
package func abbreviatedList(_ items: [String], limit: Int = 10, separator: String = ", ") -> String {
  let shown = items.prefix(limit).joined(separator: separator)
  return items.count > limit ? "\(shown)\(separator)and \(items.count - limit) more" : shown
}

/// `line 3, column 5`, as far as they are known.
package func textPlace(line: Int?, column: Int?) -> String? {
  line.map { "line \($0)" + (column.map { ", column \($0)" } ?? "") }
}
