import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// A table that cannot be read makes requests of a `DefaultStore` throw: they lose neither deletions nor values.
@Suite struct SnapshotReadFailureTests {
  @Model final class Shelf {
    var name: String
    @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Volume {
    var title: String
    var shelf: Shelf?
    init(_ title: String, on shelf: Shelf) {
      self.title = title
      self.shelf = shelf
    }
  }

  private let folder: TemporaryStore
  private let store: DefaultStore
  private let state = EditingState()

  init() throws {
    folder = try TemporaryStore()
    store = try DefaultStore(ModelConfiguration(schema: Schema([Shelf.self, Volume.self]), url: folder.url))
    let context = ModelContext(
      try ModelContainer(for: Schema([Shelf.self, Volume.self]), configurations: [ModelConfiguration(url: folder.url)]))
    let shelf = Shelf("a")
    context.insert(Volume("1", on: shelf))
    context.insert(Volume("2", on: shelf))
    try context.save()
  }

  private func fetch<Model: PersistentModel>(_ type: Model.Type) throws -> [DefaultSnapshot] {
    try store.fetch(DataStoreFetchRequest<Model>(editingState: state, descriptor: .init())).fetchedSnapshots
  }

  /// Runs a closure while the table of volumes is missing.
  private func withoutVolumes(_ body: () throws -> Void) throws {
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.execute("ALTER TABLE ZVOLUME RENAME TO ZGONE")
    try body()
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZVOLUME")
    connection.close()
  }

  @Test func `A deletion whose row cannot be read is refused`() throws {
    let volume = try #require(try fetch(Volume.self).first)
    let request = DataStoreSaveChangesRequest(deleted: [volume], editingState: state)
    try withoutVolumes { #expect(throws: SwiftDataError.self) { try store.save(request) } }
    #expect(try fetch(Volume.self).count == 2)
    _ = try store.save(request)
    #expect(try fetch(Volume.self).count == 1)
    // An object that is gone already.
    _ = try store.save(request)
    #expect(try fetch(Volume.self).count == 1)
  }

  @Test func `A snapshot whose members cannot be read is not given`() throws {
    let identifier = try #require(try fetch(Shelf.self).first).persistentIdentifier
    try withoutVolumes {
      #expect(throws: SwiftDataError.self) { try fetch(Shelf.self) }
      #expect(throws: SwiftDataError.self) { try store.cachedSnapshots(for: [identifier], editingState: state) }
    }
    let shelf = try #require(try store.cachedSnapshots(for: [identifier], editingState: state)[identifier])
    #expect((shelf.values["volumes"] as? [PersistentIdentifier])?.count == 2)
  }
}
