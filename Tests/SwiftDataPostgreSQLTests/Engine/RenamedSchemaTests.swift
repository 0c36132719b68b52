import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("A store whose schema an administrator renames", TestServer.condition)
struct RenamedSchemaTests {
  @Model final class Shelf {
    var name: String
    @Attribute(.derived("books.@count")) var bookCount: Int = 0
    @Relationship(inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    @Attribute(.derived("uppercase:(shelf.name)")) var shelfName: String?
    var shelf: Shelf?
    init(_ title: String) { self.title = title }
  }

  private let server: TestServer
  private let former: String
  private let present: String

  init() throws {
    server = try #require(TestServer.shared)
    former = try TemporaryStore().databaseSchema
    present = former + "_renamed"
    let container = try open(former)
    let context = ModelContext(container)
    let shelf = Shelf("é")
    context.insert(shelf)
    shelf.books = [Book("a"), Book("b")]
    try context.save()
  }

  private func open(_ schema: String, user: String = "app") throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      server.address(user: user), databaseSchema: schema, connectionLimit: 2)
    return try ModelContainer(for: Schema([Shelf.self, Book.self]), configurations: [configuration])
  }

  private func rename() throws {
    try server.connect().execute("ALTER SCHEMA \(Identifier(former)) RENAME TO \(Identifier(present))")
  }

  private func addBook(_ schema: String) throws -> (count: Int, names: [String?]) {
    let context = ModelContext(try open(schema))
    let shelf = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
    shelf.books.append(Book("c"))
    try context.save()
    return (shelf.bookCount, shelf.books.map(\.shelfName))
  }

  @Test("Its derived attributes follow, and another store under the former name stays as it is")
  func derivedAttributes() throws {
    try rename()
    let other = ModelContext(try open(former))
    other.insert(Shelf("other"))
    try other.save()
    let changed = try addBook(present)
    #expect(changed.count == 3 && changed.names == ["É", "É", "É"])
    let read = try #require(try ModelContext(try open(former)).fetch(FetchDescriptor<Shelf>()).first)
    #expect(read.name == "other" && read.bookCount == 0)
  }

  @Test("Values that went wrong under the new name are computed anew")
  func wrongValues() throws {
    try rename()
    let schema = Identifier(present)
    try server.connect().execute(
      "ALTER TABLE \(schema).book DISABLE TRIGGER USER; DELETE FROM \(schema).book WHERE title = 'a'; "
        + "ALTER TABLE \(schema).book ENABLE TRIGGER USER")
    let shelf = try #require(try ModelContext(try open(present)).fetch(FetchDescriptor<Shelf>()).first)
    #expect(shelf.bookCount == 1)
  }

  @Test("A role that may not change the triggers is told so, and saves nothing")
  func rights() throws {
    try rename()
    let schema = Identifier(present)
    let role = Identifier("reader_\(former)")
    let connection = try server.connect()
    try connection.execute("CREATE ROLE \(role) LOGIN")
    defer { _ = try? connection.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try connection.execute(
      "GRANT USAGE ON SCHEMA \(schema) TO \(role); GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role); "
        + "GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role)")
    let error = #expect(throws: SwiftDataError.self) { try open(present, user: role.name) }
    #expect(error.map { "\($0)" }?.contains("was renamed") == true, "\(String(describing: error))")
  }
}
