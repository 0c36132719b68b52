import ErrorReporting

/// The name of a table, column or index. Interpolated into SQL text, it quotes itself where needed; never interpolate
/// its `name`.
///
/// Names may come from an untrusted model or store, so every name that is not plain is quoted. A plain name begins with
/// Z or an underscore (no keyword of SQLite does) and goes on with letters, digits and underscores. The few names of
/// the format that begin with another letter are plain too.
///
/// Names are equal if their bytes are, as for SQLite: Swift's texts are also equal if one has a composed and the other a
/// decomposed letter. SQLite ignores the case of ASCII letters as well; the names of one layout never differ in it alone.
package struct Identifier: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name itself, as the schema has it.
  package let name: String

  package init(_ name: String) { self.name = name }
  package init(stringLiteral name: String) { self.name = name }

  package static func == (left: Identifier, right: Identifier) -> Bool {
    left.name.hasBytes(of: right.name)
  }

  /// The name in SQL text: unchanged if it is plain, otherwise in double quotes, with double quotes inside doubled.
  package var description: String {
    isPlain ? name : quoted
  }

  /// The name in double quotes, with double quotes inside doubled, for a name that may be a keyword of SQL.
  package var quoted: String { "\"" + Identifier.doubling("\"", in: name) + "\"" }

  /// Orders by code unit, so that equal sets of names give equal SQL.
  package static func < (left: Identifier, right: Identifier) -> Bool {
    left.name.utf16.lexicographicallyPrecedes(right.name.utf16)
  }

  /// A text as an SQL literal in single quotes; a NUL character, which SQL text cannot hold, is left out.
  package static func literal(_ text: String) -> String {
    var plain = text
    plain.unicodeScalars.removeAll { $0 == "\0" }
    return "'" + doubling("'", in: plain) + "'"
  }

  /// A text with each `mark` doubled, as SQLite scans it: a mark before or after a combining character, which is no
  /// `Character` of its own, is doubled too.
  private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == mark ? [mark, mark] : [$0] }))
  }

  private static let plainWords = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "REFLEXIVE", "sqlite_master"]

  private var isPlain: Bool {
    guard let first = name.utf8.first else { return false }
    guard
      first == UInt8(ascii: "Z") || first == UInt8(ascii: "_") || name.hasPrefix("ACHANGE_")
        || name.hasPrefix("ATRANSACTION_") || Identifier.plainWords.contains(name)
    else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      // SQLite treats every byte beyond ASCII as a letter, and Core Data leaves names with these bytes unquoted.
      case 0x80...: true
      default: false
      }
    }
  }
}
