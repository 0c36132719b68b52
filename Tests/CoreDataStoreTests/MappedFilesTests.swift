import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

@Suite("Files of big values in a mapping model") struct MappedFilesTests {
  private typealias World = MappingWorld

  private static let source = World.model(
    EntityDescription(
      name: "Album",
      properties: [
        World.attribute("cover", .binary, isExternal: true),
        World.relationship("pictures", "Picture", "album", toMany: true),
      ]),
    EntityDescription(
      name: "Picture",
      properties: [
        World.attribute("image", .binary, isExternal: true), World.attribute("isKept", .boolean),
        World.relationship("album", "Album", "pictures"),
      ]))

  private static let destination = World.model(
    EntityDescription(
      name: "Photo",
      properties: ["copy", "cover", "image"].map { World.attribute($0, .binary, isExternal: true) }),
    EntityDescription(name: "Thumb", properties: [World.attribute("image", .binary, isExternal: true)]))

  private static let mapping = MappingModel(
    name: "Photos",
    entityMappings: [
      EntityMapping(
        name: "Photos", sourceEntityName: "Picture", destinationEntityName: "Photo", sourceFilter: "isKept == YES",
        attributeMappings: [
          World.expression("copy", "$source.image"), World.expression("cover", "$source.album.cover"),
          World.expression("image", "$source.image"),
        ]),
      EntityMapping(
        name: "Thumbs", sourceEntityName: "Picture", destinationEntityName: "Thumb", sourceFilter: "isKept == YES",
        attributeMappings: [World.expression("image", "$source.image")]),
    ])

  private static func migrate(_ url: URL) throws {
    try PersistentStore.migrate(at: url, by: mapping, from: source, to: destination)
  }

  /// An album with a big cover, two pictures that the mapping keeps, and one that it leaves behind.
  private func filled(name: String = "Album.store", in folder: URL? = nil) throws -> TemporaryStore {
    let store = try TemporaryStore(name: name)
    let url = folder?.appendingPathComponent(name) ?? store.url
    let made = try PersistentStore.open(at: url, model: Self.source)
    defer { made.close() }
    try made.write { connection in
      for (number, isKept) in [(1, 1), (2, 1), (3, 0)] {
        let insert = try connection.prepare(
          "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZISKEPT, ZALBUM, ZIMAGE) "
            + "VALUES (\(number), 2, 1, \(isKept), 1, \(ExternalDataWriter.sql("?1", replacing: nil)))")
        try insert.bind(ExternalDataWorld.big(UInt8(number)), at: 1)
        try insert.run()
      }
      let insert = try connection.prepare(
        "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZCOVER) VALUES (1, 1, 1, \(ExternalDataWriter.sql("?1", replacing: nil)))"
      )
      try insert.bind(ExternalDataWorld.big(9), at: 1)
      try insert.run()
      try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 3")
    }
    return store
  }

  private func files(_ store: PersistentStore) throws -> ExternalFiles {
    try store.read { try ExternalFiles($0, store.layout.externalColumns, folder: try #require(store.externalData)) }
  }

  private func images(_ store: PersistentStore, _ entity: String, _ property: String) throws -> [StoreValue] {
    try store.rows(of: entity, properties: [property]).compactMap(\.last)
  }

  @Test("Each row has a file of its own for each big value, and files of rows left behind are removed")
  func ownFiles() throws {
    let folder = try filled()
    try Self.migrate(folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    let found = try files(store)
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
    #expect(try files(store).missing.isEmpty)
    store.close()
    let check = try Oracle.checkStore(folder.url)
    #expect(check.status == 0, "\(check.output)")
  }

  @Test("Files of another store in the same folder stay, also those that both stores name")
  func sharedFolder() throws {
    let folder = try filled()
    // Stores whose names differ in the extension only have one folder.
    _ = try filled(name: "Album.sqlite", in: folder.folder)
    let copy = folder.folder.appendingPathComponent("Album.db")
    try FileManager.default.copyItem(at: folder.url, to: copy)
    try Self.migrate(folder.url)
    for url in [folder.folder.appendingPathComponent("Album.sqlite"), copy] {
      let other = try PersistentStore.open(at: url)
      defer { other.close() }
      #expect(try files(other).missing.isEmpty)
      #expect(try images(other, "Picture", "image").count == 3)
    }
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    #expect(try files(store).missing.isEmpty)
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
