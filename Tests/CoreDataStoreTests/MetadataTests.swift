import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

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

  private func entries(_ plist: Data) throws -> [String: Any] {
    try #require(try PropertyListSerialization.propertyList(from: plist, format: nil) as? [String: Any])
  }
}
