import ErrorReporting
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLStore
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Databases with unusual names, and without tables", TestServer.condition)
struct HostileDatabaseTests {
  private func message(_ body: () throws -> Void) throws -> String {
    "\(try #require(#expect(throws: (any Error).self) { try body() }))"
  }

  /// Names that need care in Swift, in SQL, in comments and in paths.
  static let names = [
    "class", "Type", "self", "init", "String", "../../etc/passwd", "a/b", "quote\"s", "semi'; DROP TABLE x; --",
    "new\nline",
    "\u{1b}[31mred", "back\\slash", "\\(injection)", "*/ import Glibc /*", "tab\there", "ünïcödé", "e\u{301}", "é",
    "日本", "2nd",
    " ", "_", "__", "a b", "A B", "line_2", "\u{202e}override", String(repeating: "x", count: 63), "🎨", "hash",
    "description",
    "_id", "_version", "persistentModelID",
  ]

  @Test("Names of tables and columns stay names, whatever they contain")
  func names() throws {
    let schema = try DatabaseSchema("Odd \"schema\"/..\n")
    for (number, name) in Self.names.enumerated() {
      let table = Identifier(name)
      try schema.connection.execute(
        "CREATE TABLE \(table) (\(table) text PRIMARY KEY, next_id text REFERENCES \(table))")
      let columns = Self.names.map { "\(Identifier($0)) integer DEFAULT \(number)" }.joined(separator: ", ")
      try schema.connection.execute("CREATE TABLE \(Identifier("all_\(number)")) (\(columns), key text PRIMARY KEY)")
    }
    let model = try schema.model()
    #expect(model.versions[0].entities.count == Self.names.count * 2)
    #expect(model.versions[0].validate().filter { $0.severity == .error }.isEmpty)
    let files = try DatabaseSchema.sources(model)
    #expect(
      files.keys.sorted() == ["OddSchemaMigrationPlan.swift", "OddSchemaModels.swift", "OddSchemaSchemaV1.swift"])
    let source = try #require(files["OddSchemaSchemaV1.swift"])
    // Every line is of the form that the generator prints; no name breaks out of its text.
    #expect(!source.contains("\u{1b}") && !source.contains("\u{202e}"))
    #expect(!source.split(separator: "\n").contains { $0.hasPrefix("line") || $0.hasPrefix("import Glibc") })
    let temporary = try TemporaryStore()
    let file = temporary.folder.appendingPathComponent("Odd.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let result = try RunningProgram.run("swiftc", ["-frontend", "-parse", file.path], mergesErrors: true)
    #expect(result.status == 0, "\(result.output)")
    // A store's tables can have the names, too.
    var options = ServerOptions()
    options.schema = schema.name + "2"
    _ = try ServerStore.open(schema.address.text, options: options, model: model.versions[0])
    for note in model.notes { #expect(!note.fullMessage.unicodeScalars.contains { $0.value < 32 }, "\(note)") }
  }

  @Test("A default that is no constant is told and never run")
  func defaults() throws {
    let schema = try DatabaseSchema()
    try schema.connection.execute(
      """
      CREATE TABLE t (k text PRIMARY KEY, a text DEFAULT ('a'::text || 'b'::text), b boolean DEFAULT ('x' IS NULL), c text DEFAULT current_user,
        d integer DEFAULT (1 + 1), e timestamptz DEFAULT 'infinity', f double precision DEFAULT 'NaN', g text DEFAULT NULL,
        h timestamptz DEFAULT '0044-03-15 BC', i integer DEFAULT -5, j numeric DEFAULT 1e100, k2 text COLLATE "C" DEFAULT 'x')
      """)
    let model = try schema.model()
    let attributes = Dictionary(
      uniqueKeysWithValues: model.versions[0].entities[0].attributes.map { ($0.name, $0.defaultValue) })
    #expect(attributes["i"] == .integer(-5))
    #expect(attributes["k2"] == .string("x"))
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] { #expect(attributes[name] == .some(nil), "\(name)") }
    let told = Set(model.notes.filter { $0.problem.contains("its default") }.compactMap(\.column))
    #expect(told.isSuperset(of: ["a", "b", "c", "d", "e", "f", "h"]) && !told.contains("g"))
  }

  @Test("A schema without tables, and one that does not exist, are told with those that have tables")
  func emptySchema() throws {
    let (empty, full) = (try DatabaseSchema(), try DatabaseSchema("0 full"))
    try full.connection.execute("CREATE TABLE t (k text PRIMARY KEY)")
    let text = try message { _ = try empty.model() }
    #expect(text.contains("the schema “\(empty.name)” has no tables") && text.contains("“\(full.name)”"), "\(text)")
    let missing = try message { _ = try DatabaseModel.read(full.address, schema: full.name + "x") }
    #expect(missing.contains("no schema “\(full.name)x” (did you mean “\(full.name)”?)"), "\(missing)")
  }

  @Test("A table named like a store's own is no store")
  func falseStore() throws {
    let schema = try DatabaseSchema()
    try schema.connection.execute("CREATE TABLE _store (identifier text PRIMARY KEY)")
    let model = try schema.model()
    #expect(!model.isStore && model.versions[0].entities.map(\.name) == ["_store"])
  }

  @Test("A store's record that was changed by hand is told")
  func brokenStore() throws {
    let schema = try DatabaseSchema()
    try schema.connection.execute(
      "CREATE TABLE _store (naming text); CREATE TABLE _store_versions (number bigint, model bytea); CREATE TABLE _store_entities ()"
    )
    #expect(try message { _ = try schema.model() }.contains("has not exactly one row"))
  }

  @Test("A database that cannot be reached is told with its host and name, and never with a password")
  func connections() throws {
    for (text, part) in [
      ("postgresql://app:secret@127.0.0.1:1/postgres", "127.0.0.1"),
      ("postgresql://app:secret@/x?host=/tmp/nowhere", "nowhere"),
    ] {
      let message = try message { _ = try DatabaseModel.read(try ServerAddress(text), schema: "public", deadline: 3) }
      #expect(message.contains(part) && !message.contains("secret"), "\(message)")
    }
  }

  @Test("A server that is too old is told with its address and the way out, and never with a password")
  func oldServer() throws {
    let server = try FakeServer(version: "11.22")
    let message = try message { _ = try DatabaseModel.read(try ServerAddress(server.address), schema: "public") }
    #expect(message.contains("database library on \(server.folder) as app: the server has version 11"), "\(message)")
    #expect(message.contains("use PostgreSQL 12 or later") && !message.contains("geheim"), "\(message)")
  }

  @Test(
    "A model is read through a pooler of transactions, whatever others have left in the sessions", TestPooler.condition)
  func pooler() throws {
    let pooler = try #require(TestPooler.shared)
    try pooler.leavePreparedStatements()
    let schema = try DatabaseSchema()
    let configuration = PostgreSQLConfiguration(schema.address.text, databaseSchema: schema.name)
    _ = try ModelContainer(for: Schema(versionedSchema: MuseumSchemaV1.self), configurations: [configuration])
    #expect(try DatabaseModel.read(try ServerAddress(pooler.address), schema: schema.name).isStore)
  }
}
