import SQLite
import Testing

/// Names and texts in SQL come from models and stores that strangers made.
@Suite("Identifiers and literals in SQL text") struct IdentifierTests {
  /// A quotation mark beside a combining or prepended character is part of a longer `Character`.
  private static let marks = ["\"", "'", "\"\u{301}", "\u{600}\"", "'\u{301}", "\u{600}'", "\\", "]", "`", ";--"]

  private static let texts =
    marks.map { "Z\($0), A); DROP TABLE T; --" } + ["", "Z", "select", "\r\n", "é", "e\u{301}"]

  @Test("A name of any characters is one name", arguments: texts) func names(_ name: String) throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE T (A)")
    for spelling in [Identifier(name).quoted, "\(Identifier(name))"] {
      try connection.execute("CREATE TABLE \(spelling) (\(spelling))")
      let names = try connection.prepare("SELECT name FROM sqlite_master WHERE name <> 'T'")
      #expect(try names.step())
      #expect(names.text(0).map { Array($0.utf8) } == Array(name.utf8))
      #expect(try !names.step())
      try connection.execute("DROP TABLE \(spelling)")
    }
  }

  @Test("A text of any characters is one literal", arguments: texts) func literals(_ text: String) throws {
    let connection = try Connection.inMemory()
    let statement = try connection.prepare("SELECT \(Identifier.literal(text))")
    #expect(try statement.step())
    #expect(statement.text(0).map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test("A literal leaves out a NUL, also beside a combining character") func nul() {
    #expect(Identifier.literal("a\0\u{301}b") == "'a\u{301}b'")
  }

  @Test("Names are equal if their bytes are") func equality() {
    let (one, other) = (Identifier("Caf\u{E9}"), Identifier("Cafe\u{301}"))
    #expect(one.name == other.name && one != other && one == Identifier("Caf\u{E9}"))
    #expect(Set([one, other, one]).count == 2)
  }
}
