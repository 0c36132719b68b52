import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The column of words that the server keeps.
@Suite("The search index on a server", TestServer.condition)
struct SearchColumnTests {
  private static let book = EntityDescription(
    name: "Book",
    properties: [
      .attribute("title", .string), .attribute("note", .string),
      .attribute("pages", .integer64),
    ])

  private func world() throws -> EngineStore {
    let world = try EngineStore([Self.book])
    try world.store.makeSearchIndex(on: ["title", "note"], of: "Book")
    try world.execute(
      "INSERT INTO $book (title, note, pages) VALUES ('White Whale', NULL, 1), ('Shark', 'E-mail from Zürich', 2)")
    return world
  }

  private func keys(_ text: String, _ world: EngineStore, _ form: TextCondition.Form = .allWords) throws -> [Int64] {
    try world.store.keys(FetchRequest(entityName: "Book", search: TextCondition(text, form: form))).map(\.key)
  }

  /// The columns, indexes, functions and comments of the schema.
  private func definitions(_ world: EngineStore) throws -> [String] {
    try world.column(
      """
      SELECT relname || ' ' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
      WHERE relnamespace = '\(world.schema)'::regnamespace AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = '\(world.schema)'::regnamespace ORDER BY 1
      """)
  }

  @Test("A removed index leaves the schema as before, and another index keeps the functions")
  func removal() throws {
    let world = try EngineStore([
      Self.book, EntityDescription(name: "Shelf", properties: [.attribute("title", .string)]),
    ])
    let before = try definitions(world)
    #expect(try world.store.makeSearchIndex(on: ["title"], of: "Book"))
    #expect(try world.store.makeSearchIndex(on: ["title"], of: "Shelf"))
    #expect(try world.store.removeSearchIndex(of: "Book"))
    try world.execute("INSERT INTO $shelf (title) VALUES ('whale')")
    #expect(try world.store.count(FetchRequest(entityName: "Shelf", search: TextCondition("whale"))) == 1)
    #expect(try world.store.removeSearchIndex(of: "Shelf"))
    #expect(try definitions(world) == before)
  }

  @Test("Objects in memory with the texts of a former index, which another program has replaced, are no trap")
  func formerTexts() throws {
    let world = try world()
    let condition = TextCondition("whale", attributes: ["note"])
    #expect(try world.store.positions(of: condition, entityName: "Book", in: [[.text("whale")]]) == [])
    #expect(
      try world.store.positions(of: condition, entityName: "Book", in: [[.null, .text("whale")], [.null, .null]]) == [0]
    )
  }

  @Test("An index goes although a column of another program has the functions, which stay")
  func foreignColumns() throws {
    let world = try world()
    let functions = SearchFunctions(schema: Identifier(world.schema))
    try world.execute(
      "CREATE TABLE $foreign (t text, w text GENERATED ALWAYS AS (\(functions.words(of: "t"))) STORED)")
    #expect(try world.store.removeSearchIndex(of: "Book"))
    try world.execute("INSERT INTO $foreign VALUES ('Whale')")
    #expect(try world.column("SELECT w FROM \(Identifier(world.schema)).foreign") == [" whale "])
    #expect(try world.store.makeSearchIndex(on: ["title"], of: "Book"))
    #expect(try keys("whale", world) == [1])
  }

  @Test("Rows of other programs are found, and a fetch of plain rows reads no words")
  func otherPrograms() throws {
    let world = try world()
    #expect(try keys("whale", world) == [1] && keys("zurich", world) == [2] && keys("e-ma", world, .beginnings) == [2])
    try world.execute("UPDATE $book SET note = 'whales' WHERE _id = 2; DELETE FROM $book WHERE _id = 1")
    #expect(try keys("whale", world) == [] && keys("whale", world, .beginnings) == [2])
    let statements = try world.statements { _ = try world.store.fetch(FetchRequest(entityName: "Book")) }
    #expect(!statements.contains { $0.contains("_search") })
  }

  @Test("The server finds words by its index")
  func plan() throws {
    let world = try world()
    let connection = try world.connect()
    try connection.execute("SET enable_seqscan = off")
    let name = "\(Identifier(world.schema))"
    let lines = try connection.column(
      "EXPLAIN SELECT 1 FROM \(name).book t0 WHERE \(name)._store_lexemes(t0._search) @@ '''whale'':*'::tsquery")
    #expect(lines.contains { $0.contains("Index Cond") })
  }

  @Test("A column that was dropped is no index; an index that was dropped is made anew")
  func changedByHand() throws {
    let world = try world()
    try world.execute("DROP INDEX $_search")
    #expect(throws: SearchError.incompleteIndex(entity: "Book")) { try keys("whale", world) }
    #expect(try world.store.makeSearchIndex(on: ["title", "note"], of: "Book"))
    #expect(try keys("whale", world) == [1])
    try world.execute("ALTER TABLE $book DROP COLUMN _search")
    #expect(throws: SearchError.noIndex(entity: "Book")) { try keys("whale", world) }
    #expect(try world.store.makeSearchIndex(on: ["title"], of: "Book"))
    #expect(try keys("whale", world) == [1])
  }

  @Test(
    "A search uses the index that another program puts in place of the former one, or says that there is none",
    arguments: 0..<4)
  func concurrentChanges(kind: Int) throws {
    let world = try world()
    let other = try EngineStore([Self.book], schema: world.schema).store
    let request = FetchRequest(entityName: "Book", search: TextCondition("whale"))
    func search() throws -> [Int64] {
      switch kind {
      case 0: return try [Int64](repeating: 1, count: world.store.count(request))
      case 1: return try world.store.keys(request).map(\.key)
      default:
        let rows = try kind == 2 ? world.store.fetch(request) : world.store.stream(request)
        var keys: [Int64] = []
        while try rows.next() { keys.append(rows.key) }
        return keys
      }
    }
    let table = "\(Identifier(world.schema)).book"
    let found = try world.interrupting("_store_lexemes") { connection in
      try other.removeSearchIndex(of: "Book")
      try connection.execute("ALTER TABLE \(table) ADD COLUMN _search integer")
      try other.makeSearchIndex(on: ["title"], of: "Book")
    } _: {
      try search()
    }
    #expect(found == [1])
    #expect(throws: SearchError.noIndex(entity: "Book")) {
      try world.interrupting("_store_lexemes") { _ in
        try other.removeSearchIndex(of: "Book")
      } _: {
        try search()
      }
    }
  }

  @Test("Rows with more words than the server's index takes, and with long words, are found and saved")
  func largeTexts() throws {
    let world = try world()
    let many = (0..<150_000).map { "word\($0)x" }.joined(separator: " ")
    let long = String(repeating: "ab", count: 3000)
    _ = try world.insert("Book", [["title": .text(many)], ["title": .text("\(long)c \(long)d")]])
    #expect(try keys("word149999x", world) == [3] && keys("word149999x word149998x", world, .phrase) == [])
    #expect(try keys("word149998x word149999x", world, .phrase) == [3] && keys("nowhere", world) == [])
    #expect(
      try keys("\(long)c", world) == [4] && keys("\(long)e", world) == [] && keys(long, world, .beginnings) == [4])
  }

  @Test("Conditions of very many words are answered")
  func manyWords() throws {
    let world = try world()
    let words = (0..<1000).map { "w\($0)" }.joined(separator: " ")
    #expect(try keys("\(words) whale", world, .anyWord) == [1] && keys("\(words) whale", world) == [])
    #expect(try keys(words, world, .phrase) == [])
    try world.execute("UPDATE $book SET note = '\(words)' WHERE _id = 1")
    #expect(try keys(words, world, .phrase) == [1] && keys("\(words) whale", world) == [1])
  }

  @Test("Several programs may make an index at a time")
  func concurrent() async throws {
    let world = try world()
    let store = world.store
    let made = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 { group.addTask { try store.makeSearchIndex(on: ["note"], of: "Book") } }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(made.count { $0 } == 1)
    #expect(try keys("zurich", world) == [2])
  }
}
