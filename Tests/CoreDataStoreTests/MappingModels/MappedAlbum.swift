import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A store with big values in files, and a mapping model that gives one value to several rows and leaves a row behind.
enum MappedAlbum {
  static let source = MappingWorld.model(
    EntityDescription(
      name: "Album",
      properties: [
        MappingWorld.attribute("cover", .binary, isExternal: true),
        MappingWorld.relationship("pictures", "Picture", "album", toMany: true),
      ]),
    EntityDescription(
      name: "Picture",
      properties: [
        MappingWorld.attribute("image", .binary, isExternal: true), MappingWorld.attribute("isKept", .boolean),
        MappingWorld.relationship("album", "Album", "pictures"),
      ]))

  static let destination = MappingWorld.model(
    EntityDescription(
      name: "Photo",
      properties: ["copy", "cover", "image"].map { MappingWorld.attribute($0, .binary, isExternal: true) }),
    EntityDescription(name: "Thumb", properties: [MappingWorld.attribute("image", .binary, isExternal: true)]))

  static let mapping = MappingModel(
    name: "Photos",
    entityMappings: [
      EntityMapping(
        name: "Photos", sourceEntityName: "Picture", destinationEntityName: "Photo", sourceFilter: "isKept == YES",
        attributeMappings: [
          MappingWorld.expression("copy", "$source.image"), MappingWorld.expression("cover", "$source.album.cover"),
          MappingWorld.expression("image", "$source.image"),
        ]),
      EntityMapping(
        name: "Thumbs", sourceEntityName: "Picture", destinationEntityName: "Thumb", sourceFilter: "isKept == YES",
        attributeMappings: [MappingWorld.expression("image", "$source.image")]),
    ])

  static func migrate(_ url: URL) throws {
    try PersistentStore.migrate(at: url, by: mapping, from: source, to: destination)
  }

  /// An album with a big cover, two pictures that the mapping keeps, and one that it leaves behind.
  static func template(name: String = "Album.store", in folder: URL? = nil) throws -> TemporaryStore {
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

  /// A copy of the store that the mapping model has migrated.
  static func migratedCopy(_ url: URL) throws -> WorkingCopy {
    let copy = try WorkingCopy(of: url, busyTimeout: .zero)
    try PersistentStore.migrateCopy(at: copy.url, by: mapping, from: source, to: destination)
    return copy
  }

  /// Whether the store is the migrated one, and its files that are missing or too many. Its rows and values have to be those of the one or the other.
  static func state(_ url: URL, _ comment: Comment) throws -> (isNew: Bool, missing: [String], unreferenced: [String]) {
    let store = try PersistentStore.open(at: url)
    defer { store.close() }
    let isNew = store.layout.entity(named: "Photo") != nil
    func values(_ entity: String, _ property: String) throws -> [StoreValue] {
      try store.rows(of: entity, properties: [property]).compactMap(\.last)
    }
    func images(_ seeds: UInt8...) -> [StoreValue] { seeds.map { .blob(ExternalDataWorld.big($0)) } }
    if isNew {
      #expect(try values("Photo", "image") == images(1, 2), comment)
      #expect(try values("Photo", "copy") == images(1, 2), comment)
      #expect(try values("Photo", "cover") == images(9, 9), comment)
      #expect(try values("Thumb", "image") == images(1, 2), comment)
    } else {
      #expect(try values("Picture", "image") == images(1, 2, 3), comment)
      #expect(try values("Album", "cover") == images(9), comment)
    }
    let files = try files(store)
    store.close()
    try Oracle.expectSound(url, comment)
    return (isNew, files.missing, files.unreferenced)
  }

  static func files(_ store: PersistentStore) throws -> ExternalFiles {
    try store.read { try ExternalFiles($0, store.layout.externalColumns, folder: try #require(store.externalData)) }
  }
}
