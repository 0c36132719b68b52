import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// The stores of ``RealStore/all`` are read in full. Those of ``RealStore/written`` are changed in every way that their
/// model allows.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct RealStoresTests {
  @Test("the table lists every fixture store, and each once")
  func tableIsComplete() {
    #expect(RealStore.all.map(\.name).sorted() == FixtureStores.all)
  }

  @Test(
    "CD-1.4 VH-16: a store without a model is refused without one, and opens with the one it was made with",
    arguments: RealStore.all.filter { if case .given = $0.model { true } else { false } })
  func withoutModel(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let error = #expect(throws: StoreError.self) { try PersistentStore.open(at: copy.url) }
    #expect(
      error?.description
        == "the store at “\(copy.url.path)” carries no model of its own, and none was given — give the model it was made with"
    )
    let store = try row.open(copy)
    #expect(try store.metadata.hashes == VersionHashes(store.layout.model))
  }

  @Test(
    "CD-2 CD-3 CD-5: every row, value and relationship is what plain SQL says; reading leaves every file as it is",
    arguments: RealStore.all)
  func reading(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let before = try FolderState(copy.folder)
    let oracle = try row.untouched()
    let store = try row.open(copy, isReadOnly: true)
    #expect(store.layout.entities.count == row.entities && store.metadata.frameworkVersion == row.framework)
    let features = try RealStore.features(of: store)
    #expect(features == row.features)
    var reader = try RealStoresReader(store, copy)
    #expect(oracle.entities.map(\.name).sorted() == store.layout.entities.map(\.name).sorted())
    for entity in oracle.entities { try reader.compare(entity) }
    #expect(reader.rowCount == row.rows)
    store.close()
    var after = try FolderState(copy.folder)
    after.files = after.files.filter { !$0.key.hasSuffix("-shm") }  // no data: an index of the log
    #expect(after == before)
    print("\(row.name): read \(reader.summary)")
  }

  @Test(
    "CD-3 CD-5 CD-6 CD-7: objects of every entity come, change and go, with every relationship, and all else stays",
    arguments: RealStore.written)
  func changing(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let before = try row.untouched()
    let state = try RealStoresState(copy.url)
    let store = try row.open(copy)
    var changes = try RealStoresChanges(store)
    var counts = RealStoresCounts()
    let steps: [(String, (inout RealStoresChanges) -> Void)] = [
      ("insert", { $0.insertEverywhere() }), ("link", { $0.linkEverything() }),
      ("change", { $0.changeEverywhere() }), ("delete", { $0.deleteEverywhere() }),
    ]
    for (name, step) in steps {
      let objects = changes.editor.graph.objects
      step(&changes)
      let result = try changes.save(to: store)
      #expect(result.merged.isEmpty)
      counts.add(result, from: objects, to: changes.editor.graph.objects)
      // The comparison at the end finds the same differences, but not the change that caused them.
      if FullTests.areWanted {
        let differences = try RealStoresGraph(store)
          .differences(from: changes.editor.graph, in: store.layout, ignoring: state.writtenByTriggers(store.layout))
        #expect(differences == [], "after \(name)")
      }
    }
    store.close()

    let again = try row.open(copy)
    let differences = try RealStoresGraph(again)
      .differences(from: changes.editor.graph, in: again.layout, ignoring: state.writtenByTriggers(again.layout))
    #expect(differences == [], "after reopening")
    again.close()
    try state.expectUnchanged(in: copy.url, counts)
    let after = try row.oracle(copy.url)
    #expect(after.failures == before.failures)
    #expect(Set(after.warnings).subtracting(before.warnings) == [])
    print("\(row.name): \(store.layout.entities.count { !$0.isAbstract }) concrete entities, \(counts)")
  }

  @Test(
    "CD-8: tables, indexes and views of the application's own stay as they are, and so do its keys in the metadata",
    arguments: RealStore.all.filter { $0.name.contains("SampleModel_V1") || $0.name.contains("store2-99-0") })
  func applicationsOwn(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let table = try #require(try row.open(copy, isReadOnly: true).layout.tables.first).name
    for statement in [
      "CREATE TABLE APPLICATION (KEY TEXT PRIMARY KEY, VALUE BLOB) WITHOUT ROWID",
      "INSERT INTO APPLICATION VALUES ('a', x'00FF'), ('b', NULL)", "CREATE TABLE \"own notes\" (\"a b\")",
      "INSERT INTO \"own notes\" VALUES (1.5), ('two')", "CREATE INDEX OWN_INDEX ON \(table) (Z_OPT, Z_ENT)",
      "CREATE VIEW OWN_VIEW AS SELECT Z_PK FROM \(table)",
    ] {
      _ = try PlainSQL.rows(copy.url, statement)
    }
    let state = try RealStoresState(copy.url)
    let store = try row.open(copy)
    let key = "application's own"
    let list = try store.metadata.propertyList(setting: [key: "value"])
    try store.write { connection in
      let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
      try statement.bind(list, at: 1)
      try statement.run()
    }
    var changes = try RealStoresChanges(store)
    changes.insertEverywhere()
    _ = try changes.save(to: store)
    changes.changeEverywhere()
    _ = try changes.save(to: store)
    store.close()
    try state.expectForeignUnchanged(in: copy.url)
    let metadata = try row.open(copy, isReadOnly: true).metadata
    let entries = try PropertyListSerialization.propertyList(from: metadata.propertyList, format: nil) as? [String: Any]
    let before = try PropertyListSerialization.propertyList(from: store.metadata.propertyList, format: nil)
    #expect(entries?[key] as? String == "value")
    #expect(entries?.count == (before as? [String: Any]).map { $0.count + 1 })
  }
}

extension RealStore {
  func open(_ copy: TemporaryStore, isReadOnly: Bool = false) throws -> PersistentStore {
    try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: isReadOnly), model: givenModel())
  }
}

/// What was done to a store.
struct RealStoresCounts: CustomStringConvertible {
  var inserted = 0
  var updated = 0
  var deleted = 0
  var links = 0

  mutating func add(
    _ result: SaveResult, from old: [ObjectKey: RealStoresGraph.Object], to new: [ObjectKey: RealStoresGraph.Object]
  ) {
    inserted += result.inserted.count
    updated += result.updatedVersions.count + result.moved.count
    deleted += old.keys.count { new[$0] == nil }
    for (key, object) in new {
      let before = old[key]
      links += object.toOne.count { before?.toOne[$0.key] != $0.value }
      links += object.toMany.count { (before?.toMany[$0.key] ?? []) != $0.value }
    }
  }

  var description: String {
    "\(inserted) inserted, \(updated) updated, \(deleted) deleted, \(links) relationships changed"
  }
}
