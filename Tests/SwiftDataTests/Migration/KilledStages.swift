import Foundation
import SwiftData
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// Four versions of an album whose big values are in files, and a plan with a light stage, a stage with blocks, and a stage of both sides.
enum KilledStages: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self, V4.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: V1.self, toVersion: V2.self),
      .custom(
        fromVersion: V2.self, toVersion: V3.self,
        willMigrate: { context in
          for picture in try context.fetch(FetchDescriptor<V2.Picture>()) {
            // A big value is replaced, and a row goes with its file.
            if picture.number == 2 { picture.image = big(20) }
            if picture.number == 3 { context.delete(picture) }
          }
        },
        didMigrate: { $0.insert(V3.Note(text: "kept", attachment: big(30))) }),
      .sideBySide(fromVersion: V3.self, toVersion: V4.self) { old, new in
        let covers = try old.fetch(FetchDescriptor<V3.Album>()).map(\.cover)
        for album in try new.fetch(FetchDescriptor<V4.Album>()) { album.poster = covers.first ?? Data() }
      },
    ]
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Album.self, Picture.self] }

    @Model final class Album {
      @Attribute(.externalStorage) var cover: Data
      @Relationship(inverse: \Picture.album) var pictures: [Picture] = []
      init(cover: Data) { self.cover = cover }
    }

    @Model final class Picture {
      var number: Int
      @Attribute(.externalStorage) var image: Data
      var album: Album?
      init(number: Int, image: Data) { (self.number, self.image) = (number, image) }
    }
  }

  /// A class that gives the others new numbers, and a property.
  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Aardvark.self, Album.self, Picture.self] }

    @Model final class Aardvark {
      var name = ""
      init() {}
    }

    @Model final class Album {
      @Attribute(.externalStorage) var cover: Data
      @Relationship(inverse: \Picture.album) var pictures: [Picture] = []
      init(cover: Data) { self.cover = cover }
    }

    @Model final class Picture {
      var number: Int
      var caption = "none"
      @Attribute(.externalStorage) var image: Data
      var album: Album?
      init(number: Int, image: Data) { (self.number, self.image) = (number, image) }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Album.self, Note.self, Picture.self] }

    @Model final class Album {
      @Attribute(.externalStorage) var cover: Data
      @Relationship(inverse: \Picture.album) var pictures: [Picture] = []
      init(cover: Data) { self.cover = cover }
    }

    @Model final class Note {
      var text: String
      @Attribute(.externalStorage) var attachment: Data
      init(text: String, attachment: Data) { (self.text, self.attachment) = (text, attachment) }
    }

    @Model final class Picture {
      var number: Int
      var caption = "none"
      @Attribute(.externalStorage) var image: Data
      var album: Album?
      init(number: Int, image: Data) { (self.number, self.image) = (number, image) }
    }
  }

  enum V4: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Album.self, Note.self, Picture.self] }

    @Model final class Album {
      @Attribute(.externalStorage) var poster = Data()
      @Relationship(inverse: \Picture.album) var pictures: [Picture] = []
      init() {}
    }

    @Model final class Note {
      var text: String
      @Attribute(.externalStorage) var attachment: Data
      init(text: String, attachment: Data) { (self.text, self.attachment) = (text, attachment) }
    }

    @Model final class Picture {
      @Attribute(originalName: "number") var position: Int
      var caption = "none"
      @Attribute(.externalStorage) var image: Data
      var album: Album?
      init(position: Int, image: Data) { (self.position, self.image) = (position, image) }
    }
  }

  // MARK: The store

  static func big(_ seed: UInt8) -> Data { Data(repeating: seed, count: 140_000 + Int(seed)) }

  /// A container of the first version, as the old program opens it.
  static func old(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(versionedSchema: V1.self), configurations: [ModelConfiguration(url: url)])
  }

  /// A container of the last version, which migrates the store through the plan.
  static func migrated(_ url: URL, _ options: MigrationOptions = MigrationOptions()) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configuration.migration = options
    return try ModelContainer(
      for: Schema(versionedSchema: V4.self), migrationPlan: KilledStages.self, configurations: [configuration])
  }

  static func template() throws -> TemporaryStore {
    let place = try TemporaryStore(name: "Album.store")
    let context = ModelContext(try old(place.url))
    let album = V1.Album(cover: big(9))
    context.insert(album)
    for number in 1...3 {
      let picture = V1.Picture(number: number, image: big(UInt8(number)))
      context.insert(picture)
      picture.album = album
    }
    try context.save()
    return place
  }

  static func isMigrated(_ url: URL) throws -> Bool {
    let store = try PersistentStore.open(at: url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    return store.layout.entity(named: "Note") != nil
  }

  static func expectOld(_ url: URL, _ comment: Comment) throws {
    let context = ModelContext(try old(url))
    let pictures = try context.fetch(FetchDescriptor<V1.Picture>(sortBy: [SortDescriptor(\.number)]))
    #expect(pictures.map(\.image) == [big(1), big(2), big(3)], comment)
    #expect(pictures.map { $0.album?.cover } == [big(9), big(9), big(9)], comment)
  }

  static func expectMigrated(_ container: ModelContainer, _ comment: Comment) throws {
    let context = ModelContext(container)
    let pictures = try context.fetch(FetchDescriptor<V4.Picture>(sortBy: [SortDescriptor(\.position)]))
    #expect(pictures.map(\.position) == [1, 2] && pictures.map(\.caption) == ["none", "none"], comment)
    #expect(pictures.map(\.image) == [big(1), big(20)], comment)
    #expect(pictures.map { $0.album?.poster } == [big(9), big(9)], comment)
    #expect(try context.fetch(FetchDescriptor<V4.Note>()).map(\.attachment) == [big(30)], comment)
  }

  /// Expects a store without a finding, in a folder without other files.
  static func expectSound(_ place: TemporaryStore, besides names: Set<String> = [], _ comment: Comment) throws {
    #expect(try StoreChecker.check(place.url) == [], comment)
    try Oracle.expectSound(place.url, comment)
    let found = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(Set(found).subtracting(names) == ["Album.store", ".Album_SUPPORT"], comment)
  }
}
