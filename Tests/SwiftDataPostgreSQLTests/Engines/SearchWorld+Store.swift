import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

extension SearchWorld {
  /// Gives the texts of a title another body, as another program does.
  func setBody(_ body: String, ofTitle title: String) throws {
    _ = try TestServer.required().connect().run(
      "UPDATE \(store.databaseSchema).text SET body = $1 WHERE title = $2", [.text(body), .text(title)])
  }

  /// The checkers are for files.
  func check() throws {}

  /// Fails if a row has other words than its texts.
  func checkIndexes() throws {
    let schema = store.databaseSchema
    let wrong = try TestServer.required().connect().run(
      """
      SELECT count(*) FROM \(schema).text WHERE _search IS DISTINCT FROM
        \(schema)._store_words(title) || E'\\n' || coalesce(\(schema)._store_words(body), '')
      """)
    #expect(wrong.integer(0, 0) == 0)
  }
}
