import Foundation
import ManagedModel
import ModelArchive
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore

@Suite("A store's own model")
struct StoreModelTests {
  private static let model = ModelDescription(
    entities: [
      EntityDescription(name: "Book", properties: [.attribute(AttributeDescription(name: "title", type: .string))])
    ], versionIdentifiers: ["2"])

  private static let otherModel = ModelDescription(entities: [EntityDescription(name: "Book")])

  /// A store with everything in its main file.
  private func store(_ model: ModelDescription = Self.model) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try PersistentStore.open(at: store.url, model: model).close()
    return store
  }

  private func state(_ store: TemporaryStore) throws -> [String: Data] {
    var state: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.path) {
      state[name] = try Data(contentsOf: store.folder.appendingPathComponent(name))
    }
    return state
  }

  @Test("It is read with the metadata, and nothing appears beside the store")
  func plain() throws {
    let store = try store()
    let before = try state(store)
    let read = try StoreModel.read(store.url)
    #expect(read.model == Self.model)
    #expect(read.metadata.versionIdentifiers == ["2"])
    #expect(read.differingEntities == [])
    #expect(try state(store) == before)
  }

  @Test(
    "What waits in a log is read too, and neither the store nor the log changes",
    .damagesStores("a model is changed by hand"))
  func log() throws {
    let store = try store()
    let writer = try Connection(path: store.url.path, mode: .readWrite)
    try writer.setPragma("journal_mode", "WAL")
    try writer.keepWriteAheadLogOnClose()
    let archive = try ModelArchive.encodeModelCache(Self.otherModel)
    let hexadecimal = archive.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    try writer.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hexadecimal)'")
    writer.close()
    for companion in ["-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + companion) }
    let before = try state(store)
    #expect((before["default.store-wal"]?.count ?? 0) > 0)
    let read = try StoreModel.read(store.url)
    #expect(read.model == Self.otherModel)
    #expect(read.differingEntities == ["Book"])
    #expect(try state(store) == before)
  }

  @Test("A journal that a crash left behind is played back in a copy only")
  func journal() throws {
    let store = try store()
    let writer = try Connection(path: store.url.path, mode: .readWrite)
    try writer.setPragma("journal_mode", "DELETE")
    try writer.setPragma("cache_size", "1")
    let before = try Data(contentsOf: store.url)
    try writer.execute("BEGIN; CREATE TABLE filler (x); UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
    for _ in 0..<20 { try writer.execute("INSERT INTO filler VALUES (zeroblob(4000))") }
    // The files as a crash at this moment leaves them.
    let crashed = try TemporaryStore()
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: crashed.url.path + suffix)
    }
    writer.close()
    let crash = try state(crashed)
    #expect(crash["default.store"] != before)
    #expect(try StoreModel.read(crashed.url).model == Self.model)
    #expect(try state(crashed) == crash)
  }

  @Test(
    "A store that another connection has open is read as it is committed",
    .damagesStores("rows by plain SQL, without the counter of keys"))
  func shared() throws {
    let store = try store()
    let opened = try PersistentStore.open(at: store.url)
    defer { opened.close() }
    let writer = try Connection(path: store.url.path, mode: .readWrite)
    try writer.execute("BEGIN; INSERT INTO ZBOOK (Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 'a'); COMMIT")
    #expect(try StoreModel.read(store.url).model == Self.model)
    #expect(try writer.integer("SELECT count(*) FROM ZBOOK") == 1)
    writer.close()
  }

  @Test(
    "VH-16: a store without a model, or with none that can be read, is an error that says so",
    .damagesStores("models that cannot be read"))
  func withoutModel() throws {
    for (change, expected) in [
      ("DROP TABLE Z_MODELCACHE", "carries no model of its own"), ("DELETE FROM Z_MODELCACHE", "carries no model"),
      ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'", "carries a model that cannot be read"),
      ("UPDATE Z_METADATA SET Z_PLIST = x'00'", "has unusable metadata"),
      ("DROP TABLE Z_METADATA", "but no Core Data store"),
    ] {
      let store = try store()
      let writer = try Connection(path: store.url.path, mode: .readWrite)
      try writer.execute(change)
      writer.close()
      #expect { try StoreModel.read(store.url) } throws: { error in
        (error as? StoreError)?.problem.contains(expected) == true && (error as? StoreError)?.remedy?.isEmpty == false
      }
    }
    let missing = try TemporaryStore()
    #expect(throws: StoreError.self) { try StoreModel.read(missing.url) }
    #expect(try state(missing).isEmpty)
  }
}
