import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

/// A table would have the name that the server gives the primary key or the sequence of an earlier table.
@Suite("Tables with the names of parts of other tables", TestServer.condition)
struct AutomaticNamesTests {
  private static func entity(_ name: String, _ more: [PropertyDescription] = []) -> EntityDescription {
    EntityDescription(name: name, properties: [.attribute("number", .integer64)] + more)
  }

  private static func toMany(_ name: String, _ destination: String, _ inverse: String) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        maximumCount: 0))
  }

  /// The longest name of a table. The name of its primary key has its first 58 letters.
  private static let long = "A" + String(repeating: "a", count: 57) + "00000"

  @Test(
    "A new store with such a table is refused with both tables, and nothing is made",
    arguments: [
      ("Book", "BookPkey", "“book_pkey”, which the server gives the primary key of the table “book”"),
      ("Book", "Book__idSeq", "“book__id_seq”, which the server gives a sequence of the table “book”"),
      (long, String(long.dropLast(5)) + "_pkey", "which the server gives the primary key of the table"),
    ])
  func refused(first: String, second: String, words: String) throws {
    let schema = try TemporaryStore().databaseSchema
    let error = try #require(
      #expect(throws: StoreProblem.self) {
        _ = try EngineStore([Self.entity(first), Self.entity(second)], schema: schema)
      })
    #expect(error.problem.contains("the table of entity “\(second)” cannot have the name"), "\(error)")
    #expect(error.problem.contains(words), "\(error)")
    #expect(error.remedy == "rename the entity or the relationship that the table is named after")
    let connection = try #require(TestServer.shared).connect()
    #expect(try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1::name", [.text(schema)]).rowCount == 0)
  }

  @Test("A table of pairs is refused, too")
  func tableOfPairs() throws {
    let entities = [
      Self.entity("Book", [Self.toMany("pkey", "Tag", "books")]),
      Self.entity("Tag", [Self.toMany("books", "Book", "pkey")]),
    ]
    let error = #expect(throws: StoreProblem.self) { _ = try EngineStore(entities) }
    #expect(error?.problem.contains("the table of pairs cannot have the name “book_pkey”") == true)
  }

  @Test("Where the other table comes later, the server finds another name for its primary key")
  func otherOrder() throws {
    let world = try EngineStore([Self.entity("BookPkey"), Self.entity("book")])
    try world.insert("book", [["number": .integer(1)]])
    #expect(try world.column("SELECT number::text FROM $book") == ["1"])
    #expect(
      try world.column("SELECT conname::text FROM pg_constraint WHERE conrelid = '$book'::regclass AND contype = 'p'")
        == ["book_pkey1"])
  }

  @Test("A migration that adds such a table fails with the way out, and the store stays")
  func migrated() throws {
    let world = try EngineStore([Self.entity("Book")])
    let error = #expect(throws: (any Error).self) {
      try world.migrate(to: [Self.entity("Book"), Self.entity("BookPkey")])
    }
    #expect(error.map { "\($0)" }?.contains("rename what has the name in the schema") == true)
    _ = try world.reopened([Self.entity("Book")])
  }
}
