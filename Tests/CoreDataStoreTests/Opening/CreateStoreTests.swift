import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Fresh stores: their layout, file and bookkeeping.
struct CreateStoreTests {
  @Test(
    "CD-1 … CD-7: a fresh store made from the model of a real store passes the independent checker",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: RealStore.written)
  func freshFromFixture(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let model = try row.open(copy).layout.model
    let fresh = try TemporaryStore()
    try PersistentStore.open(at: fresh.url, model: model).close()
    try Oracle.expectSound(fresh.url, fresh: true)
  }

  @Test("CD-1.1 CD-1.2 CD-1.3: a fresh store has its bookkeeping, and reopens by its own model")
  func bookkeeping() throws {
    let fresh = try TemporaryStore()
    let model = SampleModel.library
    let identifier = UUID()
    let store = try PersistentStore.open(
      at: fresh.url, options: StoreOptions(identifier: identifier), model: model)
    #expect(store.identifier == identifier.uuidString)
    let keys = try store.read { try PrimaryKeys($0) }.rows
    #expect(keys.map(\.name) == ["Book", "Novel", "Genre", "Shelf"])
    #expect(keys.map(\.superentityNumber) == [0, 1, 0, 0])
    #expect(keys.map(\.maximum) == [0, 0, 0, 0])
    store.close()
    let again = try PersistentStore.open(at: fresh.url)
    #expect(again.identifier == identifier.uuidString)
    #expect(again.metadata.hashes == (try VersionHashes(model)))
    #expect(again.metadata.digest == again.metadata.hashes.digest)
    #expect(again.metadata.checksum == again.metadata.hashes.checksum)
    #expect(again.metadata.frameworkVersion >= 1518)
    #expect(again.metadata.versionIdentifiers == ["1.0.0"])
    #expect(again.layout.entities.map(\.name) == store.layout.entities.map(\.name))
  }

  @Test("CD-1.5: page size, auto-vacuum, log, versions and encoding of a fresh file")
  func fileHeader() throws {
    let fresh = try TemporaryStore()
    try PersistentStore.open(at: fresh.url, model: SampleModel.library).close()
    let header = try Data(contentsOf: fresh.url).prefix(100)
    #expect(header[16] == 0x10 && header[17] == 0, "page size 4096")
    #expect(header[18] == 2 && header[19] == 2, "write-ahead log")
    #expect(header[20] == 0, "reserved bytes")
    let connection = try Connection(path: fresh.url.path, mode: .immutable)
    #expect(try connection.pragma("auto_vacuum") == "2")
    #expect(try connection.pragma("encoding") == "UTF-8")
    #expect(try connection.pragma("user_version") == "0")
    #expect(try connection.pragma("application_id") == "0")
  }

  @Test(
    "one file is all that a closed fresh store leaves in its folder",
    .damagesStores("rows by plain SQL, without the counter of keys"))
  func nothingBeside() throws {
    let fresh = try TemporaryStore()
    let store = try PersistentStore.open(at: fresh.url, model: SampleModel.library)
    try store.write { try $0.execute("INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1)") }
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.folder.path) == ["default.store"])
  }

  @Test("a store in memory has the tables of one on disk")
  func inMemory() throws {
    let fresh = try TemporaryStore()
    let disk = try PersistentStore.open(at: fresh.url, model: SampleModel.library)
    let memory = try PersistentStore.inMemory(model: SampleModel.library)
    #expect(try memory.read { try Catalogue($0) } == disk.read { try Catalogue($0) })
    try memory.write { try $0.execute("INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1)") }
    #expect(try memory.read { try $0.integer("SELECT count(*) FROM ZGENRE") } == 1)
    #expect(memory.url == nil)
  }

  @Test("a store of a configuration holds its entities only")
  func configuration() throws {
    let fresh = try TemporaryStore()
    let store = try PersistentStore.open(
      at: fresh.url, options: StoreOptions(entityNames: ["Tag"]), model: SampleModel.twoIslands)
    #expect(store.layout.entities.map(\.name) == ["Tag"])
    store.close()
    #expect(try PersistentStore.open(at: fresh.url).layout.entities.map(\.name) == ["Tag"])
  }

  @Test(
    "names that are no plain SQL are quoted wherever they stand",
    .damagesStores("names that the checker does not quote"))
  func hostileNames() throws {
    let name = "x\" ( Z INTEGER ); DROP TABLE Z_METADATA; --"
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "A b", properties: [.attribute(AttributeDescription(name: name, type: .string))],
        uniquenessConstraints: [[name]])
    ])
    let fresh = try TemporaryStore()
    try PersistentStore.open(at: fresh.url, model: model).close()
    let store = try PersistentStore.open(at: fresh.url)
    let entity = try #require(store.layout.entity(named: "A b"))
    let column = try #require(entity.column(ofPath: name))
    try store.write { connection in
      let statement = try connection.statement("INSERT INTO \(entity.table) (\(column)) VALUES (?)")
      try statement.bind("value", at: 1)
      try statement.run()
    }
    #expect(try store.read { try $0.text("SELECT \(column) FROM \(entity.table)") } == "value")
  }

  @Test(
    "writes in one transaction are undone together, and writes within writes alone",
    .damagesStores("rows by plain SQL, without the counter of keys"))
  func transactions() throws {
    struct Stop: Error {}
    let fresh = try TemporaryStore()
    let store = try PersistentStore.open(at: fresh.url, model: SampleModel.library)
    #expect(throws: Stop.self) {
      try store.write { connection in
        try connection.execute("INSERT INTO ZGENRE (Z_PK) VALUES (1)")
        throw Stop()
      }
    }
    #expect(try store.read { try $0.integer("SELECT count(*) FROM ZGENRE") } == 0)
    try store.write { connection in
      try connection.execute("INSERT INTO ZGENRE (Z_PK) VALUES (1)")
      try? store.write { inner in
        try inner.execute("INSERT INTO ZGENRE (Z_PK) VALUES (2)")
        throw Stop()
      }
    }
    #expect(try store.read { try $0.integer("SELECT count(*) FROM ZGENRE") } == 1)
  }

  @Test("a cursor over a store in memory may be closed by another thread, and the store is free then")
  func memoryCursor() async throws {
    struct Handover: @unchecked Sendable { let cursor: RowCursor }
    let memory = try PersistentStore.inMemory(model: SampleModel.library)
    try memory.write { try $0.execute("INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 3, 1)") }
    let handover = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let cursor = try memory.fetch(FetchRequest(entityName: "Genre"))
            _ = try cursor.next()
            return Handover(cursor: cursor)
          })
      }
    }
    #expect(memory.lock.isHeld)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        handover.cursor.close()
        continuation.resume()
      }
    }
    try #require(!memory.lock.isHeld)
    #expect(try memory.count(FetchRequest(entityName: "Genre")) == 2)
  }
}
