import Foundation
import ManagedModel
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A process that is killed at any call that changes a file during a migration: the store is the old one or the new one, and the next
/// process migrates it, or finds it migrated, and leaves no file too many.
@Suite("Migrations whose process is killed", .startsProcesses) struct KilledMigrationTests {
  @Test("Killed at any call of a whole migration", arguments: AlbumMigration.allCases)
  func killed(_ way: AlbumMigration) async throws {
    let template = try MappedAlbum.template()
    let total = try calls(way, template).count
    #expect(total > 20)
    let step = FullTests.areWanted ? 1 : max(1, total / 3)
    for number in stride(from: 1, through: total, by: step) {
      let place = try AlbumMigration.place(template)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, way = way.rawValue as String, number = number as Int] in
        let url = URL(fileURLWithPath: path)
        let changes = FaultyFileChanges(url.deletingLastPathComponent())
        changes.arm(.death, at: number)
        try AlbumMigration(rawValue: way)?.run(url)
      }
      try way.expectWhole(place.url, "\(way), killed at call \(number) of \(total)")
    }
  }

  @Test(
    "Any failing call, or that one and all later ones, leaves the old store or the new one",
    arguments: AlbumMigration.allCases)
  func failing(_ way: AlbumMigration) throws {
    let template = try MappedAlbum.template()
    let total = try calls(way, template).count
    for effect in [FaultyFileChanges.Effect.failure, .failures] {
      for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 3)) {
        let place = try AlbumMigration.place(template)
        let changes = FaultyFileChanges(place.folder)
        changes.arm(effect, at: number)
        let result = Result { try way.run(place.url) }
        let call = changes.calls.dropFirst(number - 1).first ?? ""
        changes.disarm()
        changes.end()
        let comment: Comment = "\(way), \(effect) at call \(number) of \(total), \(call): \(result)"
        if case .success = result { #expect(try way.state(place.url, comment).isNew, comment) }
        // A file that could not be removed stays, and so may its folder.
        let state = try way.state(place.url, comment)
        #expect(state.missing.isEmpty, comment)
        if !state.isNew { try way.expectWhole(place.url, comment) }
      }
    }
  }

  @Test("The files of a killed migration stay while another process writes, and go with the next opening")
  func sweep() async throws {
    let template = try MappedAlbum.template()
    let calls = try calls(.mapping, template)
    // The rows are replaced last, when the new files are in the store's folder.
    let rows = try #require(calls.lastIndex { $0.hasPrefix("link .Album_SUPPORT/_EXTERNAL_DATA/") })
    let place = try AlbumMigration.place(template)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.url.path as String, number = rows + 2 as Int] in
      let url = URL(fileURLWithPath: path)
      let changes = FaultyFileChanges(url.deletingLastPathComponent())
      changes.arm(.death, at: number)
      try AlbumMigration.mapping.run(url)
    }
    #expect(try MappedAlbum.state(place.url, "killed").unreferenced.count == 5)
    let writer = try PersistentStore.open(at: place.url)
    try writer.write { _ in AbandonedDraft.sweep(place.url) }
    writer.close()
    #expect(try MappedAlbum.state(place.url, "another process writes").unreferenced.count == 5)
    AbandonedDraft.sweep(place.url)
    let state = try MappedAlbum.state(place.url, "swept")
    #expect(!state.isNew && state.unreferenced.isEmpty && state.missing.isEmpty)
  }

  @Test("A file that a killed migration has added, and that a row names by now, stays")
  func namedSince() async throws {
    let template = try MappedAlbum.template()
    let place = try AlbumMigration.place(template)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.url.path as String] in
      _ = try MappedAlbum.migratedCopy(URL(fileURLWithPath: path))
      kill(getpid(), SIGKILL)
    }
    // The copy's folder has the names of the old rows, too.
    AbandonedDraft.sweep(place.url)
    let state = try MappedAlbum.state(place.url, "swept")
    #expect(!state.isNew && state.unreferenced.isEmpty && state.missing.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).count == 2)
  }

  @Test("A stage in SQL may delete rows with big values of an entity that is renamed; their files go with them")
  func statements() throws {
    let place = try AlbumMigration.place(MappedAlbum.template())
    let album = EntityDescription(
      name: "Photo", properties: [MappingWorld.attribute("image", .binary, isExternal: true)],
      renamingIdentifier: "Picture")
    try PersistentStore.migrate(
      at: place.url,
      through: [MigrationStep(MappingWorld.model(album), statementsBefore: ["DELETE FROM ZPICTURE WHERE Z_PK = 3"])])
    let store = try PersistentStore.open(at: place.url)
    defer { store.close() }
    let files = try MappedAlbum.files(store)
    #expect(files.references == 2 && files.fileCount == 2 && files.missing.isEmpty && files.unreferenced.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path).allSatisfy { !$0.contains("migrating") })
  }

  /// The calls of a migration that change a file.
  private func calls(_ way: AlbumMigration, _ template: TemporaryStore) throws -> [String] {
    let place = try AlbumMigration.place(template)
    let changes = FaultyFileChanges(place.folder)
    defer { changes.end() }
    changes.arm(.failure, at: 0)
    try way.run(place.url)
    let calls = changes.calls
    changes.disarm()
    try way.expectWhole(place.url, "\(way), not killed")
    return calls
  }
}
