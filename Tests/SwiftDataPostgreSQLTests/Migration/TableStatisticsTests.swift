import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import Testing

/// The server plans queries by what it has read of a table. Without that it joins large tables row by row.
@Suite("What the server knows of tables after a migration", TestServer.condition)
struct TableStatisticsTests {
  private static func book(_ pages: AttributeType, isOptional: Bool = true) -> EntityDescription {
    let pages = AttributeDescription(
      name: "pages", type: pages, isOptional: isOptional, defaultValue: isOptional ? nil : .integer(5))
    return EntityDescription(name: "Book", properties: [.attribute(pages)])
  }

  private static let disc = EntityDescription(name: "Disc", properties: [.attribute("pages", .integer64)])

  private static let medium = [
    EntityDescription(name: "Medium", properties: [.attribute("pages", .integer64)]),
    EntityDescription(name: "Book", superentityName: "Medium"),
    EntityDescription(name: "Disc", superentityName: "Medium"),
  ]

  private func world() throws -> EngineStore {
    let world = try EngineStore([Self.book(.integer64), Self.disc])
    try world.execute("INSERT INTO $book (pages) SELECT nullif(n % 10, 0) FROM generate_series(1, 500) n")
    try world.execute("INSERT INTO $disc (pages) SELECT n FROM generate_series(1, 100) n")
    return world
  }

  /// How many rows a table has for the server, and the columns whose values it knows.
  private func known(_ table: String, of world: EngineStore) throws -> [String] {
    try world.column("SELECT reltuples::text FROM pg_class WHERE oid = '$\(table)'::regclass")
      + world.column(
        "SELECT attname FROM pg_stats WHERE schemaname = '\(world.schema)' AND tablename = '\(table)' ORDER BY 1")
  }

  @Test(
    "It has read the tables that are made, rewritten or filled",
    arguments: [
      (medium, "medium", ["600", "_id", "_kind", "_version", "pages"]),
      ([book(.double), disc], "book", ["500", "_id", "_version", "pages"]),
      ([book(.integer64, isOptional: false), disc], "book", ["500", "_id", "_version", "pages"]),
    ])
  func changed(_ entities: [EntityDescription], table: String, expected: [String]) throws {
    let world = try world()
    #expect(try known("book", of: world) == ["-1"])
    try world.migrate(to: entities)
    #expect(try known(table, of: world) == expected)
  }

  @Test("It has read them before the program's code runs, and reads again what the program writes")
  func code() throws {
    let world = try world()
    let events = Mutex<[String]>([])
    let migrator = try ServerMigrator(try #require(TestServer.shared).address, options: world.options) { sql in
      if sql.hasPrefix("ANALYZE") { events.withLock { $0.append("read") } }
    }
    var step = MigrationStep(
      ModelDescription(entities: [Self.book(.double), Self.disc]),
      statementsAfter: ["INSERT INTO book (pages) SELECT n FROM generate_series(1, 250) n"])
    step.codeAfter = { _ in events.withLock { $0.append("code") } }
    _ = try migrator.migrate({ _ in [step] }, progress: { _ in })
    #expect(events.withLock { $0.prefix(2) } == ["read", "code"])
    #expect(try known("book", of: world).first == "750")
  }

  @Test("It reads no table that stays as it is, nor one that only gains a column")
  func unchanged() throws {
    let world = try world()
    let more = AttributeDescription(name: "price", type: .integer64, defaultValue: .integer(3))
    try world.migrate(to: [
      EntityDescription(name: "Book", properties: Self.book(.integer64).properties + [.attribute(more)]),
      Self.disc,
    ])
    #expect(try known("book", of: world) == ["-1"])
    #expect(try known("disc", of: world) == ["-1"])
  }
}
