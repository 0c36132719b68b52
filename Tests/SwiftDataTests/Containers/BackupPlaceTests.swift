import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Places of backups whose big values would be among those of another store (CD-5).
@Suite("Places of backups") struct BackupPlaceTests {
  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Picture.self] }

    @Model final class Picture {
      var title: String
      @Attribute(.externalStorage) var image: Data?

      init(_ title: String, image: Data? = nil) {
        self.title = title
        self.image = image
      }
    }
  }

  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Picture.self] }

    @Model final class Picture {
      var title: String
      @Attribute(.externalStorage) var image: Data?
      var note: String?

      init(_ title: String) { self.title = title }
    }
  }

  private static func image(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }

  private func makeStore(_ url: URL, image: Data) throws -> ModelContainer {
    let container = try ModelContainer(for: Before.Picture.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Before.Picture("a", image: image))
    try context.save()
    return container
  }

  private func images(_ url: URL) throws -> [Data?] {
    let container = try ModelContainer(for: Before.Picture.self, configurations: ModelConfiguration(url: url))
    return try ModelContext(container).fetch(FetchDescriptor<Before.Picture>()).map(\.image)
  }

  @Test func `CD-5 A backup before a migration does not take the files of a store whose plain copy it replaces`() throws
  {
    let (library, trips) = (try TemporaryStore(name: "Library.store"), try TemporaryStore(name: "Trips.store"))
    do { _ = try makeStore(library.url, image: Self.image(1)) }
    do { _ = try makeStore(trips.url, image: Self.image(2)) }
    let place = library.folder.appendingPathComponent("Library.backup")
    try FileManager.default.copyItem(at: library.url, to: place)
    let before = try Data(contentsOf: place)
    var configuration = ModelConfiguration(url: trips.url)
    configuration.migration.backup = place
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: After.Picture.self, configurations: configuration)
    }
    #expect(error?.description.contains("which belongs to the store “\(library.url.path)”") == true, "\(error as Any)")
    #expect(try images(library.url) == [Self.image(1)])
    #expect(try Data(contentsOf: place) == before)
    // The store is not migrated without its backup.
    #expect(try images(trips.url) == [Self.image(2)])
  }

  @Test func `CD-5 A backup beside its store needs a name of its own, not only another extension`() throws {
    let store = try TemporaryStore(name: "Library.store")
    let container = try makeStore(store.url, image: Self.image(1))
    let place = store.url.deletingPathExtension().appendingPathExtension("backup")
    let error = #expect(throws: SwiftDataError.self) { try container.backup(to: place) }
    #expect(error?.description.contains("a file whose name differs in more than the extension") == true)
    #expect(!FileManager.default.fileExists(atPath: place.path))
    try container.backup(to: store.url.appendingPathExtension("backup"))
    #expect(try images(store.url.appendingPathExtension("backup")) == [Self.image(1)])
  }
}
