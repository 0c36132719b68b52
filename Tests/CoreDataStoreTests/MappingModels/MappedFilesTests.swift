import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

@Suite("Files of big values in a mapping model") struct MappedFilesTests {
  private func images(_ store: PersistentStore, _ entity: String, _ property: String) throws -> [StoreValue] {
    try store.rows(of: entity, properties: [property]).compactMap(\.last)
  }

  @Test("Each row has a file of its own for each big value, and files of rows left behind are removed")
  func ownFiles() throws {
    let folder = try MappedAlbum.template()
    try MappedAlbum.migrate(folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    let found = try MappedAlbum.files(store)
    #expect(found.references == 8 && found.fileCount == 8)
    #expect(found.missing.isEmpty && found.unreferenced.isEmpty)
    let pictures = [1, 2].map { StoreValue.blob(ExternalDataWorld.big($0)) }
    #expect(try images(store, "Photo", "image") == pictures)
    #expect(try images(store, "Photo", "copy") == pictures)
    #expect(try images(store, "Photo", "cover") == [.blob(ExternalDataWorld.big(9)), .blob(ExternalDataWorld.big(9))])
    // A deletion takes the files of its row only.
    try store.save(deleting: "Photo", 1)
    #expect(try images(store, "Thumb", "image") == pictures)
    #expect(try images(store, "Photo", "cover") == [.blob(ExternalDataWorld.big(9))])
    #expect(try MappedAlbum.files(store).missing.isEmpty)
    store.close()
    try Oracle.expectSound(folder.url)
  }

  @Test("Files of another store in the same folder stay, also those that both stores name")
  func sharedFolder() throws {
    let folder = try MappedAlbum.template()
    // Stores whose names differ in the extension only have one folder.
    _ = try MappedAlbum.template(name: "Album.sqlite", in: folder.folder)
    let copy = folder.folder.appendingPathComponent("Album.db")
    try FileManager.default.copyItem(at: folder.url, to: copy)
    try MappedAlbum.migrate(folder.url)
    for url in [folder.folder.appendingPathComponent("Album.sqlite"), copy] {
      let other = try PersistentStore.open(at: url)
      defer { other.close() }
      #expect(try MappedAlbum.files(other).missing.isEmpty)
      #expect(try images(other, "Picture", "image").count == 3)
    }
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    #expect(try MappedAlbum.files(store).missing.isEmpty)
  }
}

extension PersistentStore {
  fileprivate func save(deleting entity: String, _ key: Int64) throws {
    var changes = ChangeSet()
    changes.deletions = [
      .init(object: ObjectKey(entity: Int32(layout.entity(named: entity)?.number ?? 0), key: key), version: 1)
    ]
    _ = try save(changes)
  }
}
