import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Search indexes in migrations, whose tables and triggers change.
@Suite("Search indexes in migrations") struct SearchIndexMigrationTests {
  /// Books and novels, with a search index of their titles and notes.
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
    let made = try PersistentStore.open(at: store.url, model: Self.model())
    defer { made.close() }
    try made.makeSearchIndex(on: ["title", "note"], of: "Book")
    try made.write {
      try $0.execute(
        """
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE) VALUES (1, 1, 1, 'white whale', 'sea'), (2, 2, 1, 'shark', 'sea');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1;
        """)
    }
  }

  private static func model(
    _ name: String = "Book", title: AttributeDescription? = AttributeDescription(name: "title", type: .string),
    and properties: [PropertyDescription] = []
  ) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: name,
        properties: (title.map { [.attribute($0)] } ?? []) + [
          .attribute(AttributeDescription(name: "note", type: .string, isOptional: true))
        ] + properties, renamingIdentifier: name == "Book" ? nil : "Book"),
      EntityDescription(name: "Novel", superentityName: name),
    ])
  }

  private func keys(_ text: String, _ entity: String = "Book", in attributes: [String] = []) throws -> [Int64] {
    let migrated = try PersistentStore.open(at: store.url)
    defer { migrated.close() }
    return try migrated.keys(
      FetchRequest(
        entityName: entity, search: TextCondition(text, attributes: attributes),
        sortTerms: [SortTerm(expression: .object(FetchPath()))])
    ).map(\.key)
  }

  private func definitions() throws -> [String] {
    try PlainSQL.rows(store.url, "SELECT name FROM sqlite_master WHERE name LIKE 'OSD%' ORDER BY name").map { "\($0)" }
  }

  @Test("An added property, and a table written anew, keep the index", arguments: [false, true])
  func kept(rewrites: Bool) throws {
    let before = try definitions()
    let type: AttributeType = .integer64
    var title = AttributeDescription(name: "title", type: .string)
    title.renamingIdentifier = "title"
    title.name = rewrites ? "name" : "title"
    try PersistentStore.migrate(
      at: store.url,
      through: [
        Self.model(
          title: title, and: [.attribute(AttributeDescription(name: "pages", type: type, isOptional: true))])
      ])
    #expect(try keys("whale") == [1] && keys("sea") == [1, 2] && keys("sea", "Novel") == [2])
    #expect(try keys("whale", in: [title.name]) == [1])
    #expect(try definitions() == before)
    let migrated = try PersistentStore.open(at: store.url)
    defer { migrated.close() }
    try migrated.write { try $0.execute("UPDATE ZBOOK SET \(rewrites ? "ZNAME" : "ZTITLE") = 'squid' WHERE Z_PK = 1") }
    #expect(try keys("squid") == [1] && keys("whale") == [])
  }

  @Test("A renamed entity keeps its index under the new name") func renamedEntity() throws {
    try PersistentStore.migrate(at: store.url, through: [Self.model("Volume")])
    #expect(try keys("whale", "Volume") == [1] && keys("sea", "Novel") == [2])
    #expect(try definitions().allSatisfy { $0.contains("Volume") })
  }

  @Test("A removed attribute leaves the index, and the last one takes it away") func removedAttributes() throws {
    try PersistentStore.migrate(at: store.url, through: [Self.model(title: nil)])
    #expect(try keys("whale") == [] && keys("sea") == [1, 2])
    let number = AttributeDescription(name: "count", type: .integer64, isOptional: true)
    let last = ModelDescription(entities: [EntityDescription(name: "Book", properties: [.attribute(number)])])
    try PersistentStore.migrate(at: store.url, through: [last])
    #expect(try definitions() == [])
    #expect(throws: SearchError.noIndex(entity: "Book")) { try keys("sea") }
  }

  @Test("An index that lost a trigger is whole after a migration") func incomplete() throws {
    try PlainSQL.run(store.url, "DROP TRIGGER OSD_Book_SEARCH_UPDATE")
    #expect(throws: SearchError.incompleteIndex(entity: "Book")) { try keys("sea") }
    try PlainSQL.run(store.url, "UPDATE ZBOOK SET ZNOTE = 'land'")
    try PersistentStore.migrate(
      at: store.url,
      through: [Self.model(and: [.attribute(AttributeDescription(name: "pages", type: .integer64, isOptional: true))])])
    #expect(try keys("sea") == [] && keys("land") == [1, 2])
  }

  @Test("A mapping model keeps the attributes that it does not rename, and reports an index that loses some")
  func mapped() throws {
    let text = { (name: String) in
      PropertyDescription.attribute(AttributeDescription(name: name, type: .string, isOptional: true))
    }
    let source = ModelDescription(entities: [
      EntityDescription(name: "Book", properties: [text("title"), text("note")]),
      EntityDescription(name: "Shelf", properties: [text("label")]),
    ])
    let destination = ModelDescription(entities: [
      EntityDescription(name: "Volume", properties: [text("title"), text("remark")])
    ])
    let old = try TemporaryStore()
    let made = try PersistentStore.open(at: old.url, model: source)
    try made.makeSearchIndex(on: ["title", "note"], of: "Book")
    try made.makeSearchIndex(on: ["label"], of: "Shelf")
    try made.write { try $0.execute("INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (7, 1, 1, 'whale')") }
    made.close()
    let mapping = MappingModel(
      name: "Mapping",
      entityMappings: [
        EntityMapping(
          name: "BookToVolume", sourceEntityName: "Book", destinationEntityName: "Volume",
          attributeMappings: [
            MappingWorld.expression("title", "$source.title"), MappingWorld.expression("remark", "$source.note"),
          ])
      ])
    let report = try PersistentStore.migrate(at: old.url, by: mapping, from: source, to: destination)
    #expect(report.tablesLeftBehind == ["OSD_Book_SEARCH", "OSD_Shelf_SEARCH"])
    let migrated = try PersistentStore.open(at: old.url)
    defer { migrated.close() }
    let found = try migrated.keys(FetchRequest(entityName: "Volume", search: TextCondition("whale")))
    #expect(found.count == 1)
    #expect(try migrated.searchedAttributes(of: "Volume") == ["title"])
  }
}
