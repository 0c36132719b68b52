import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Search indexes in stores that any program may have written.
@Suite("Search indexes of untrusted stores", .damagesStores("search indexes of strangers")) struct SearchIndexTrustTests
{
  private let store: TemporaryStore
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Book", properties: [.attribute(AttributeDescription(name: "title", type: .string, isOptional: true))])
  ])

  init() throws {
    store = try TemporaryStore()
    let made = try PersistentStore.open(at: store.url, model: Self.model)
    defer { made.close() }
    try made.makeSearchIndex(on: ["title"], of: "Book")
  }

  private func insert(_ opened: PersistentStore) throws {
    try opened.write { try $0.execute("INSERT INTO ZBOOK (Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 'whale')") }
  }

  @Test("A store with our texts only is written to") func ours() throws {
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    try insert(opened)
    #expect(try opened.count(FetchRequest(entityName: "Book", search: TextCondition("whale"))) == 1)
  }

  @Test(
    "Another text beside the index takes the trust in triggers back, so that no function of it runs",
    arguments: [
      "CREATE TRIGGER OTHER AFTER INSERT ON ZBOOK BEGIN SELECT load_extension('x'); END",
      "CREATE VIEW OTHER AS SELECT fts3_tokenizer('simple')",
      """
      DROP TRIGGER OSD_Book_SEARCH_INSERT;
      CREATE TRIGGER OSD_Book_SEARCH_INSERT AFTER INSERT ON ZBOOK BEGIN INSERT INTO OSD_Book_SEARCH (rowid, ZTITLE)
      VALUES (NEW.Z_PK, randomblob(100)); END
      """,
    ])
  func strange(script: String) throws {
    try PlainSQL.run(store.url, script)
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    #expect(throws: (any Error).self) { try insert(opened) }
    #expect(try opened.count(FetchRequest(entityName: "Book")) == 0)
  }

  @Test("No index is made beside a text that would keep its triggers from running") func refused() throws {
    let other = try TemporaryStore()
    let opened = try PersistentStore.open(at: other.url, model: Self.model)
    defer { opened.close() }
    try PlainSQL.run(other.url, "CREATE VIEW HARMLESS AS SELECT upper(ZTITLE), count(*) FROM ZBOOK")
    try opened.makeSearchIndex(on: ["title"], of: "Book")
    try insert(opened)
    try opened.removeSearchIndex(of: "Book")
    try PlainSQL.run(other.url, "CREATE VIEW OTHER AS SELECT load_extension('x')")
    #expect(throws: SearchError.otherDefinition("OTHER")) { try opened.makeSearchIndex(on: ["title"], of: "Book") }
    #expect(try PlainSQL.rows(other.url, "SELECT name FROM sqlite_master WHERE name LIKE 'OSD%'").isEmpty)
    try insert(opened)
    #expect(try opened.count(FetchRequest(entityName: "Book")) == 2)
  }

  @Test("An FTS5 table of other options is no search index") func otherTable() throws {
    try PlainSQL.run(
      store.url,
      """
      DROP TABLE OSD_Book_SEARCH;
      CREATE VIRTUAL TABLE OSD_Book_SEARCH USING fts5("ZTITLE", content = 'Z_METADATA', content_rowid = 'Z_PK');
      """)
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    #expect(throws: SearchError.noIndex(entity: "Book")) {
      try opened.count(FetchRequest(entityName: "Book", search: TextCondition("whale")))
    }
    try opened.makeSearchIndex(on: ["title"], of: "Book")
    try insert(opened)
    #expect(try opened.count(FetchRequest(entityName: "Book", search: TextCondition("whale"))) == 1)
  }

  @Test(
    "A table or trigger of another program under a name of an index is neither dropped nor replaced",
    arguments: [
      "CREATE TABLE OSD_Book_SEARCH (ZTITLE); INSERT INTO OSD_Book_SEARCH VALUES ('precious')",
      "CREATE VIRTUAL TABLE OSD_Book_SEARCH USING fts5(\"ZTITLE\"); INSERT INTO OSD_Book_SEARCH VALUES ('precious')",
      "CREATE TABLE OTHER (A); CREATE TRIGGER OSD_Book_SEARCH_INSERT AFTER INSERT ON OTHER BEGIN SELECT 1; END",
    ])
  func foreign(script: String) throws {
    let ours = try PersistentStore.open(at: store.url)
    try ours.removeSearchIndex(of: "Book")
    ours.close()
    try PlainSQL.run(store.url, script)
    let catalogue = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    let before = try PlainSQL.rows(store.url, catalogue)
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    let name = script.contains("TRIGGER") ? "OSD_Book_SEARCH_INSERT" : "OSD_Book_SEARCH"
    #expect(throws: SearchError.foreignDefinition(name)) { try opened.removeSearchIndex(of: "Book") }
    #expect(throws: SearchError.foreignDefinition(name)) { try opened.makeSearchIndex(on: ["title"], of: "Book") }
    #expect(try PlainSQL.rows(store.url, catalogue) == before)
    if script.contains("precious") {
      #expect(try PlainSQL.rows(store.url, "SELECT ZTITLE FROM OSD_Book_SEARCH") == [[.text("precious")]])
    }
    try insert(opened)
    #expect(try opened.count(FetchRequest(entityName: "Book")) == 1)
  }

  @Test("Names of attributes and words with quotation marks stay names and words") func quotation() throws {
    let name = "Bo\"ok, x'); --"
    let model = ModelDescription(entities: [
      EntityDescription(
        name: name,
        properties: [.attribute(AttributeDescription(name: "ti\"tle'", type: .string, isOptional: true))])
    ])
    let other = try TemporaryStore()
    let opened = try PersistentStore.open(at: other.url, model: model)
    defer { opened.close() }
    try opened.makeSearchIndex(on: ["ti\"tle'"], of: name)
    #expect(try !opened.makeSearchIndex(on: ["ti\"tle'"], of: name))
    let search = TextCondition("wh\"ale'", attributes: ["ti\"tle'"])
    #expect(try opened.count(FetchRequest(entityName: name, search: search)) == 0)
    #expect(try opened.removeSearchIndex(of: name))
  }

  @Test("A damaged index is an error of the search, and the rows stay readable") func damaged() throws {
    let opened = try PersistentStore.open(at: store.url)
    try insert(opened)
    opened.close()
    let raw = try Connection(path: store.url.path, mode: .readWrite)
    #expect(throws: SQLiteError.self) { try raw.execute("DELETE FROM OSD_Book_SEARCH_data") }
    raw.close()
    let again = try PersistentStore.open(at: store.url)
    defer { again.close() }
    #expect(try again.count(FetchRequest(entityName: "Book")) == 1)
  }

  @Test(
    "A store can be read if SQLite lacks the module of a virtual table, such as FTS5",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func missingModule() throws {
    let script = """
      import sqlite3, sys
      file = sqlite3.connect(sys.argv[1])
      file.execute("PRAGMA writable_schema = ON")
      file.execute("UPDATE sqlite_master SET sql = replace(sql, 'fts5', 'missing') WHERE sql LIKE 'CREATE VIRTUAL%'")
      file.commit()
      """
    let writer = try PersistentStore.open(at: store.url)
    try insert(writer)
    writer.close()
    #expect(try Oracle.run(script: script, [store.url.path]).status == 0)
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    #expect(try opened.count(FetchRequest(entityName: "Book")) == 1)
    #expect(throws: SearchError.noIndex(entity: "Book")) {
      try opened.count(FetchRequest(entityName: "Book", search: TextCondition("whale")))
    }
    #expect(throws: (any Error).self) { try insert(opened) }
    #expect(try opened.count(FetchRequest(entityName: "Book")) == 1)
  }
}
