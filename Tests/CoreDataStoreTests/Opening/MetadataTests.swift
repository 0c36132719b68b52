import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Z_METADATA beyond what opening and creating prove.
struct MetadataTests {
  @Test("CD-1.3: setting an entry keeps the keys of applications, with their types")
  func unknownKeys() throws {
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands).close()
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    let own: [String: Any] = ["PLModelVersion": 17120, "ratio": 0.5, "flag": true, "list": ["a", Data([1])]]
    let plist = try StoreMetadata(connection).propertyList
    var entries = try entries(plist)
    entries.merge(own) { $1 }
    let write = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try write.bind(try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0), at: 1)
    try write.run()

    let changed = try StoreMetadata(connection).propertyList(setting: [
      StoreMetadata.Key.versionIdentifiers: ["2.0.0"], "ratio": nil,
    ])
    var expected = entries
    expected[StoreMetadata.Key.versionIdentifiers] = ["2.0.0"]
    expected["ratio"] = nil
    #expect(changed.starts(with: Data("bplist00".utf8)))
    #expect(NSDictionary(dictionary: try self.entries(changed)) == NSDictionary(dictionary: expected))
  }

  @Test("CD-1.3 VH-12: the keys and types of a fresh store")
  func freshKeys() throws {
    let entries = try entries(try StoreMetadata(model: SampleModel.library).propertyList)
    #expect(
      entries.keys.sorted() == [
        "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionChecksumKey",
        "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest", "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionIdentifiers", "NSStoreType", "_NSAutoVacuumLevel",
      ])
    #expect(entries["_NSAutoVacuumLevel"] as? String == "2")
    #expect(entries["NSStoreType"] as? String == "SQLite")
    #expect(entries["NSStoreModelVersionHashesVersion"] as? Int == 3)
    #expect((entries["NSStoreModelVersionHashes"] as? [String: Data])?.values.allSatisfy { $0.count == 32 } == true)
  }

  @Test(
    "CD-1.3: our metadata of a model is, byte for byte, what the framework of the version that we claim wrote of it",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)),
    arguments: RealStore.all.filter { $0.framework == StoreMetadata.currentFrameworkVersion })
  func realBytes(_ real: RealStore) throws {
    let copy = try Fixtures.copyOfStore(real.name)
    let store = try PersistentStore.open(at: copy.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    #expect(try StoreMetadata(model: store.layout.model).propertyList == store.metadata.propertyList)
  }

  @Test(
    "CD-1.3: real stores have the hashes of their entities in the order of our dictionaries",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func realOrder() throws {
    // One framework of 2010 had another order.
    for real in RealStore.all where real.framework > 241 {
      let copy = try Fixtures.copyOfStore(real.name)
      guard case .blob(let bytes) = try PlainSQL.rows(copy.url, "SELECT Z_PLIST FROM Z_METADATA")[0][0] else {
        Issue.record("\(real.name) has no metadata")
        continue
      }
      let list = try BinaryPropertyList(bytes)
      func text(_ position: Int) -> String? { if case .string(let text) = list.objects[position] { text } else { nil } }
      guard case .dictionary(let keys, let values) = list.objects[list.top],
        let place = keys.firstIndex(where: { text($0) == StoreMetadata.Key.hashes }),
        case .dictionary(let names, _) = list.objects[values[place]]
      else {
        Issue.record("\(real.name) has no hashes")
        continue
      }
      let entities = names.compactMap(text)
      #expect(entities == DictionaryOrder.sorted(entities.sorted(by: codeUnitOrder)), "\(real.name)")
    }
  }

  private func entries(_ plist: Data) throws -> [String: Any] {
    try #require(try PropertyListSerialization.propertyList(from: plist, format: nil) as? [String: Any])
  }
}
