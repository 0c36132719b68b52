import Foundation
import ManagedModel
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Opening stores that exist, with and without a given model.
struct OpenStoreTests {
  @Test("a given model may mention some of the store's entities; the others keep their tables and rows")
  func partialModel() throws {
    let (store, url) = try made(SampleModel.twoIslands)
    var partial = SampleModel.twoIslands
    partial.entities.removeAll { $0.name == "Note" }
    let opened = try PersistentStore.open(at: url, model: partial)
    #expect(opened.layout.entities.map(\.name) == ["Note", "Tag"])
    #expect(opened.layout.entity(named: "Tag")?.number == 2)
    _ = store
  }

  @Test("another model is refused with the entities and properties that differ")
  func otherModel() throws {
    let (_, url) = try made(SampleModel.library)
    var other = SampleModel.library
    other.entities[3].properties[0] = .attribute(AttributeDescription(name: "name", type: .integer16))
    other.entities.append(EntityDescription(name: "Shelv"))
    let message = failure { try PersistentStore.open(at: url, model: other) }
    #expect(message.contains(url.path))
    #expect(message.contains("entity “Genre”"))
    #expect(message.contains("property “name”"))
    #expect(message.contains("entity “Shelv” is not in the store (did you mean “Shelf”?)"))
  }

  @Test("hash-neutral differences of the given model do not matter")
  func neutralDifferences() throws {
    let (_, url) = try made(SampleModel.library)
    var other = SampleModel.library
    other.entities[0].className = "Other"
    other.entities[0].userInfo = ["key": .string("value")]
    _ = try PersistentStore.open(at: url, model: other)
  }

  @Test("VH-10: the given model's delete rules apply; other entities keep the store's, and the store keeps its model")
  func deleteRules() throws {
    let (_, url) = try made(SampleModel.library)
    let former = try StoreModel.read(url).model
    func rules(_ model: ModelDescription?, _ entityNames: Set<String>? = nil) throws -> [String: Int] {
      let layout = try StoreContents(try StoreFile(url), busyTimeout: .seconds(1))
        .layout(given: model, entityNames: entityNames, path: url.path)
      return Dictionary(
        uniqueKeysWithValues: layout.entities.flatMap { entity in
          entity.properties.compactMap { property -> (String, Int)? in
            switch property {
            case .attribute: nil
            case .toOne(let relationship):
              ("\(entity.name).\(relationship.description.name)", relationship.description.deleteRule.rawValue)
            case .toMany(let relationship):
              ("\(entity.name).\(relationship.description.name)", relationship.description.deleteRule.rawValue)
            }
          }
        })
    }
    var other = SampleModel.library
    for index in other.entities.indices {
      other.entities[index].properties = other.entities[index].properties.map { property in
        guard case .relationship(var relationship) = property else { return property }
        relationship.deleteRule = .deny
        return .relationship(relationship)
      }
    }
    let own = try rules(nil)
    #expect(!own.values.contains(3))
    #expect(Set(try rules(other).values) == [3])
    let genre = try rules(other, ["Genre"])
    #expect(genre.filter { $0.value == 3 }.keys.allSatisfy { $0.hasPrefix("Genre.") })
    #expect(genre["Genre.books"] == 3)
    _ = try PersistentStore.open(at: url, model: other)
    #expect(try StoreModel.read(url).model == former)
  }

  @Test("CD-1.4 VH-16: a store without a model in it opens with the whole model it was made with, and no other")
  func noCachedModel() throws {
    let (_, url) = try made(SampleModel.twoIslands)
    try PlainSQL.run(url, "DROP TABLE Z_MODELCACHE")
    #expect(failure { try PersistentStore.open(at: url) }.contains("no model of its own, and none was given"))
    var partial = SampleModel.twoIslands
    partial.entities.removeAll { $0.name == "Note" }
    #expect(failure { try PersistentStore.open(at: url, model: partial) }.contains("lacks “Note”"))
    #expect(try PersistentStore.open(at: url, model: SampleModel.twoIslands).layout.entities.count == 2)
  }

  @Test(
    "CD-9: columns are found by name where a migration appended them; additional ones are left alone",
    .damagesStores("a column of no property"))
  func appendedColumns() throws {
    let (_, url) = try made(SampleModel.twoIslands)
    try PlainSQL.run(
      url,
      """
      ALTER TABLE ZNOTE RENAME TO OLD; CREATE TABLE "ZNOTE" ( Z_OPT INTEGER, ZEXTRA BLOB, ZTEXT VARCHAR, Z_ENT INTEGER, \
      Z_PK INTEGER PRIMARY KEY ); DROP TABLE OLD
      """)
    let store = try PersistentStore.open(at: url)
    #expect(store.layout.entity(named: "Note")?.column(ofPath: "text") == "ZTEXT")
  }

  @Test(
    "a table or column that the model asks for and the store lacks is named",
    .damagesStores("tables and columns are taken away"))
  func missingColumns() throws {
    let (_, url) = try made(SampleModel.twoIslands)
    try PlainSQL.run(url, "ALTER TABLE ZNOTE RENAME COLUMN ZTEXT TO ZTEX")
    #expect(failure { try PersistentStore.open(at: url) }.contains("no column “ZTEXT” in table “ZNOTE”"))
    try PlainSQL.run(url, "DROP TABLE ZNOTE")
    #expect(failure { try PersistentStore.open(at: url) }.contains("no table “ZNOTE”"))
  }

  @Test("CD-3.3: which relationship names a join table within one entity is read from the store")
  func joinTableWithinOneEntity() throws {
    func person(_ first: String, _ second: String) -> RelationshipDescription {
      RelationshipDescription(name: first, destinationEntityName: "Person", inverseName: second, maximumCount: 0)
    }
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Person",
        properties: [.relationship(person("admires", "admirers")), .relationship(person("admirers", "admires"))])
    ])
    let (store, url) = try made(model)
    func side(_ store: PersistentStore, _ name: String) throws -> ToManyLayout.JoinSide {
      guard case .toMany(let relationship)? = store.layout.entity(named: "Person")?.property(named: name),
        case .joinTable(let side) = relationship.storage
      else { throw CancellationError() }
      return side
    }
    #expect(try side(store, "admires").table == "Z_1ADMIRES")
    #expect(try side(store, "admires").ownColumn == "Z_1ADMIRERS")
    try PlainSQL.run(url, "ALTER TABLE Z_1ADMIRES RENAME TO Z_1ADMIRERS")
    let renamed = try PersistentStore.open(at: url)
    #expect(try side(renamed, "admires").table == "Z_1ADMIRERS")
    #expect(try side(renamed, "admires").ownColumn == "Z_1ADMIRERS")
    #expect(try side(renamed, "admirers").ownColumn == "Z_1ADMIRES")
  }

  @Test(
    "opening and reading change no file of a real store, data in the log included",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: FixtureStores.withModel)
  func nothingChanges(_ name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let before = try FolderState(copy.folder)
    let store = try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: true))
    #expect(try FolderState(copy.folder) == before, "after opening")
    for entity in store.layout.entities {
      _ = try store.read { try $0.integer("SELECT count(*) FROM \(entity.table)") }
    }
    store.close()
    var after = try FolderState(copy.folder)
    after.files = after.files.filter { !$0.key.hasSuffix("-shm") }  // no data: an index of the log
    #expect(after == before, "after reading")
  }

  @Test("reading a store with a log leaves no file that was not there, unless somebody else has the store open")
  func logIndex() throws {
    let (writer, url) = try made(SampleModel.twoIslands)
    try writer.write { try $0.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION") }
    let place = try TemporaryStore()
    // What a process that was killed leaves behind, without the index of the log.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: place.url.path + suffix)
    }
    let before = try FolderState(place.folder)
    func read() throws -> PersistentStore {
      let store = try PersistentStore.open(at: place.url, options: StoreOptions(isReadOnly: true))
      #expect(try store.read { try $0.integer("SELECT count(*) FROM ZNOTE") } == 0)
      return store
    }
    try read().close()
    #expect(try FolderState(place.folder) == before)
    try StoreFile(place.url).withReader { connection, _ in _ = try connection.integer("SELECT 1 FROM ZNOTE") }
    #expect(try FolderState(place.folder) == before)
    let (first, second) = (try read(), try read())
    first.close()
    #expect(FileManager.default.fileExists(atPath: place.url.path + "-shm"))
    #expect(try second.read { try $0.integer("SELECT count(*) FROM ZNOTE") } == 0)
    second.close()
    writer.close()
  }

  @Test("a store opened for reading only refuses to write")
  func readOnly() throws {
    let (_, url) = try made(SampleModel.twoIslands)
    let store = try PersistentStore.open(at: url, options: StoreOptions(isReadOnly: true))
    #expect(failure { try store.write { try $0.execute("DELETE FROM ZNOTE") } }.contains("for reading only"))
    #expect(throws: SQLiteError.self) { try store.read { try $0.execute("DELETE FROM ZNOTE") } }
  }

  @Test(
    "readers see what is committed while a write is under way, and the write when it is done",
    .damagesStores("rows by plain SQL, without the counter of keys"))
  func readsDuringWrites() throws {
    let (store, _) = try made(SampleModel.twoIslands)
    func count() throws -> Int64? { try store.read { try $0.integer("SELECT count(*) FROM ZNOTE") } }
    try store.write { connection in
      try connection.execute("INSERT INTO ZNOTE (Z_PK) VALUES (1)")
      #expect(try count() == 0)
    }
    #expect(try count() == 1)
  }

  @Test(
    "CD-8: values that triggers of derived attributes change are kept by the store itself",
    .damagesStores("rows by plain SQL, without the counter of keys"))
  func derivedAttributes() throws {
    let count = AttributeDescription(
      name: "count", type: .integer64, isOptional: true, isReadOnly: true, derivation: .init(expression: "books.@count")
    )
    let shelf = AttributeDescription(
      name: "shelfName", type: .string, isOptional: true, isReadOnly: true, derivation: .init(expression: "shelf.name"))
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Shelf",
        properties: [
          .attribute(count), .attribute(AttributeDescription(name: "name", type: .string)),
          .relationship(
            RelationshipDescription(name: "books", destinationEntityName: "Book", inverseName: "shelf", maximumCount: 0)
          ),
        ]),
      EntityDescription(
        name: "Book",
        properties: [
          .attribute(shelf),
          .relationship(
            RelationshipDescription(name: "shelf", destinationEntityName: "Shelf", inverseName: "books")),
        ]),
    ])
    let (store, _) = try made(model)
    func value(_ query: String) throws -> String? { try store.read { try $0.text(query) } }
    try store.write {
      try $0.execute("INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'top')")
      try $0.execute(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (1, 1, 1, 1), (2, 1, 1, 1), (3, 1, 1, NULL)")
    }
    #expect(try value("SELECT ZCOUNT FROM ZSHELF") == "2")
    #expect(try value("SELECT ZSHELFNAME FROM ZBOOK WHERE Z_PK = 1") == "top")
    try store.write {
      try $0.execute("UPDATE ZSHELF SET ZNAME = 'low'")
      try $0.execute("UPDATE ZBOOK SET ZSHELF = 1 WHERE Z_PK = 3")
      try $0.execute("DELETE FROM ZBOOK WHERE Z_PK = 1")
    }
    #expect(try value("SELECT ZCOUNT FROM ZSHELF") == "2")
    #expect(try value("SELECT ZSHELFNAME FROM ZBOOK WHERE Z_PK = 3") == "low")
  }

  private func made(_ model: ModelDescription) throws -> (PersistentStore, URL) {
    let folder = try TemporaryStore()
    keeper.folders.append(folder)
    let store = try PersistentStore.open(at: folder.url, model: model)
    return (store, folder.url)
  }

  private let keeper = Keeper()

  /// Keeps the folders of a test until it ends.
  private final class Keeper {
    var folders: [TemporaryStore] = []
  }
}

/// The message of what `body` throws; empty if it does not.
func failure(_ body: () throws -> some Any) -> String {
  do {
    _ = try body()
    return ""
  } catch { return "\(error)" }
}

/// Names and contents of the files of a folder.
struct FolderState: Equatable {
  var files: [String: Data] = [:]

  init(_ folder: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appendingPathComponent(name).path
      files[name] = FileManager.default.contents(atPath: path) ?? Data()
    }
  }
}
