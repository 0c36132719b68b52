import CoreDataStore
import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// Stores in plain names: as a database of their own, as views, as tables of texts.
@Suite struct DatabaseTests {
  private static func entity(_ name: String, _ attributes: [String], parent: String? = nil) -> EntityDescription {
    EntityDescription(
      name: name, superentityName: parent,
      properties: attributes.map { .attribute(AttributeDescription(name: $0, type: .string, isOptional: true)) })
  }

  /// Names that meet one another, tables of the store, words and structure of SQL, and limits.
  private static let hostile = ModelDescription(
    entities: [
      entity("Select", ["from", "ID", "entity", "x\"; DROP TABLE y; --", "Name", "naMe2", "a\nb"]),
      entity("Sub", ["own", "NAME_2"], parent: "Select"), entity("Other", ["own"], parent: "Select"),
      entity("zselect", ["a"]), entity("sqlite_thing", ["a"]), entity("Z_METADATA", ["a"]),
      entity(String(repeating: "long", count: 80), [String(repeating: "ä", count: 300)]), entity("CON/../x", ["a"]),
      entity("con\\..\\X", ["a"]),
    ])

  @Test(
    "Names that meet are told apart, and none of them is taken for SQL",
    .damagesStores("names that the checker does not quote")) func hostileNames() throws
  {
    let world = try ImportExportWorld(Self.hostile)
    var lines = ""
    for (index, entity) in Self.hostile.entities.enumerated() {
      var output = JSONWriter()
      output.write(
        ExportObject(
          name: ObjectName(entity: entity.name, key: Int64(index + 1)),
          properties: entity.attributes.map { ExportValue.Element($0.name, .text("'\"; --\n\u{1b}")) }))
      lines += String(decoding: output.bytes, as: UTF8.self) + "\n"
    }
    try world.take(lines)
    let schema = try ExportSchema(world.store.storedTables, taken: ["ZSELECT", "Z_METADATA"])
    let names = schema.entities.map(\.name.name)
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
    #expect(names.contains("zselect_2") && names.contains("Z_METADATA_2") && names.contains("_sqlite_thing"))
    let root = try #require(schema.entity("Select"))
    #expect(root.key.name == "_id")
    #expect(root.kind?.name == "_entity")
    let columns = schema.hierarchy(root).map(\.name.name)
    #expect(Set(columns.map { $0.lowercased() }).count == columns.count)
    #expect(columns.contains("own") && columns.contains("Sub_own") || columns.contains("Other_own"))

    for name in names {
      let query = try StoreQuery("SELECT * FROM \(Identifier(name).quoted)", on: world.store)
      _ = try query.next()
    }
    #expect(
      try world.ask("SELECT \"x\"\"; DROP TABLE y; --\" FROM \"Select\" WHERE _id = 1") == [[.text("'\"; --\n\u{1b}")]])
    // The store's own tables are what they were.
    #expect(try world.ask("SELECT count(*) FROM Z_METADATA") == [[.integer(1)]])

    let file = world.folder.folder.appendingPathComponent("plain.sqlite")
    let database = try ExportDatabase(writing: file, of: world.store)
    #expect(database.tables.map(\.rows).reduce(0, +) == Self.hostile.entities.count)
    #expect(!database.renamings.isEmpty)
    let plain = try Connection(path: file.path, mode: .readOnly)
    #expect(try plain.text("PRAGMA integrity_check") == "ok")
    #expect(try plain.integer("SELECT count(*) FROM \"Sub\"") == 1)
  }

  @Test("Keys of a table keep their values, whatever the table is called", arguments: ["D", "d", "o", "O", "node"])
  func keysOfAnyTable(name: String) throws {
    let parent = RelationshipDescription(
      name: "parent", destinationEntityName: name, inverseName: "children", inverseEntityName: name)
    let children = RelationshipDescription(
      name: "children", destinationEntityName: name, inverseName: "parent", inverseEntityName: name, maximumCount: 0)
    let model = ModelDescription(entities: [
      EntityDescription(name: name, properties: [.relationship(parent), .relationship(children)])
    ])
    let world = try ImportExportWorld(model)
    try world.take(
      """
      {"$entity":"\(name)","$id":"1","children":["2"]}
      {"$entity":"\(name)","$id":"2","children":["3"]}
      {"$entity":"\(name)","$id":"3"}
      """)
    let file = world.folder.folder.appendingPathComponent("plain.sqlite")
    #expect(try ExportDatabase(writing: file, of: world.store).danglingKeys == 0)
    let plain = try Connection(path: file.path, mode: .readOnly)
    #expect(try plain.integer("SELECT count(parent) FROM \"\(name)\"") == 2)
  }

  @Test("A database in plain names declares its keys, and holds every relationship") func relationships() throws {
    let world = try ImportExportWorld()
    try world.take(
      """
      {"$entity":"Shelf","$id":"s","label":"A","books":["n","b"],"favorites":["n"]}
      {"$entity":"Book","$id":"b","title":"B","code":"00000000-0000-0000-0000-000000000001","pages":1,"cover":"AA==","genres":["g"],"related":["n"]}
      {"$entity":"Novel","$id":"n","title":"N","code":"00000000-0000-0000-0000-000000000002","pages":1,"cover":"AA==","hero":"H","sequel":"b","bought":"2024-01-02T03:04:05.5Z"}
      {"$entity":"Genre","$id":"g","name":"G"}
      """)
    let file = world.folder.folder.appendingPathComponent("plain.sqlite")
    let database = try ExportDatabase(writing: file, of: world.store)
    #expect(database.danglingKeys == 0)
    let plain = try Connection(path: file.path, mode: .readOnly)
    func rows(_ sql: String) throws -> [[StoreValue]] { try PlainSQL.rows(plain, sql) }
    #expect(try rows("PRAGMA foreign_key_check").isEmpty)
    #expect(
      try rows("SELECT \"table\", \"from\", \"to\" FROM pragma_foreign_key_list('Book') ORDER BY 2") == [
        [.text("Shelf"), .text("Shelf_favorites"), .text("id")], [.text("Book"), .text("sequel"), .text("id")],
        [.text("Shelf"), .text("shelf"), .text("id")],
      ])
    #expect(
      try rows("SELECT entity, title, bought, sequel, Shelf_favorites FROM Novel") == [
        [.text("Novel"), .text("N"), .text("2024-01-02T03:04:05.5Z"), .integer(1), .integer(1)]
      ])
    #expect(try rows("SELECT title FROM Book ORDER BY shelf_position") == [[.text("N")], [.text("B")]])
    #expect(try rows("SELECT count(*) FROM Book_related") == [[.integer(2)]])
    // The same names answer questions to the store itself.
    #expect(
      try world.ask(
        "SELECT b.title, g.name FROM Book b JOIN Book_genres j ON j.Book = b.id JOIN Genre g ON g.id = j.genres") == [
          [.text("B"), .text("G")]
        ])
    #expect(try world.ask("SELECT typeof(code) FROM Novel") == [[.text("text")]])
  }

  @Test(
    "A question can only read",
    arguments: [
      "DELETE FROM ZBOOK", "UPDATE ZBOOK SET Z_OPT = 9", "INSERT INTO Z_METADATA DEFAULT VALUES", "DROP TABLE ZBOOK",
      "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "CREATE TEMP VIEW x AS SELECT 1", "ATTACH 'other.sqlite' AS x",
      "DETACH main", "VACUUM", "VACUUM INTO 'other.sqlite'", "REINDEX", "ANALYZE", "BEGIN", "BEGIN IMMEDIATE", "COMMIT",
      "SAVEPOINT x",
      "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 7", "PRAGMA query_only = OFF",
      "PRAGMA writable_schema = ON",
      "PRAGMA wal_checkpoint", "PRAGMA temp_store_directory = '/'", "SELECT load_extension('x')",
      "ALTER TABLE ZBOOK ADD x", "DROP VIEW temp.Book",
      "WITH x AS (SELECT 1) DELETE FROM ZBOOK", "EXPLAIN DELETE FROM ZBOOK", "SELECT 1; DELETE FROM ZBOOK", "",
      "-- nothing",
    ])
  func onlyReading(_ sql: String) throws {
    let world = try ImportExportWorld()
    try world.take(#"{"$entity":"Genre","name":"G"}"#)
    let before = try Data(contentsOf: world.folder.url)
    #expect(throws: StoreQueryError.self) { try world.ask(sql) }
    #expect(try Data(contentsOf: world.folder.url) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: world.folder.folder.path).allSatisfy { !$0.contains("other") }
    )
    // Nor does a question leave anything behind for the next one, or for the store's own reading.
    #expect(try world.ask("SELECT name FROM Genre") == [[.text("G")]])
    try world.take(#"{"$entity":"Genre","name":"H"}"#)
    #expect(try world.store.count(FetchRequest(entityName: "Genre")) == 2)
  }

  @Test("A question that is wrong is answered with the place and the nearest name") func wrongQuestions() throws {
    let world = try ImportExportWorld()
    func error(_ sql: String) -> StoreQueryError? {
      do { _ = try world.ask(sql) } catch { return error as? StoreQueryError }
      return nil
    }
    #expect(error("SELECT titel FROM Book")?.problem == "no such column: titel (did you mean “title”?)")
    #expect(error("SELECT * FROM Bok")?.problem == "no such table: Bok (did you mean “Book”?)")
    let syntax = error("SELECT 1,\n  'ä', FROM Book")
    #expect(syntax?.line == 2)
    #expect(syntax?.column == 8)
  }

  @Test("Fields of comma-separated values are quoted where they have to be (RFC 4180)") func commaSeparated() {
    func line(_ row: [String?], _ guards: Bool = false) -> String {
      var text = CSVText(guardsFormulas: guards)
      text.write(row)
      return String(decoding: text.bytes, as: UTF8.self)
    }
    #expect(line(["a", nil, "", "b,c", "d\"e", "f\ng", " h"]) == "a,,\"\",\"b,c\",\"d\"\"e\",\"f\ng\",\" h\"\r\n")
    #expect(line(["=1+1", "-2+3", "@x", "a=b", "-inf"], true) == "'=1+1,'-2+3,'@x,a=b,'-inf\r\n")
    #expect(line(["-2", "+1.5e-3", "-0.5"], true) == "-2,+1.5e-3,-0.5\r\n")
    #expect(line(["=1+1"]) == "=1+1\r\n")
  }
}
