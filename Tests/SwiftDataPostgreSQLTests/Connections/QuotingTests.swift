import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite("Names and texts in statements", TestServer.condition)
struct QuotingTests {
  /// A quotation mark that is one character with what stands after or before it.
  private static let joined = ["a\"\u{301}; DROP TABLE x; --", "\u{600}\"b", "\"\u{20DD}", "\u{600}\"\u{301}"]

  @Test("A quotation mark is doubled even if it is one character with a combining mark", arguments: joined)
  func names(name: String) throws {
    let connection = try #require(TestServer.shared).connect()
    let doubled = name.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) }
    #expect(Array(Identifier(name).description.utf8) == Array("\"\(doubled)\"".utf8))
    try connection.transaction {
      try connection.execute("CREATE TEMPORARY TABLE \(Identifier(name)) (n int) ON COMMIT DROP")
      let found = try connection.run(
        "SELECT relname::text FROM pg_class WHERE relpersistence = 't' AND relname = $1", [.text(name)])
      #expect(found.rowCount == 1)
    }
  }

  @Test(
    "An apostrophe is doubled even if it is one character with a combining mark",
    arguments: ["a'\u{301}; SELECT 2; --", "\u{600}'b", "\\'\u{301}", "\u{600}\\\u{301}\\n'"])
  func literals(text: String) throws {
    let connection = try #require(TestServer.shared).connect()
    let result = try connection.run("SELECT \(sqlLiteral(text))::text")
    #expect(result.text(0, 0).map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test("A statement with a NUL character is refused, and not cut")
  func nul() throws {
    let connection = try #require(TestServer.shared).connect()
    #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT 1 --\0, nonsense") }
    #expect(throws: PostgreSQLError.self) { try connection.run("SELECT 1 AS \(Identifier("a\0b"))") }
  }

  @Test("A model whose names have NUL characters is refused by name")
  func modelNames() throws {
    let attribute = AttributeDescription(name: "ti\0tle", type: .string, isOptional: true)
    let model = ModelDescription(entities: [EntityDescription(name: "Book", properties: [.attribute(attribute)])])
    let store = try TemporaryStore()
    var options = ServerOptions()
    options.schema = store.databaseSchema
    let address = try #require(TestServer.shared).address
    let error = #expect(throws: StoreProblem.self) { try ServerStore.open(address, options: options, model: model) }
    #expect(error?.problem.contains("“title”") == true && error?.problem.contains("NUL") == true)
  }
}
