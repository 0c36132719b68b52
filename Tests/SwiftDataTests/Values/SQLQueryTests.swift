import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("SQL that reads")
struct SQLQueryTests {
  let world: World

  init() throws {
    world = try World()
    try Self.fill(world.context)
  }

  private static func fill(_ context: ModelContext) throws {
    for number in 0..<10 {
      let book = Book("book \(number % 3)", pages: number)
      context.insert(book)
      book.author = Author("author \(number % 2)")
    }
    context.insert(Lamp(weight: 1, watts: 40))
    context.insert(Vase(weight: 2.5, material: "clay"))
    try context.save()
  }

  private func containerInMemory() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(ContextLibrary.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("Classes and key paths are tables and columns, and values are bound", arguments: [false, true])
  func reading(inMemory: Bool) throws {
    let container = inMemory ? try containerInMemory() : world.container
    if inMemory { try Self.fill(ModelContext(container)) }
    let context = ModelContext(container)
    let least = 3
    let query: SQLQuery<Book> =
      "SELECT \(\.title) AS title, count(*) FROM \(Book.self) WHERE \(\.pages) >= \(least) GROUP BY 1 ORDER BY 1"
    let rows = try context.sql(query)
    #expect(rows.map { $0["title", as: String.self] } == ["book 0", "book 1", "book 2"])
    #expect(rows.map { $0[1, as: Int.self] } == [3, 2, 2] && rows.first?.columns == ["title", "count(*)"])
    let joined: SQLQuery<Book> = """
      SELECT a.\(\Author.name), sum(b.\(\.pages)) FROM \(Book.self) b JOIN \(Author.self) a ON a.Z_PK = b.\(\.author) \
      GROUP BY a.Z_PK ORDER BY 1
      """
    #expect(try context.sql(joined).map { $0[1, as: Int.self] } == [20, 25])
    let lamps: SQLQuery<Lamp> = "SELECT \(\.watts), \(\.weight), NULL FROM \(Lamp.self)"
    let lamp = try #require(try context.sql(lamps).first)
    #expect(
      lamp[0, as: Int.self] == 40 && lamp[1, as: Double.self] == 1 && lamp[2, as: Int.self] == nil && lamp.count == 3)
    let injected: SQLQuery<Book> = "SELECT count(*) FROM \(Book.self) WHERE \(\.title) = \("x' OR '1' = '1")"
    #expect(try context.sql(injected).first?[0, as: Int.self] == 0)
  }

  @Test(
    "Statements that write, that are several or none, and that are wrong, are errors",
    arguments: [
      "DELETE FROM ZBOOK", "BEGIN", "PRAGMA journal_mode = DELETE", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "",
      "SELEKT",
      "CREATE TABLE t (a)", "SELECT nothing FROM ZBOOK", "WITH x AS (SELECT 1) INSERT INTO ZBOOK (Z_PK) SELECT 99",
      "VACUUM",
      "SELECT ?",
    ])
  func refused(sql: String) throws {
    let context = world.fresh
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.sql(SQLQuery<Book>(stringLiteral: sql)) }
    let other = ModelContext(try containerInMemory())
    #expect(throws: SwiftDataError.unsupportedPredicate) { try other.sql(SQLQuery<Book>(stringLiteral: sql)) }
    other.insert(Book("x"))
    try other.save()
    let count: SQLQuery<Book> = "SELECT count(*) FROM \(Book.self)"
    #expect(try other.sql(count).first?[0, as: Int.self] == 1 && context.sql(count).first?[0, as: Int.self] == 10)
  }

  @Test("A property without a column is an error with its name")
  func columns() throws {
    let query: SQLQuery<Book> = "SELECT \(\.chapters) FROM \(Book.self)"
    let error = #expect(throws: SwiftDataError.unsupportedKeyPath) { try world.fresh.sql(query) }
    #expect(error?.explanation?.contains("Book.chapters") == true)
  }
}
