import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

/// The layout of a small model, fact by fact; proves without real stores what they prove with them.
struct LayoutTests {
  private let layout: StoreLayout

  init() throws { layout = try StoreLayout(model: SampleModel.library) }

  @Test("CD-1.2: depth-first numbers, each level in case-insensitive order of names")
  func numbering() throws {
    #expect(layout.entities.map(\.name) == ["Book", "Novel", "Genre", "Shelf"])
    #expect(layout.entities.map(\.number) == [1, 2, 3, 4])
    let cased = try StoreLayout(
      model: ModelDescription(
        entities: ["PhotosHighlight", "PhotoStreamAlbum", "ComputeSync", "ComputedAsset"].map {
          EntityDescription(name: $0)
        }))
    #expect(cased.entities.map(\.name) == ["ComputedAsset", "ComputeSync", "PhotosHighlight", "PhotoStreamAlbum"])
  }

  @Test("CD-2.2 CD-3.1 CD-3.2: columns by group, then by entity and name; order columns; keys without inverse")
  func table() throws {
    let book = try #require(layout.tables.first)
    #expect(
      layout.definition(of: book)
        == "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPAGES INTEGER, "
        + "ZSHELF INTEGER, ZSEQUEL INTEGER, Z1_SEQUEL INTEGER, Z4FAVORITES INTEGER, Z_FOK_4FAVORITES INTEGER, "
        + "Z_FOK_SHELF INTEGER, ZBOUGHT TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, ZHERO VARCHAR, ZCODE BLOB, ZCOVER BLOB )"
    )
  }

  @Test("CD-3.3: the entity with subentities is the master; a relationship that is its own inverse")
  func joinTables() {
    #expect(
      layout.joinTables.map(\.definition) == [
        "CREATE TABLE Z_1GENRES ( Z_1BOOKS INTEGER, Z_3GENRES INTEGER, Z_FOK_3GENRES INTEGER, "
          + "PRIMARY KEY (Z_1BOOKS, Z_3GENRES) )",
        "CREATE TABLE Z_1RELATED ( Z_1RELATED INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1RELATED, REFLEXIVE) )",
      ])
  }

  @Test("CD-4: indexes of keys, entity, join tables, partial fetch index and uniqueness, in order")
  func indexes() throws {
    let book = try #require(layout.entity(named: "Book"))
    #expect(
      try layout.indexes(of: book).map(\.definition) == [
        "CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK (ZSHELF)",
        "CREATE INDEX ZBOOK_ZSEQUEL_INDEX ON ZBOOK (ZSEQUEL)",
        "CREATE INDEX ZBOOK_Z4FAVORITES_INDEX ON ZBOOK (Z4FAVORITES)",
        "CREATE INDEX Z_1GENRES_Z_3GENRES_INDEX ON Z_1GENRES (Z_3GENRES, Z_1BOOKS)",
        "CREATE INDEX Z_1RELATED_REFLEXIVE_INDEX ON Z_1RELATED (REFLEXIVE, Z_1RELATED)",
        "CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)",
        "CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY DESC, Z_ENT COLLATE BINARY ASC) "
          + "WHERE (ZPAGES > 10 AND ZBOUGHT IS NOT NULL)",
        "CREATE UNIQUE INDEX Z_Book_UNIQUE_code ON ZBOOK (ZCODE COLLATE BINARY ASC)",
      ])
  }

  @Test("CD-2.3: the first to ask for a name keeps it, siblings follow with 1, 2 …; CD-2.4: leaves of composites")
  func collisions() throws {
    func entity(_ name: String, _ parent: String?, _ attributes: [AttributeDescription]) -> EntityDescription {
      EntityDescription(name: name, superentityName: parent, properties: attributes.map(PropertyDescription.attribute))
    }
    let author = AttributeDescription(
      name: "author", type: .composite,
      elements: [
        .init(name: "id", type: .string), .init(name: "place", type: .string), .init(name: "born", type: .date),
      ])
    let layout = try StoreLayout(
      model: ModelDescription(entities: [
        entity("Base", nil, [author, .init(name: "id", type: .string)]),
        entity("Left", "Base", [.init(name: "place", type: .string)]),
        entity("Right", "Base", [.init(name: "place", type: .integer64)]),
      ]))
    func column(_ entity: String, _ path: String) -> String? {
      layout.entity(named: entity)?.column(ofPath: path)?.name
    }
    #expect(column("Base", "author.id") == "ZID" && column("Base", "id") == "ZID1")
    #expect(column("Base", "author.place") == "ZPLACE" && column("Left", "place") == "ZPLACE1")
    #expect(column("Right", "place") == "ZPLACE2" && column("Left", "id") == "ZID1")
    #expect(
      layout.tables[0].columns.map(\.name.name) == ["ZPLACE2", "ZBORN", "ZID", "ZPLACE", "ZID1", "ZPLACE1"])
  }

  @Test("CD-2.1 CD-2.2: every attribute type's column, sorted by group and then by code unit")
  func types() throws {
    let types: [AttributeType] = [
      .binary, .transformable, .uuid, .uri, .string, .decimal, .date, .float, .double, .boolean, .integer64,
      .integer32, .integer16, .undefined,
    ]
    let attributes = types.enumerated().map { index, type in
      PropertyDescription.attribute(
        AttributeDescription(name: "p\(9 - index % 10)\(type)", type: type, isTransient: type == .undefined))
    }
    let layout = try StoreLayout(model: ModelDescription(entities: [.init(name: "All", properties: attributes)]))
    #expect(
      layout.tables[0].columns.map { "\($0.name.name) \($0.type.sql)" } == [
        "ZP0BOOLEAN INTEGER", "ZP7INTEGER16 INTEGER", "ZP8INTEGER32 INTEGER", "ZP9INTEGER64 INTEGER",
        "ZP1DOUBLE FLOAT", "ZP2FLOAT FLOAT", "ZP3DATE TIMESTAMP", "ZP4DECIMAL DECIMAL", "ZP5STRING VARCHAR",
        "ZP6URI VARCHAR", "ZP7UUID BLOB", "ZP8TRANSFORMABLE BLOB", "ZP9BINARY BLOB",
      ])
  }

  @Test("CD-7: the bits of ZCOLUMNS, from the highest, by kind of property")
  func changeBitmap() throws {
    let bitmap = ChangeBitmap(try #require(layout.entity(named: "Novel")))
    #expect(
      bitmap.slots == [
        .property("shelf"), .property("sequel"), .entityColumn("sequel"), .orderColumn("shelf"),
        .property("bought"), .property("code"), .property("cover"), .property("pages"), .property("price"),
        .property("title"), .property("hero"), .property("genres"), .property("related"),
      ])
    #expect(Array(bitmap.bytes([.property("shelf"), .property("code")])) == [0b1000_0100, 0])
    #expect(bitmap.slots(in: bitmap.bytes([.property("related")])) == [.property("related")])
    #expect(layout.tombstoneCount == 1)
  }

  @Test("CD-4: predicates of partial indexes in the forms of real stores")
  func partialPredicates() throws {
    func sql(_ format: String) throws -> String? {
      var model = SampleModel.library
      model.entities[1].fetchIndexes[0].partialIndexPredicate = format
      let layout = try StoreLayout(model: model)
      let book = try #require(layout.entity(named: "Book"))
      return try layout.indexes(of: book).first { $0.kind == .fetch }?.condition
    }
    #expect(try sql("pages == YES") == "ZPAGES = 1")
    #expect(try sql("pages != 4") == "ZPAGES <> 4")
    #expect(try sql("shelf == nil") == "ZSHELF IS NULL")
    #expect(try sql("pages = 2 OR pages = -16") == "(ZPAGES = 2 OR ZPAGES = -16)")
    #expect(
      try sql("bought = nil AND (pages <> 0 OR pages == 0)") == "(ZBOUGHT IS NULL AND (ZPAGES <> 0 OR ZPAGES = 0))")
    #expect(try sql("title = 'it\\'s' && pages <= 1.5") == "(ZTITLE = 'it''s' AND ZPAGES <= 1.5)")
    #expect(throws: LayoutError.self) { try sql("pages == 1e999") }
    #expect(throws: LayoutError.self) { try sql("pages > nil") }
    #expect(throws: LayoutError.self) { try sql("NOT pages == 1") }
    #expect(throws: LayoutError.self) { try sql("title BEGINSWITH 'a'") }
    #expect(throws: LayoutError.self) { try sql("pages == 1; DROP TABLE ZBOOK") }
    #expect(throws: LayoutError.self) { try sql(String(repeating: "(", count: 5_000)) }
  }

  @Test("a hole in a model is named, with the nearest name")
  func holes() {
    func message(_ change: (inout ModelDescription) -> Void) -> String {
      var model = SampleModel.library
      change(&model)
      do {
        _ = try StoreLayout(model: model).definitions()
        return ""
      } catch { return "\(error)" }
    }
    #expect(message { $0.entities[2].superentityName = "Bok" }.contains("did you mean “Book”?"))
    #expect(message { $0.entities[1].superentityName = "Novel" }.contains("circle"))
    #expect(message { $0.entities.append($0.entities[0]) }.contains("two entities named “Shelf”"))
    #expect(message { $0.entities.removeAll { $0.name == "Genre" } }.contains("leads to “Genre”"))
    #expect(message { $0.entities[3].properties.removeLast() }.contains("names the inverse “books”"))
    #expect(message { $0.entities[1].uniquenessConstraints = [["cod"]] }.contains("did you mean “code”?"))
    #expect(
      message { model in
        model.entities = (0..<600).map {
          EntityDescription(name: "E\($0)", superentityName: $0 > 0 ? "E\($0 - 1)" : nil)
        }
      }.contains("superentities"))
    #expect(
      message { $0.entities.append(EntityDescription(name: "_metadata")) }.contains("the store itself"))
    #expect(message { $0.entities.append(EntityDescription(name: "shelf")) }.contains("would both use the table"))
    #expect(
      message {
        $0.entities[0].properties.append(.attribute(AttributeDescription(name: "odd", type: .undefined)))
      }.contains("type that no store can hold"))
  }

  /// Entities with text attributes `c`, `d` and what is asked for.
  private func entity(
    _ name: String, _ indexes: [String] = [], unique: [[String]] = [],
    kind: FetchIndexDescription.Kind = .binary
  ) -> EntityDescription {
    EntityDescription(
      name: name,
      properties: ["c", "d", "UNIQUE_c"].map { .attribute(AttributeDescription(name: $0, type: .double)) },
      uniquenessConstraints: unique,
      fetchIndexes: indexes.map { index in
        FetchIndexDescription(
          name: index,
          elements: (kind == .rTree ? ["c", "d"] : ["c"]).map { .init(subject: .property($0), kind: kind) })
      })
  }

  @Test("CD-4: two things of one name are told before anything is made, letters of either case being the same")
  func collidingNames() throws {
    func message(_ entities: [EntityDescription]) throws -> String {
      let folder = try TemporaryStore()
      let model = ModelDescription(entities: entities)
      let error = #expect(throws: StoreError.self) { try PersistentStore.open(at: folder.url, model: model) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).isEmpty)
      return error?.description ?? ""
    }
    let both = try message([entity("A", ["B_c"]), entity("A_B", ["c"])])
    #expect(both.contains("entity “A_B” and entity “A” would both have the index “Z_A_B_c”"), "\(both)")
    let twice = try message([entity("A", ["x", "X"])])
    #expect(twice.contains("entity “A” would twice have the index “Z_A_X”"), "\(twice)")
    #expect(try message([entity("A", ["UNIQUE_c"], unique: [["c"]])]).contains("index “Z_A_UNIQUE_c”"))
    #expect(try message([entity("A", unique: [["c"]]), entity("A_UNIQUE", ["c"])]).contains("“Z_A_UNIQUE_c”"))
    #expect(try message([entity("A", ["x"], kind: .rTree), entity("RT", ["A_x"])]).contains("“Z_RT_A_x”"))
    #expect(try message([entity("A", ["x"], kind: .rTree), entity("RT", ["A_x_node"])]).contains("“Z_RT_A_x_node”"))
    #expect(
      try message([entity("Transaction", ["transactionauthorindex"])]).contains(
        "the store itself and entity “Transaction” would both"))
    #expect(try message([entity("A", ["\"x\"\"y", "\"X\"\"y"])]).contains("index “Z_A_\"X\"\"y”"))
    // An index and the table of another entity.
    #expect(try message([entity("A", ["B"]), entity("_A_B")]).contains("“Z_A_B”"))
  }

  @Test("CD-4: names that only look alike are different ones", .damagesStores("names that the checker does not quote"))
  func similarNames() throws {
    let folder = try TemporaryStore()
    let model = ModelDescription(entities: [
      entity("A", ["B_d", "\u{E9}", "e\u{301}"], unique: [["c"], ["c"]]), entity("A_B", ["c", "\"x y\" z"]),
    ])
    let store = try PersistentStore.open(at: folder.url, model: model)
    defer { store.close() }
    #expect(try StoreChecker.check(store) == [])
  }
}
