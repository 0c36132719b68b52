import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A new table gets the name that an index has before the migration: tables and indexes of a schema share their names.
@Suite("New tables with the names of indexes in a migration", TestServer.condition)
struct TakenNameTests {
  private static func toMany(_ name: String, _ destination: String, _ inverse: String) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        maximumCount: 0))
  }

  private static func book(_ more: [PropertyDescription] = [], isUnique: Bool = false) -> EntityDescription {
    EntityDescription(
      name: "Book", properties: [.attribute("pages", .integer64)] + more,
      uniquenessConstraints: isUnique ? [["pages"]] : [],
      fetchIndexes: [FetchIndexDescription(name: "byPages", elements: [.init(subject: .property("pages"))])])
  }

  private static func tag(_ relationships: [PropertyDescription] = []) -> EntityDescription {
    EntityDescription(name: "Tag", properties: [.attribute("word", .integer64)] + relationships)
  }

  private static let tagged = [book([toMany("tags", "Tag", "books")]), tag([toMany("books", "Book", "tags")])]

  /// The names of tables or indexes, without those that the server chooses.
  private func relations(_ world: EngineStore, _ kind: String) throws -> Set<String> {
    Set(
      try world.column(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '\(world.schema)' AND c.relkind = '\(kind)' AND c.relname NOT SIMILAR TO '\\_%|%\\_pkey'"
      ))
  }

  private static func entity(_ name: String) -> EntityDescription {
    EntityDescription(name: name, properties: [.attribute("number", .integer64)])
  }

  /// Migrates a store, and checks that it has the tables and indexes of a store that is new.
  private func check(_ old: [EntityDescription], _ new: [EntityDescription], has table: String) throws {
    let world = try EngineStore(old)
    try world.execute("INSERT INTO $book (pages) VALUES (7)")
    #expect(try relations(world, "i").contains(table))
    try world.migrate(to: new)
    #expect(try relations(world, "r").contains(table))
    #expect(try world.column("SELECT pages::text FROM $book") == ["7"])
    let fresh = try EngineStore(new)
    for kind in ["r", "i"] { #expect(try relations(world, kind) == relations(fresh, kind), "\(kind)") }
  }

  @Test("A join table gets the name of an index that stays")
  func joinTable() throws {
    let new = [
      Self.book([Self.toMany("pagesIdx", "Tag", "books")]), Self.tag([Self.toMany("books", "Book", "pagesIdx")]),
    ]
    try check([Self.book(), Self.tag()], new, has: "book_pages_idx")
  }

  @Test("The table of a new entity gets the name of an index, or of a uniqueness constraint, that stays")
  func entity() throws {
    try check([Self.book()], [Self.book(), Self.entity("BookPagesIdx")], has: "book_pages_idx")
    try check(
      [Self.book(isUnique: true)], [Self.book(isUnique: true), Self.entity("BookPagesKey")],
      has: "book_pages_key")
  }

  @Test("The table of a new entity gets the name of a join table's index, which stays or goes")
  func joinTableIndex() throws {
    let index = Self.entity("BookTagsTagIdIdx")
    try check(Self.tagged, Self.tagged + [index], has: "book_tags_tag_id_idx")
    try check(Self.tagged, [Self.book(), Self.tag(), index], has: "book_tags_tag_id_idx")
  }

  @Test("A renamed table gets the name of its own index")
  func renamedEntity() throws {
    var renamed = Self.book()
    renamed.name = "BookPagesIdx"
    renamed.renamingIdentifier = "Book"
    let world = try EngineStore([Self.book()])
    try world.execute("INSERT INTO $book (pages) VALUES (7)")
    try world.migrate(to: [renamed])
    #expect(try world.column("SELECT pages::text FROM $book_pages_idx") == ["7"])
    #expect(try relations(world, "i").contains("book_pages_idx_pages_idx"))
  }
}
