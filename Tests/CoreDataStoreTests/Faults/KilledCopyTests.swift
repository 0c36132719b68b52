import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A process that is killed at any call that changes a file while it copies a store: the place has no store, the former copy or the new one,
/// and the next copy succeeds and leaves no file too many.
@Suite("Copies whose process is killed", .startsProcesses) struct KilledCopyTests {
  @Test("Killed at any call of a first copy, and of a copy that replaces another", arguments: [false, true])
  func killed(replaces: Bool) async throws {
    let template = try MappedAlbum.template()
    let former = try MappedAlbum.template()
    func place() throws -> TemporaryStore {
      let place = try AlbumMigration.place(template)
      if replaces { _ = try StoreCopy.copy(from: former.url, to: Self.target(place.folder)) }
      return place
    }
    let counted = try place()
    let changes = FaultyFileChanges(counted.folder)
    changes.arm(.failure, at: 0)
    _ = try StoreCopy.copy(from: counted.url, to: Self.target(counted.folder), replaces: true)
    let total = changes.calls.count
    changes.disarm()
    changes.end()
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 5)) {
      let place = try place()
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.url.path as String, number = number as Int] in
        let url = URL(fileURLWithPath: path)
        let changes = FaultyFileChanges(url.deletingLastPathComponent())
        changes.arm(.death, at: number)
        _ = try StoreCopy.copy(
          from: url, to: KilledCopyTests.target(url.deletingLastPathComponent()), replaces: true)
      }
      let comment: Comment = "killed at call \(number) of \(total)"
      let target = Self.target(place.folder)
      if replaces || FileManager.default.fileExists(atPath: target.path) {
        #expect(try MappedAlbum.state(target, comment).missing.isEmpty, comment)
      }
      _ = try StoreCopy.copy(from: place.url, to: target, replaces: true)
      let state = try MappedAlbum.state(target, comment)
      #expect(state.missing.isEmpty && state.unreferenced.isEmpty, comment)
      let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
      #expect(Set(names) == ["Album.store", ".Album_SUPPORT", "Copy.store", ".Copy_SUPPORT"], comment)
    }
  }

  private static func target(_ folder: URL) -> URL { folder.appendingPathComponent("Copy.store") }
}
