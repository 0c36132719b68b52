/// Names in SQL text.
package enum Identifier {
  /// The name as it has to stand in SQL: as it is if it is plain, else in double quotes with inner ones doubled.
  ///
  /// Plain is a name that begins with Z or an underscore and goes on with ASCII letters, digits and underscores (no
  /// keyword of SQLite does), or the name of one of the history tables and their columns.
  package static func quoted(_ name: String) -> String {
    isPlain(name)
      ? name : "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// A text as an SQL literal in single quotes; a NUL character, which SQL text cannot hold, is left out.
  package static func literal(_ text: String) -> String {
    let clean = text.split(separator: "\0", omittingEmptySubsequences: false).joined()
    return "'" + clean.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private static let plainWords: Set<String> = [
    "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "REFLEXIVE", "sqlite_master",
  ]

  private static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first else { return false }
    let startsPlainly = first == UInt8(ascii: "Z") || first == UInt8(ascii: "_")
    guard startsPlainly || plainWords.contains(name) || name.hasPrefix("ACHANGE_") || name.hasPrefix("ATRANSACTION_")
    else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      // Core Data leaves letters beyond ASCII unquoted; SQLite takes every such byte for a letter.
      case 0x80...: true
      default: false
      }
    }
  }
}
