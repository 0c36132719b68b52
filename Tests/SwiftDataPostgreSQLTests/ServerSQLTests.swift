import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("SQL that reads a PostgreSQL store", TestServer.condition)
struct ServerSQLTests {
  @Model class Ware {
    var name: String
    var price: Decimal = 0
    var isNew: Bool = false
    var made: Date = Date(timeIntervalSinceReferenceDate: 0)
    var code: UUID = UUID()
    var weight: Double?
    var tags: [String] = []
    var shelf: Shelf?

    init(_ name: String) { self.name = name }
  }

  @Model final class Book: Ware {
    var pageCount: Int = 0

    init(_ name: String, pages: Int) {
      pageCount = pages
      super.init(name)
    }
  }

  @Model final class Shelf {
    var number: Int
    @Relationship(inverse: \Ware.shelf) var wares: [Ware] = []

    init(_ number: Int) { self.number = number }
  }

  let store: TemporaryStore
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(
      try TestEngine.postgreSQL.container(Schema([Ware.self, Book.self, Shelf.self]), store))
    let shelf = Shelf(7)
    for number in 0..<10 {
      let book = Book("book \(number % 3)", pages: number)
      book.made = Date(timeIntervalSinceReferenceDate: Double(number))
      book.shelf = shelf
      context.insert(book)
    }
    let lamp = Ware("lamp")
    lamp.price = try #require(Decimal(string: "12345678901234567890.123456789"))
    lamp.isNew = true
    lamp.tags = ["bright", "small"]
    context.insert(lamp)
    try context.save()
  }

  @Test("Classes and key paths are tables and columns, a subclass is its own rows")
  func classes() throws {
    let query: SQLQuery<Book> = """
      SELECT \(\.name) AS title, count(*), sum(\(\.pageCount)), avg(\(\.pageCount)) FROM \(Book.self) WHERE \(\.pageCount) >= \(3) \
      GROUP BY 1 ORDER BY 1;
      """
    let rows = try context.sql(query)
    #expect(rows.map { $0["title", as: String.self] } == ["book 0", "book 1", "book 2"])
    #expect(rows.map { $0[1, as: Int.self] } == [3, 2, 2] && rows.map { $0["sum", as: Int.self] } == [18, 11, 13])
    #expect(rows.map { $0["avg", as: Double.self] } == [6, 5.5, 6.5])
    let all: SQLQuery<Ware> = "WITH w AS (SELECT * FROM \(Ware.self)) SELECT count(*) FROM w, \(Book.self) AS b"
    #expect(try context.sql(all).first?[0, as: Int.self] == 110)
    let joined: SQLQuery<Ware> = """
      SELECT s.\(\Shelf.number), count(*) FROM \(Book.self) b JOIN \(Shelf.self) s ON s.\(\Shelf.persistentModelID) = b.\(\.shelf) \
      GROUP BY 1 -- by shelf
      """
    #expect(try context.sql(joined).map { [$0[0, as: Int.self], $0[1, as: Int.self]] } == [[7, 10]])
  }

  @Test("Comments may stand before the first word, also where tables of classes come before the query's own")
  func comments() throws {
    let queries: [SQLQuery<Ware>] = [
      "-- note\nSELECT count(*) FROM \(Ware.self)",
      "/* a /* nested */ b */ WITH b AS (SELECT * FROM \(Book.self)) SELECT count(*) + 1 FROM b",
      " \n-- one\n/* two */\n(/* three */ SELECT count(*) FROM \(Ware.self))",
    ]
    for query in queries { #expect(try context.sql(query).first?[0, as: Int.self] == 11) }
    let deletion: SQLQuery<Ware> = "-- SELECT\nDELETE FROM \(Ware.self)"
    #expect(throws: SwiftDataError.self) { try context.sql(deletion) }
  }

  @Test("Values are bound in the types of their columns, and come back in the types of the classes")
  func values() throws {
    let lamp = try #require(
      try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.name == "lamp" })).first)
    let (code, isNew, nothing) = (lamp.code, true, Double?.none)
    let query: SQLQuery<Ware> = """
      SELECT \(\.price), \(\.made), \(\.code), \(\.isNew), \(\.tags)[1], \(\.weight), \(nothing) IS NULL FROM \(Ware.self)
      WHERE \(\.code) = \(code) AND \(\.isNew) = \(isNew) AND \(\.made) = \(lamp.made) AND \(\.price) = \(lamp.price) AND \(\.name) = \("lamp")
      """
    let row = try #require(try context.sql(query).first)
    #expect(row[0, as: Decimal.self] == lamp.price && row[0, as: Double.self] == 12_345_678_901_234_567_890.123456789)
    #expect(row[1, as: Date.self] == lamp.made && row[2, as: UUID.self] == code && row[3, as: Bool.self] == true)
    #expect(row[4, as: String.self] == "bright" && row[5, as: Double.self] == nil && row[6, as: Bool.self] == true)
    let late: SQLQuery<Book> =
      "SELECT max(\(\.made)) FROM \(Book.self) WHERE \(\.made) < \(Date(timeIntervalSinceReferenceDate: 4.5))"
    #expect(try context.sql(late).first?[0, as: Date.self] == Date(timeIntervalSinceReferenceDate: 4))
    let injected: SQLQuery<Ware> = "SELECT count(*) FROM \(Ware.self) WHERE \(\.name) = \("x' OR '1' = '1")"
    #expect(try context.sql(injected).first?[0, as: Int.self] == 0)
  }

  @Test(
    "Statements that write, that are several or none, and that are wrong, are errors",
    arguments: [
      "DELETE FROM ware", "BEGIN", "COMMIT", "SET search_path = x", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM ware",
      "",
      "SELEKT", "SELECT nothing FROM ware", "SELECT $1", "WITH x AS (DELETE FROM ware RETURNING 1) SELECT * FROM x",
      "SELECT 1 INTO made", "SELECT 1) UNION (SELECT 2", "SELECT now()::date", "SELECT nextval('ware_id_seq')",
      "SELECT 1 / 0",
      "CREATE TABLE t (a int)", "COPY (SELECT 1) TO STDOUT",
    ])
  func refused(sql: String) throws {
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.sql(SQLQuery<Ware>(stringLiteral: sql)) }
    let count: SQLQuery<Ware> = "SELECT count(*) FROM \(Ware.self)"
    #expect(try context.sql(count).first?[0, as: Int.self] == 11)
    let book = Book("new", pages: 1)
    context.insert(book)
    try context.save()
    #expect(try context.sql(count).first?[0, as: Int.self] == 12)
  }

  @Test("A query that would write is refused by the server, and writes nothing")
  func writing() throws {
    let sequence = "\(store.databaseSchema).ware"
    let queries: [SQLQuery<Ware>] = [
      "WITH x AS (DELETE FROM \(Ware.self) RETURNING 1) SELECT * FROM x",
      "SELECT nextval(pg_get_serial_sequence(\(sequence), '_id'))", "SELECT * FROM \(Ware.self) FOR UPDATE",
    ]
    for query in queries {
      let error = #expect(throws: SwiftDataError.unsupportedPredicate) { try context.sql(query) }
      let words = error?.explanation ?? ""
      #expect(!words.contains("does not exist") && !words.contains("syntax"), "\(words)")
    }
    let count: SQLQuery<Ware> = "SELECT count(*) FROM \(Ware.self)"
    #expect(try context.sql(count).first?[0, as: Int.self] == 11)
  }

  @Test("The error of a statement has the server's words and the way out")
  func words() throws {
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.sql("SELECT nothing FROM \(Ware.self)" as SQLQuery<Ware>)
    }
    #expect(error?.explanation?.contains("column \"nothing\" does not exist") == true)
    #expect(error?.explanation?.contains("correct the statement") == true)
    let type = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.sql("SELECT now()::date AS day" as SQLQuery<Ware>)
    }
    #expect(type?.explanation?.contains("\"day\"") == true && type?.explanation?.contains("CAST") == true)
  }
}
