import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The roles that make a search index, and the roles that use it.
@Suite("Rights for search indexes on a server", TestServer.condition)
struct SearchRightsTests {
  private static let book = EntityDescription(
    name: "Book", properties: [.attribute("title", .string), .attribute("note", .string)])

  @Test("Who is not the owner of the table makes no index, and the error says who can")
  func rights() throws {
    let world = try EngineStore([Self.book])
    let role = "\(world.schema)_app"
    try world.execute("CREATE ROLE \(role) LOGIN")
    defer { try? world.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try world.execute(
      "GRANT USAGE ON SCHEMA \(world.schema) TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA \(world.schema) TO \(role)")
    var options = ServerOptions()
    options.schema = world.schema
    let store = try ServerStore.open(
      try #require(TestServer.shared).address(user: role), options: options,
      model: ModelDescription(entities: [Self.book]))
    let error = #expect(throws: PostgreSQLError.self) { try store.makeSearchIndex(on: ["title"], of: "Book") }
    #expect(error?.remedy?.contains("owner") == true)
    try world.store.makeSearchIndex(on: ["title"], of: "Book")
    #expect(try !store.makeSearchIndex(on: ["title"], of: "Book"))
    try world.execute("INSERT INTO $book (title) VALUES ('whale')")
    #expect(try store.count(FetchRequest(entityName: "Book", search: TextCondition("whale"))) == 1)
  }

  @Test("Other roles save and search, although the owner's functions are his own by default")
  func privateFunctions() throws {
    let world = try EngineStore([Self.book])
    let (schema, role) = ("\(Identifier(world.schema))", "\(world.schema)_app")
    try world.execute("CREATE ROLE \(role)")
    defer { try? world.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let connection = try world.connect()
    try connection.transaction {
      try connection.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
      try SearchCatalogue(connection: connection, layout: world.store.layout).makeFunctions()
      try connection.execute("ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC")
    }
    try world.store.makeSearchIndex(on: ["title"], of: "Book")
    try connection.execute(
      """
      GRANT USAGE ON SCHEMA \(schema) TO \(role); GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
      SET ROLE \(role); INSERT INTO \(schema).book (title) VALUES ('Whale')
      """)
    #expect(try world.store.count(FetchRequest(entityName: "Book", search: TextCondition("whale"))) == 1)
  }
}
