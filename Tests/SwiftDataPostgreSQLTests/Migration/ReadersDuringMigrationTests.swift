import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// What reads a whole table in a migration does not keep readers waiting.
@Suite("Readers during a migration", TestServer.condition)
struct ReadersDuringMigrationTests {
  private static func model(isOptional: Bool, unique: [[String]], hasComics: Bool = false) -> ModelDescription {
    let book = EntityDescription(
      name: "Book",
      properties: [
        .attribute("title", .string, isOptional: isOptional), .attribute("number", .integer64, isOptional: isOptional),
      ], uniquenessConstraints: unique)
    let comic = EntityDescription(
      name: "Comic", superentityName: "Book", properties: [.attribute("artist", .string, isOptional: isOptional)])
    return ModelDescription(entities: hasComics ? [book, comic] : [book])
  }

  private static let old = model(isOptional: true, unique: [])
  private static let new = model(isOptional: false, unique: [["title"], ["number", "title"]])

  let store: EngineStore

  init() throws {
    store = try EngineStore(Self.old.entities)
    try store.insert("Book", (0..<50).map { ["title": .text("T\($0)"), "number": .integer(Int64($0 % 7))] })
  }

  /// What a reader that waits for no lock sees before each statement of a migration.
  private final class Reader: Sendable {
    let seen = Mutex<[(sql: String, isHindered: Bool)]>([])
    /// Used by one statement of the migration after the other.
    nonisolated(unsafe) private let connection: Connection
    private let table: String

    init(_ connection: Connection, _ table: String) throws {
      try connection.execute("SET lock_timeout = 1")
      self.connection = connection
      self.table = table
    }

    @Sendable func note(_ sql: String) {
      let isHindered = (try? connection.run("SELECT count(*) FROM \(table)").integer(0, 0)) == nil
      seen.withLock { $0.append((sql, isHindered)) }
    }

    /// Whether the reader got its rows after a statement with some words had run, in its transaction.
    func isFree(after words: String) throws -> Bool {
      let seen = seen.withLock { $0 }
      let index = try #require(seen.firstIndex { $0.sql.contains(words) }, "no statement has the words \(words)")
      return !seen[index].isHindered && !seen[index + 1].isHindered
    }
  }

  private func migrate(to model: ModelDescription, log: (@Sendable (String) -> Void)? = nil) throws {
    var options = ServerOptions()
    options.schema = store.schema
    let address = try #require(TestServer.shared).address
    try ServerMigrator(address, options: options, log: log).migrate(to: model, keepsOtherEntities: true)
  }

  private func column(_ sql: String) throws -> [String] { try store.connect().column(sql) }

  /// The constraints of the table, and its columns that need a value.
  private func definitions(_ schema: String) throws -> [String] {
    try column(
      """
      SELECT c.conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c
      WHERE c.conrelid = '\(schema).book'::regclass AND c.contype IN ('u', 'c')
      UNION ALL SELECT attname || ' NOT NULL' FROM pg_attribute
      WHERE attrelid = '\(schema).book'::regclass AND attnum > 0 AND attnotnull ORDER BY 1
      """)
  }

  @Test("A reader gets its rows while indexes of uniqueness are made and mandatory columns are looked at")
  func readers() throws {
    let reader = try Reader(store.connect(), "\(store.schema).book")
    try migrate(to: Self.new, log: reader.note)
    #expect(try reader.isFree(after: "CREATE UNIQUE INDEX"))
    #expect(try reader.isFree(after: "VALIDATE CONSTRAINT"))
    // The server did not look at the rows of the columns again.
    let statements = reader.seen.withLock { $0.map(\.sql) }
    let required = try #require(statements.firstIndex { $0.contains("ALTER COLUMN \"title\" SET NOT NULL") })
    let checked = try #require(statements.firstIndex { $0.contains("VALIDATE CONSTRAINT \"book_title_check\"") })
    let dropped = try #require(statements.lastIndex { $0.contains("DROP CONSTRAINT IF EXISTS \"book_title_check\"") })
    #expect(checked < required && required < dropped)
    // The tables are those of a new store.
    let fresh = try EngineStore(Self.new.entities)
    #expect(try definitions(store.schema) == definitions(fresh.schema))
    let again = try EngineStore(Self.new.entities, schema: store.schema)
    #expect(try again.store.count(FetchRequest(entityName: "Book")) == 50)
    // An equal title is the same book.
    try again.insert("Book", [["title": .text("T1"), "number": .integer(1)]])
    #expect(try again.store.count(FetchRequest(entityName: "Book")) == 50)
    #expect(throws: (any Error).self) { try again.insert("Book", [["title": .null, "number": .integer(1)]]) }
  }

  @Test("Equal values, and missing ones, are told by entity and property, and nothing is changed")
  func refusals() throws {
    try store.insert("Book", [["title": .text("T1"), "number": .integer(1)]])
    let before = try definitions(store.schema)
    let equal = #expect(throws: MigrationError.self) { try migrate(to: Self.new) }
    #expect(
      equal?.problem.contains("“Book”") == true && equal?.problem.contains("“title”") == true,
      "\(String(describing: equal))")
    try store.connect().execute(
      "UPDATE \(store.schema).book SET title = 'T99' WHERE _id = 51; UPDATE \(store.schema).book SET number = NULL WHERE _id = 50"
    )
    let missing = #expect(throws: MigrationError.self) { try migrate(to: Self.new) }
    #expect(missing?.problem.contains("“number”") == true, "\(String(describing: missing))")
    #expect(try definitions(store.schema) == before)
    #expect(
      try column(
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname LIKE '%migrating%'")
        == [])
    _ = try EngineStore(Self.old.entities, schema: store.schema)
  }

  @Test("The look at old rows that a killed program has left is taken by the next one, at any step", arguments: 0..<5)
  func interrupted(_ step: Int) throws {
    try migrate(to: Self.new)
    let table = "\(store.schema).book"
    let optional = "ALTER TABLE \(table) ALTER COLUMN title DROP NOT NULL;"
    let late = "ALTER TABLE \(table) ADD CONSTRAINT book_title_check CHECK (title IS NOT NULL) NOT VALID;"
    let states = [
      optional + late, optional + late + "ALTER TABLE \(table) VALIDATE CONSTRAINT book_title_check", late, "",
      optional,
    ]
    try store.connect().execute("\(states[step]); UPDATE \(store.schema)._store SET pending = '{book_title_check}'")
    _ = try EngineStore(Self.new.entities, schema: store.schema)
    let fresh = try EngineStore(Self.new.entities)
    #expect(try definitions(store.schema) == definitions(fresh.schema))
    #expect(try column("SELECT unnest(pending) FROM \(store.schema)._store") == [])
  }

  @Test("Checks of subentities are looked at after the commit, and hold before")
  func subentities() throws {
    let old = Self.model(isOptional: true, unique: [], hasComics: true)
    let new = Self.model(isOptional: false, unique: [["title"]], hasComics: true)
    try migrate(to: old)
    let comics = try EngineStore(old.entities, schema: store.schema)
    try comics.insert("Comic", [["title": .text("C"), "number": .integer(1), "artist": .text("A")]])
    let reader = try Reader(store.connect(), "\(store.schema).book")
    try migrate(to: new, log: reader.note)
    #expect(try reader.isFree(after: "CREATE UNIQUE INDEX"))
    #expect(try reader.isFree(after: "VALIDATE CONSTRAINT \"book_artist_check\""))
    let fresh = try EngineStore(new.entities)
    #expect(try definitions(store.schema) == definitions(fresh.schema))
    let again = try EngineStore(new.entities, schema: store.schema)
    #expect(throws: (any Error).self) { try again.insert("Comic", [["title": .text("D"), "number": .integer(1)]]) }
  }
}
