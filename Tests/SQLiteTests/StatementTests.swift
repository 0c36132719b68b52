import Foundation
import SQLite
import Testing

/// Binding and reading, without any file.
struct StatementTests {
  private let connection: Connection

  init() throws { connection = try Connection.inMemory() }

  @Test("every kind of value comes back as it was bound")
  func roundTrip() throws {
    let statement = try connection.prepare("SELECT ?, ?, ?, ?, ?")
    try statement.bind(Int64.min, at: 1)
    try statement.bind(0.1, at: 2)
    try statement.bind("ünï\0cödé", at: 3)
    try statement.bind(Data([0, 1, 255]), at: 4)
    try statement.bindNull(at: 5)
    #expect(try statement.step())
    #expect((0..<5).map(statement.type) == [.integer, .real, .text, .blob, .null])
    #expect(statement.integer(0) == Int64.min)
    #expect(statement.double(1) == 0.1)
    #expect(statement.text(2) == "ünï\0cödé")
    #expect(statement.blob(3) == Data([0, 1, 255]))
    #expect(statement.withBlobBytes(3) { $0.count } == 3)
    #expect(statement.isNull(4) && statement.text(4) == nil && statement.blob(4) == nil)
    #expect(try !statement.step())
  }

  @Test("empty text and empty data are not NULL")
  func emptyValues() throws {
    let statement = try connection.prepare("SELECT ?, ?, ?")
    try statement.bind("", at: 1)
    try statement.bind(Data(), at: 2)
    try statement.bind(UnsafeRawBufferPointer(start: nil, count: 0), at: 3)
    #expect(try statement.step())
    #expect(statement.text(0) == "" && statement.blob(1) == Data() && statement.blob(2) == Data())
  }

  @Test("invalid UTF-8 is repaired")
  func invalidText() throws {
    let statement = try connection.prepare("SELECT CAST(x'61ff62' AS TEXT)")
    #expect(try statement.step())
    #expect(statement.text(0) == "a\u{FFFD}b")
  }

  @Test("a statement is prepared once per text, and afresh while it is in use")
  func cache() throws {
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (1), (2)")
    let first = try connection.statement("SELECT A FROM T")
    #expect(try connection.statement("SELECT A FROM T") === first)
    #expect(try first.step())
    let nested = try connection.statement("SELECT A FROM T")
    #expect(nested !== first)
    #expect(try nested.step() && nested.integer(0) == 1)
    #expect(try first.step() && first.integer(0) == 2)
  }

  @Test("cached statements come back without the values bound before")
  func clearedBindings() throws {
    try connection.statement("SELECT ?").bind("secret", at: 1)
    let again = try connection.statement("SELECT ?")
    #expect(try again.step() && again.isNull(0))
  }

  @Test("several statements in one text, no statement, and a placeholder out of range are errors")
  func misuse() throws {
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1; SELECT 2") }
    #expect(throws: SQLiteError.self) { try connection.prepare("  ") }
    _ = try connection.prepare("SELECT 1; \n")
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT ?").bind("x", at: 2) }
  }

  @Test("an error has the codes, SQLite's words and the statement, and never a bound value")
  func errors() throws {
    try connection.execute("CREATE TABLE T (A UNIQUE)")
    let insert = try connection.statement("INSERT INTO T VALUES (?)")
    try insert.bind("secret", at: 1)
    try insert.run()
    let error = try #require(throws: SQLiteError.self) { try insert.run() }
    #expect(error.code == .constraint && error.extendedCode == SQLiteError.uniqueConstraint)
    #expect(error.description.contains("UNIQUE constraint failed: T.A"))
    #expect(error.description.contains("INSERT INTO T VALUES (?)"))
    #expect(!error.description.contains("secret"))
    try insert.bind("other", at: 1)
    try insert.run()
    #expect(connection.changes == 1)
  }

  @Test("names are quoted unless they are plain")
  func identifiers() {
    #expect(Identifier("ZNAME").description == "ZNAME")
    #expect(Identifier("Z_3É").description == "Z_3É")
    #expect(Identifier("ORDER").description == "\"ORDER\"")
    #expect(Identifier("Z\" OR 1").description == "\"Z\"\" OR 1\"")
    #expect(Identifier("").description == "\"\"")
    #expect(Identifier.literal("it's\0") == "'it''s'")
  }

  @Test("a name in double quotes is never taken for a string")
  func quotedNamesAreNoStrings() throws {
    try connection.execute("CREATE TABLE T (A)")
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT \"NOTHING\" FROM T") }
  }
}
