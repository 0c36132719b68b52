import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Models that Core Data accepts: an inverse that names another relationship as its own, an index that stands in the
/// model twice.
@Suite(.damagesStores("inverses that do not answer, whose columns the checker names otherwise"))
struct UnansweredInverseTests {
  private typealias World = FetchTestWorld

  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Album",
      properties: [
        World.attribute("title", .string), World.toMany("songs", "Song", inverse: "album"),
        World.toMany("hits", "Song", inverse: "album"), World.toMany("fans", "Person", inverse: "albums"),
        World.toMany("critics", "Person", inverse: "albums"),
      ]),
    EntityDescription(name: "Person", properties: [World.toMany("albums", "Album", inverse: "fans")]),
    EntityDescription(
      name: "Song",
      properties: [World.toOne("album", "Album", inverse: "songs"), World.toOne("origin", "Album", inverse: "songs")]),
  ])

  @Test("CD-3.1 CD-3.2 CD-3.3: a relationship is stored as if its inverse named it back")
  func layout() throws {
    let layout = try StoreLayout(model: Self.model)
    let song = try #require(layout.tables.first { $0.name.name == "ZSONG" })
    #expect(song.columns.map(\.name.name) == ["ZALBUM", "ZORIGIN"])
    #expect(layout.joinTables.map(\.name.name).sorted() == ["Z_1CRITICS", "Z_1FANS"])
    let album = try layout.existingEntity("Album")
    #expect(try layout.toMany("hits", of: album).inverse?.description.name == "album")
    #expect(try layout.toMany("critics", of: album).inverse == nil)
    guard case .toOne(let origin)? = try layout.existingEntity("Song").property(named: "origin") else {
      Issue.record("there is no relationship “origin”")
      return
    }
    #expect(origin.inverse == nil)
  }

  @Test("A program that reads whole objects gets the inverses that a save keeps in step, and properties by name")
  func storedEntities() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let album = try store.storedEntities.existingEntity("Album")
    #expect(album.properties.map(\.name) == ["critics", "fans", "hits", "songs", "title"])
    func relationship(_ name: String, of entity: StoreEntity) throws -> StoreRelationship {
      switch try store.storedEntities.property(name, of: entity) {
      case .toOne(let relationship), .toMany(let relationship): return relationship
      case .attribute: throw QueryError.wrongKind(property: name, entity: entity.name, expected: .toOne)
      }
    }
    let hits = try relationship("hits", of: album)
    #expect(hits.inverse?.name == "album" && hits.storage == .key)
    let critics = try relationship("critics", of: album)
    #expect(critics.inverse == nil && critics.storage == .listed)
    #expect(try relationship("origin", of: store.storedEntities.existingEntity("Song")).inverse == nil)
  }

  @Test("A store of such a model is made, opened with its own model and read")
  func store() throws {
    let folder = try TemporaryStore()
    func insert(_ store: PersistentStore, _ name: String) throws -> ObjectKey {
      var changes = ChangeSet()
      changes.insertions = [
        .init(entity: Int32(try store.layout.existingEntity(name).number), columns: [], source: StoreValuesRow())
      ]
      return try #require(try store.save(changes).inserted.first?.object)
    }
    let keys: [ObjectKey]
    do {
      let store = try PersistentStore.open(at: folder.url, model: Self.model)
      keys = [try insert(store, "Album"), try insert(store, "Person"), try insert(store, "Song")]
      var changes = ChangeSet()
      changes.relationshipChanges = [
        .init(
          owner: .existing(keys[0]), relationship: "critics", added: [.existing(keys[1])], removed: [], order: nil)
      ]
      changes.updates = ["album", "origin"].map { name in
        .init(
          object: keys[2], version: nil, columns: [ColumnSelection(entityName: "Song", propertyName: name)],
          changedProperties: [name], source: StoreValuesRow([name: .object(keys[0])]))
      }
      _ = try store.save(changes)
    }
    let store = try PersistentStore.open(at: folder.url)
    func members(_ name: String) throws -> [Int64] {
      let cursor = try store.related(to: ("Album", name), owners: [keys[0]], columns: [])
      var found: [Int64] = []
      while try cursor.next() { found.append(cursor.key) }
      return found
    }
    #expect(try members("critics") == [keys[1].key])
    #expect(try members("fans") == [])
    #expect(try members("hits") == [keys[2].key])
    #expect(try members("songs") == [keys[2].key])
  }

  @Test("CD-4: a fetch index that the model holds twice is made once")
  func repeatedIndex() throws {
    let index = FetchIndexDescription(name: "byTitle", elements: [.init(subject: .property("title"))])
    var entity = EntityDescription(
      name: "Note", properties: [World.attribute("title", .string)], fetchIndexes: [index, index])
    let folder = try TemporaryStore()
    _ = try PersistentStore.open(at: folder.url, model: ModelDescription(entities: [entity]))
    let layout = try PersistentStore.open(at: folder.url).layout
    #expect(try layout.indexes(of: layout.existingEntity("Note")).map(\.name.name) == ["Z_Note_byTitle"])
    entity.fetchIndexes[1].elements[0].isAscending = false
    let error = #expect(throws: StoreError.self) {
      try PersistentStore.open(at: TemporaryStore().url, model: ModelDescription(entities: [entity]))
    }
    // The message has the remedy of its cause, and no other.
    #expect(error?.description.components(separatedBy: " — ").count == 2, "\(error?.description ?? "")")
    #expect(error?.remedy != "correct the model")
  }
}
