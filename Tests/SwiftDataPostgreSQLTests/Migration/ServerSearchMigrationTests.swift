import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import Testing

@testable import PostgreSQLStore

/// Search indexes in migrations, which change the tables and columns that they are made of.
@Suite("Search indexes in migrations of a server", TestServer.condition)
struct ServerSearchMigrationTests {
  private static func text(_ name: String, type: AttributeType = .string, from former: String? = nil)
    -> PropertyDescription
  {
    .attribute(AttributeDescription(name: name, type: type, isOptional: true, renamingIdentifier: former))
  }

  private static func book(
    _ properties: [PropertyDescription] = [text("title"), text("note")], named name: String = "Book"
  ) -> [EntityDescription] {
    [
      EntityDescription(name: name, properties: properties, renamingIdentifier: name == "Book" ? nil : "Book"),
      EntityDescription(name: "Novel", superentityName: name),
    ]
  }

  /// Books and novels, with a search index of their titles and notes.
  private func world() throws -> EngineStore {
    let world = try EngineStore(Self.book())
    try world.store.makeSearchIndex(on: ["title", "note"], of: "Book")
    try world.execute(
      "INSERT INTO $book (_kind, title, note) VALUES ('Book', 'white whale', 'sea'), ('Novel', 'shark', 'sea')")
    return world
  }

  private func keys(
    _ text: String, _ store: ServerStore, _ entity: String = "Book", in attributes: [String] = []
  ) throws -> [Int64] {
    let order = SortTerm(expression: .object(FetchPath()))
    let condition = TextCondition(text, attributes: attributes)
    return try store.keys(FetchRequest(entityName: entity, search: condition, sortTerms: [order])).map(\.key)
  }

  /// The number of the columns of words that the server has computed anew: a new column has a new number.
  private func places(_ world: EngineStore) throws -> [String] {
    try world.column(
      """
      SELECT attnum::text FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      WHERE c.relnamespace = '\(world.schema)'::regnamespace AND c.relkind = 'r' AND attname LIKE '\\_search%'
      """)
  }

  @Test("Changes of names and of other columns keep the index as it is")
  func kept() throws {
    let world = try world()
    let before = try places(world)
    let renamed = Self.book(
      [Self.text("heading", from: "title"), Self.text("note"), Self.text("more")], named: "Volume")
    try world.migrate(to: renamed)
    let store = try world.reopened(renamed)
    #expect(try keys("whale", store, "Volume", in: ["heading"]) == [1])
    #expect(try keys("sea", store, "Volume") == [1, 2] && keys("sea", store, "Novel") == [2])
    #expect(try places(world) == before)
    #expect(try !store.makeSearchIndex(on: ["heading", "note"], of: "Volume"))
    try world.execute("UPDATE $volume SET heading = 'squid' WHERE _id = 1")
    #expect(try keys("squid", store, "Volume") == [1])
  }

  @Test("A column of another type is made anew, and the index with it")
  func converted() throws {
    let world = try EngineStore(Self.book([Self.text("title", type: .uri), Self.text("note")]))
    try world.store.makeSearchIndex(on: ["note"], of: "Book")
    try world.execute("INSERT INTO $book (_kind, title, note) VALUES ('Book', 'a', 'sea')")
    try world.migrate(to: Self.book([Self.text("title"), Self.text("note", type: .uri)]))
    let store = try world.reopened(Self.book([Self.text("title"), Self.text("note", type: .uri)]))
    #expect(throws: SearchError.noIndex(entity: "Book")) { try keys("sea", store) }
    #expect(try places(world) == [])
  }

  @Test("The index loses an attribute that goes, and goes with the last one, or with its entity")
  func lost() throws {
    let world = try world()
    try world.migrate(to: Self.book([Self.text("note")]))
    let store = try world.reopened(Self.book([Self.text("note")]))
    #expect(try keys("sea", store) == [1, 2] && keys("whale", store) == [])
    #expect(try store.searchedAttributes(of: "Book") == ["note"])
    try world.migrate(to: Self.book([Self.text("other")]))
    #expect(throws: SearchError.noIndex(entity: "Book")) {
      try keys("sea", world.reopened(Self.book([Self.text("other")])))
    }
    let another = try self.world()
    try another.migrate(to: [EntityDescription(name: "Shelf", properties: [Self.text("search")])])
    #expect(try places(another) == [])
  }

  @Test("Rows that move into another table keep their index")
  func moved() throws {
    let world = try world()
    // Both entities have tables of their own, so the rows are written anew.
    let divided = [
      EntityDescription(name: "Book", properties: [Self.text("title"), Self.text("note")]),
      EntityDescription(name: "Novel", properties: [Self.text("title"), Self.text("note")]),
    ]
    try world.migrate(to: divided)
    let store = try world.reopened(divided)
    #expect(try keys("sea", store) == [1])
    #expect(throws: SearchError.noIndex(entity: "Novel")) { try keys("sea", store, "Novel") }
  }

  @Test("A new column of the index's name gets it")
  func taken() throws {
    let world = try world()
    let next = Self.book([Self.text("title"), Self.text("note"), Self.text("_search")])
    try world.migrate(to: next)
    let store = try world.reopened(next)
    #expect(try keys("sea", store) == [1, 2])
    try world.execute("UPDATE $book SET _search = 'plain' WHERE _id = 1")
    #expect(try keys("plain", store) == [])
  }
}
