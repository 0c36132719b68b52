import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import SwiftData
import TestSupport
import Testing

@Suite("Constraints of a PostgreSQL store", TestServer.condition)
struct ConstraintTests {
  private static func relationship(
    _ name: String, _ destination: String, _ inverse: String, isToMany: Bool
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        maximumCount: isToMany ? 0 : 1))
  }

  private static let entities = [
    EntityDescription(
      name: "Book",
      properties: [
        .attribute("title", .string, isOptional: false), relationship("author", "Author", "books", isToMany: false),
        relationship("tags", "Tag", "books", isToMany: true),
      ], uniquenessConstraints: [["title"]]),
    EntityDescription(
      name: "Comic", superentityName: "Book", properties: [.attribute("artist", .string, isOptional: false)]),
    EntityDescription(name: "Author", properties: [relationship("books", "Book", "author", isToMany: true)]),
    EntityDescription(name: "Tag", properties: [relationship("books", "Book", "tags", isToMany: true)]),
  ]

  let store: EngineStore

  init() throws { store = try EngineStore(Self.entities) }

  private func message(_ save: () throws -> Void) throws -> String {
    "\(try #require(#expect(throws: (any Error).self) { try save() }))"
  }

  @Test("A missing value is told by entity and property, in every row and in rows of a subentity")
  func missingValues() throws {
    let title = try message { try store.insert("Book", [["title": .null]]) }
    #expect(title.contains("“title”") && title.contains("“Book”") && title.contains("nothing was saved"))
    let artist = try message { try store.insert("Comic", [["title": .text("a"), "artist": .null]]) }
    #expect(artist.contains("“artist”") && artist.contains("“Comic”"))
    try store.insert("Book", [["title": .text("a")]])
  }

  @Test("The table of a hierarchy takes rows of its own kinds only, with the values that each kind requires")
  func kinds() throws {
    let connection = try store.connect()
    func insert(_ kind: String, _ artist: String = "NULL") throws {
      try connection.execute(
        "INSERT INTO \(store.schema).book (_kind, title, artist) VALUES ('\(kind)', '\(kind)', \(artist))")
    }
    for (kind, artist) in [("Author", "'a'"), ("book", "'a'"), ("", "'a'"), ("Comic", "NULL")] {
      let error = #expect(throws: PostgreSQLError.self) { try insert(kind, artist) }
      // A check constraint is violated.
      #expect(error?.state == "23514", "\(kind)")
    }
    try insert("Book")
    try insert("Comic", "'a'")
    #expect(try connection.column("SELECT _kind FROM \(store.schema).book ORDER BY 1") == ["Book", "Comic"])
    #expect(try store.store.count(FetchRequest(entityName: "Comic")) == 1)
  }

  @Test("A link to a row that is gone is told by entity and property, by key and by pair")
  func missingRows() throws {
    let result = try store.insert("Book", [["title": .text("a")]])
    var changes = ChangeSet()
    let book = result.inserted[0].object
    let tag = ObjectKey(entity: try store.entity("Tag").number, key: 999)
    let listed = try #require(
      ["Book", "Tag"].first { name in
        guard case .toMany(let tags)? = try? store.entity(name).property(named: name == "Book" ? "tags" : "books")
        else { return false }
        return tags.storage.isListed
      })
    changes.relationshipChanges = [
      listed == "Book"
        ? ChangeSet.RelationshipChange(owner: .existing(book), relationship: "tags", added: [.existing(tag)])
        : ChangeSet.RelationshipChange(owner: .existing(tag), relationship: "books", added: [.existing(book)])
    ]
    let pair = try message { _ = try store.store.save(changes) }
    #expect(pair.contains(listed == "Book" ? "“tags”" : "“books”") && pair.contains("“\(listed)”"), "\(pair)")
    var update = ChangeSet()
    let author = ObjectKey(entity: try store.entity("Author").number, key: 999)
    update.updates = [
      ChangeSet.Update(
        object: book, version: nil, columns: [ColumnSelection(entityName: "Book", propertyName: "author")],
        changedProperties: ["author"], source: StoreValuesRow(["author": .object(author)]))
    ]
    let key = try message { _ = try store.store.save(update) }
    #expect(key.contains("“author”") && key.contains("“Book”"), "\(key)")
  }

  @Test("Each foreign key has its delete rule's action, is checked at the end of a transaction, and has an index")
  func foreignKeys() throws {
    let temporary = try TemporaryStore()
    _ = try TestEngine.postgreSQL.container(Schema(BatchModels.types), temporary)
    let rows = try store.connect().run(
      """
      SELECT c.conrelid::regclass::text, a.attname::text, c.confdeltype::text, c.condeferrable AND c.condeferred,
        EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])
      FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      WHERE c.contype = 'f' AND c.connamespace = $1::text::regnamespace AND c.conrelid::regclass::text NOT LIKE '%\\_store\\_%'
      """, [.text(temporary.databaseSchema)])
    var actions: [String: String] = [:]
    for row in 0..<rows.rowCount {
      let name =
        (rows.text(row, 0)?.split(separator: ".").last.map(String.init) ?? "") + "." + (rows.text(row, 1) ?? "")
      actions[name] = rows.text(row, 2)
      #expect(rows.integer(row, 3) == 1 && rows.integer(row, 4) == 1, "\(name)")
    }
    // a: no action, c: cascade, n: set null.
    #expect(actions["node.parent_id"] == "c" && actions["page.folder_id"] == "c" && actions["note.node_id"] == "n")
    #expect(actions["lock.leaf_id"] == "a" && actions["cover.page_id"] == "c" && actions["cover.leaf_id"] == "n")
    #expect(actions["stamp.folder_stamps_id"] == "c" && actions["shelf.folder_id"] == nil)
    #expect(actions.values.count { $0 == "c" } >= 8)
  }

  @Test("A batch update is one statement, and a batch deletion a few, whatever the number of rows")
  func batches() throws {
    try store.insert("Author", [[:], [:]])
    try store.insert("Book", (0..<300).map { ["title": .text("book \($0)")] })
    var changes = ChangeSet()
    let all = BatchSelection(entityName: "Book")
    changes.batches = [
      .update(all, [BatchAssignment(attribute: "author", value: .constant(.null))])
    ]
    #expect(throws: QueryError.self) { try store.store.save(changes) }
    let entity = try store.entity("Book")
    changes.batches = [
      .update(
        all,
        [
          BatchAssignment(
            attribute: "title",
            value: .coalesce(.attribute(FetchPath(), name: "title", element: []), .constant(.text(""))))
        ])
    ]
    var result = SaveResult()
    let update = try store.statements { result = try store.store.save(changes) }
    #expect(result.batchUpdated.count == 300)
    // The lock of the store's saves travels with the statement after it.
    let ownMessages = update.count { !$0.hasPrefix("SELECT pg_advisory_xact_lock") }
    #expect(update.count { $0.contains("\"book\"") } == 1 && ownMessages <= 4, "\(update)")
    changes.batches = [.delete(all)]
    let deletion = try store.statements { result = try store.store.save(changes) }
    #expect(result.batchDeleted.count == 300 && result.batchDeleted.allSatisfy { $0.entity == entity.number })
    #expect(deletion.count { $0.hasPrefix("DELETE") } == 1 && deletion.count < 12, "\(deletion)")
    #expect(try store.connect().run("SELECT 1 FROM \(store.schema).book").rowCount == 0)
  }

  @Test("A batch change by a test of texts is for the server, unless it cannot decide about one of the rows")
  func textConditions() throws {
    try store.insert("Book", (0..<20).map { ["title": .text("book \($0)")] })
    try store.insert("Book", [["title": .text("é")]])
    let title = FetchExpression.attribute(FetchPath(), name: "title", element: [])
    let ones = BatchSelection(
      entityName: "Book", predicate: .string(.contains, [title, .constant(.text("1"))]))
    var changes = ChangeSet()
    changes.batches = [
      .update(ones, [BatchAssignment(attribute: "title", value: .coalesce(title, .constant(.text(""))))])
    ]
    // 1, and 10 to 19.
    #expect(try store.store.save(changes).batchUpdated.count == 11)
    changes.batches = [.delete(ones)]
    #expect(try store.store.save(changes).batchDeleted.count == 11)
    try store.insert("Book", [["title": .text("漢1")], ["title": .text("1")]])
    changes.batches = [
      .delete(
        BatchSelection(
          entityName: "Book", predicate: .string(.localizedStandardContains, [title, .constant(.text("1"))])))
    ]
    #expect(throws: BatchRefusal.unsupported(entity: "Book", property: "")) { try store.store.save(changes) }
    #expect(try store.store.count(FetchRequest(entityName: "Book")) == 12)
  }

  @Test(
    "A batch update that clashes with a unique value, or that cannot be computed for a row, is refused and writes nothing"
  )
  func refusals() throws {
    try store.insert("Book", [["title": .text("a")], ["title": .text("é")]])
    var changes = ChangeSet()
    let title = FetchExpression.attribute(FetchPath(), name: "title", element: [])
    changes.batches = [
      .update(BatchSelection(entityName: "Book"), [BatchAssignment(attribute: "title", value: .constant(.text("x")))])
    ]
    #expect(throws: BatchRefusal.notUnique(entity: "Book")) { try store.store.save(changes) }
    changes.batches = [
      .update(
        BatchSelection(entityName: "Book"),
        [BatchAssignment(attribute: "title", value: .string(.uppercased, [title]))])
    ]
    // The server's upper-case letters are those of ASCII.
    #expect(throws: BatchRefusal.incomputable(entity: "Book", attribute: "title")) { try store.store.save(changes) }
    changes.batches = [
      .update(
        BatchSelection(entityName: "Book", predicate: .comparison(.equal, title, .constant(.text("a")))),
        [BatchAssignment(attribute: "title", value: .string(.uppercased, [title]))])
    ]
    #expect(try store.store.save(changes).batchUpdated.count == 1)
    #expect(try store.column("SELECT title FROM $book ORDER BY title COLLATE \"C\"") == ["A", "é"])
  }

  @Test("A new row that a trigger of the database skips fails the save, with the entity and the table")
  func skippedRows() throws {
    try store.connect().execute(
      """
      CREATE FUNCTION \(store.schema).skip() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF NEW.title = ''b'' THEN RETURN NULL; END IF; RETURN NEW; END';
      CREATE TRIGGER skip BEFORE INSERT ON \(store.schema).book FOR EACH ROW EXECUTE FUNCTION \(store.schema).skip()
      """)
    let skipped = try message { try store.insert("Book", [["title": .text("a")], ["title": .text("b")]]) }
    #expect(skipped.contains("1 of 2") && skipped.contains("“Book”") && skipped.contains("“book”"), "\(skipped)")
    #expect(try store.connect().run("SELECT 1 FROM \(store.schema).book").rowCount == 0)
    try store.insert("Book", [["title": .text("a")]])
  }
}
