/// A name of a schema, table, column or constraint; its description is quoted and safe inside SQL.
package struct Identifier: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  package let name: String

  package init(_ name: String) { self.name = name }

  package init(stringLiteral value: String) { self.init(value) }

  /// The name in double quotes. A NUL, which no name can have, is left out.
  package var description: String { "\"\(name.filter { $0 != "\0" }.replacing("\"", with: "\"\""))\"" }

  /// The number of bytes after which PostgreSQL cuts names.
  package static let longestName = 63
}

/// A text as a literal in SQL, for definitions, which take no parameters.
package func sqlLiteral(_ text: String) -> String {
  let plain = text.filter { $0 != "\0" }
  let quoted = "'\(plain.replacing("'", with: "''").replacing("\\", with: "\\\\"))'"
  return plain.contains("\\") ? " E\(quoted)" : quoted
}
