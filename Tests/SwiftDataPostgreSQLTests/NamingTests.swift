import PostgreSQLStore
import Testing

@Suite("Names of tables and columns")
struct NamingTests {
  @Test(
    "Words are separated by underscores",
    arguments: [
      ("title", "title"), ("publishedOn", "published_on"), ("URLString", "url_string"), ("BookCover", "book_cover"),
      ("line2Text", "line2_text"), ("already_snake", "already_snake"), ("HTML", "html"), ("naïveÜber", "naïve_über"),
    ])
  func snakeCase(name: String, expected: String) {
    #expect(NamingRule.snakeCase.name(name) == expected)
    #expect(NamingRule.asSpelled.name(name) == name)
  }
}
