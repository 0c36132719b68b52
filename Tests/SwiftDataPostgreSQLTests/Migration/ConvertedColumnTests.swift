import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A column whose values all get another type keeps its place: the server writes the table once.
@Suite("Columns that get another type in a migration", TestServer.condition)
struct ConvertedColumnTests {
  private static func book(
    _ type: AttributeType, isOptional: Bool = true, isUnique: Bool = false, default value: AttributeValue? = nil,
    named name: String = "pages", _ more: [PropertyDescription] = []
  ) -> EntityDescription {
    let pages = AttributeDescription(
      name: name, type: type, isOptional: isOptional, defaultValue: value,
      renamingIdentifier: name == "pages" ? nil : "pages")
    return EntityDescription(
      name: "Book", properties: [.attribute(pages)] + more, uniquenessConstraints: isUnique ? [[name]] : [],
      fetchIndexes: [FetchIndexDescription(name: "byPages", elements: [.init(subject: .property(name))])])
  }

  private static let comic = EntityDescription(
    name: "Comic", superentityName: "Book", properties: [.attribute("artist", .string)])

  private func world(_ entities: [EntityDescription]) throws -> EngineStore {
    let world = try EngineStore(entities)
    try world.execute("INSERT INTO $book (pages) VALUES (7), (8)")
    return world
  }

  /// The columns with their types, whether they need values, constraints and indexes.
  private func definitions(_ world: EngineStore) throws -> [String] {
    try world.column(
      """
      SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation) FROM pg_attribute
      WHERE attrelid = '$book'::regclass AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '$book'::regclass
      UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '$book'::regclass ORDER BY 1
      """
    ).map { $0.replacing("\(world.schema).", with: "") }
  }

  @Test(
    "The definitions are those of a new store, and the values stay",
    arguments: [
      (book(.integer64), book(.double), ["7", "8"]), (book(.integer64), book(.string), ["7", "8"]),
      (book(.integer64, isUnique: true), book(.decimal, isUnique: true), ["7", "8"]),
      (book(.integer64, isOptional: false), book(.double), ["7", "8"]),
      (book(.integer64), book(.double, isOptional: false), ["7", "8"]),
      (
        book(.integer64, isOptional: false), book(.string, isOptional: false, isUnique: true, named: "length"),
        ["7", "8"]
      ),
      (book(.integer64), book(.integer16, named: "length", [.attribute("pages", .string)]), ["7", "8"]),
    ])
  func definitions(_ old: EntityDescription, _ new: EntityDescription, values: [String]) throws {
    let world = try world([old])
    try world.execute("GRANT SELECT ON $book TO PUBLIC; ALTER TABLE $book ALTER COLUMN pages SET DEFAULT 3")
    try world.migrate(to: [new])
    #expect(try definitions(world) == definitions(EngineStore([new])))
    let name = new.properties[0].name
    #expect(try world.column("SELECT \(name)::text FROM $book ORDER BY 1") == values)
    // It is the same table, with its rights.
    #expect(
      try world.column(
        "SELECT count(*)::text FROM pg_class WHERE oid = '$book'::regclass AND relacl::text LIKE '%=r/%'") == ["1"])
  }

  @Test("Missing values get the default value, in the new type")
  func defaults() throws {
    let world = try world([Self.book(.integer64)])
    try world.execute("INSERT INTO $book (pages) VALUES (NULL)")
    try world.migrate(to: [Self.book(.double, isOptional: false, default: .double(1.5))])
    #expect(try world.column("SELECT pages::text FROM $book ORDER BY 1") == ["1.5", "7", "8"])
  }

  @Test("One statement writes the table, and only one")
  func statements() throws {
    let more = PropertyDescription.attribute("price", .integer32)
    let world = try world([Self.book(.integer64, [more])])
    var options = ServerOptions()
    options.schema = world.schema
    let model = ModelDescription(entities: [Self.book(.double, [.attribute("price", .decimal)])])
    let plan = try ServerMigrator(try #require(TestServer.shared).address, options: options)
      .plan(to: model, keepsOtherEntities: true)
    let statements = try #require(plan).steps.compactMap { if case .run(let sql) = $0 { sql } else { nil } }
    #expect(statements.filter { $0.contains(" TYPE ") }.count == 1, "\(statements)")
    #expect(!statements.contains { $0.hasPrefix("UPDATE \"\(world.schema)\".\"book\"") }, "\(statements)")
  }

  @Test("The columns of subclasses are converted, and rows of the other classes leave them empty")
  func subclasses() throws {
    func model(_ comic: AttributeType, _ novel: AttributeType) -> [EntityDescription] {
      [
        EntityDescription(name: "Book", properties: [.attribute("title", .string)]),
        EntityDescription(name: "Comic", superentityName: "Book", properties: [.attribute("number", comic)]),
        EntityDescription(
          name: "Novel", superentityName: "Book", properties: [.attribute("length", novel, isOptional: false)]),
      ]
    }
    let world = try EngineStore(model(.integer64, .integer64))
    try world.execute(
      "INSERT INTO $book (_kind, title, number, length) VALUES ('Book', 'b', NULL, NULL), ('Comic', 'c', 1, NULL), ('Novel', 'n', NULL, 2)"
    )
    try world.migrate(to: model(.string, .double))
    #expect(try definitions(world) == definitions(EngineStore(model(.string, .double))))
    #expect(
      try world.column("SELECT concat_ws(' ', title, number, length) FROM $book ORDER BY 1") == ["b", "c 1", "n 2"])
  }

  @Test("The values of a removed subclass are not converted")
  func removedSubclass() throws {
    let world = try EngineStore([Self.book(.integer64), Self.comic])
    try world.execute("INSERT INTO $book (_kind, pages) VALUES ('Book', 7), ('Comic', 70000)")
    try world.migrate(to: [Self.book(.integer16)])
    #expect(try world.column("SELECT pages::text FROM $book") == ["7"])
  }

  @Test("A view that reads the column is in the way, and the error says so")
  func view() throws {
    let world = try world([Self.book(.integer64)])
    try world.execute("CREATE VIEW $long AS SELECT * FROM $book WHERE pages > 7")
    let error = #expect(throws: (any Error).self) { try world.migrate(to: [Self.book(.double)]) }
    let message = "\(try #require(error))"
    #expect(message.contains("view long depends on column") && message.contains("drop the views"), "\(message)")
    #expect(try world.column("SELECT pages::text FROM $long") == ["8"])
  }
}
