import ErrorReporting

/// A name of a schema, table, column or constraint; its description is quoted and safe inside SQL.
///
/// Names are equal if their bytes are, as for the server: Swift's texts are also equal if one has a composed and the other a decomposed
/// letter. A name cannot contain a NUL: ``Connection`` refuses a statement that has one.
package struct Identifier: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  package let name: String

  package init(_ name: String) { self.name = name }

  package init(stringLiteral value: String) { self.init(value) }

  package static func == (left: Identifier, right: Identifier) -> Bool {
    left.name.hasBytes(of: right.name)
  }

  /// The name in double quotes.
  package var description: String { "\"\(name.doubling("\""))\"" }

  /// The number of bytes after which PostgreSQL cuts names.
  package static let longestName = 63

  /// A name of any length: a longer one than the server allows ends with a hash, so that names with equal beginnings stay apart.
  package init(shortening name: String) {
    guard name.utf8.count > Self.longestName else {
      self.init(name)
      return
    }
    // FNV-1a, which is the same in every process.
    let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let end = "_" + String(hash, radix: 16)
    self.init(name.prefix(bytes: Self.longestName - end.utf8.count) + end)
  }
}

/// A text as a literal in SQL, for definitions, which take no parameters.
package func sqlLiteral(_ text: String) -> String {
  let quoted = text.doubling("'")
  // A backslash escapes in literals with the prefix E, whatever the server's setting of `standard_conforming_strings`.
  return quoted.utf8.contains(UInt8(ascii: "\\")) ? " E'\(quoted.doubling("\\"))'" : "'\(quoted)'"
}

extension String {
  /// The text with each occurrence of an ASCII character doubled.
  ///
  /// The server compares bytes. A `Character` may join a quotation mark with a combining mark, so this compares bytes, too.
  fileprivate func doubling(_ character: Unicode.Scalar) -> String {
    let byte = UInt8(ascii: character)
    guard utf8.contains(byte) else { return self }
    return String(decoding: utf8.flatMap { $0 == byte ? [byte, byte] : [$0] }, as: UTF8.self)
  }

  /// Whether the text has a NUL, which ends a text of the client library, and which no text of the server has.
  package var hasNUL: Bool { utf8.contains(0) }

  /// The text without its NUL characters.
  package var withoutNUL: String { hasNUL ? String(decoding: utf8.filter { $0 != 0 }, as: UTF8.self) : self }

  /// The longest beginning of the text that has at most some bytes of UTF-8, and ends between two scalars.
  package func prefix(bytes: Int) -> String {
    var size = 0
    var end = unicodeScalars.startIndex
    for index in unicodeScalars.indices {
      size += UTF8.width(unicodeScalars[index])
      guard size <= bytes else { break }
      end = unicodeScalars.index(after: index)
    }
    return String(unicodeScalars[..<end])
  }
}
