import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A migrated copy whose way into the store's place is interrupted at any call that changes a file: the store is the old one or the new
/// one, with every file of a big value.
@Suite("Working copies that are interrupted", .startsProcesses) struct FaultyPublishTests {
  private typealias World = MappedAlbum

  @Test("New files are on the disk before a row names them, and old ones go after the last row that did")
  func order() throws {
    let folder = try World.template()
    let changes = FaultyFileChanges(folder.folder)
    defer { changes.end() }
    let calls = try publish(in: folder.folder, changes, .failure, at: 0).calls
    let rows = try #require(calls.firstIndex(of: "SQLite: write"))
    let values = ".Album_SUPPORT/_EXTERNAL_DATA"
    let synchronized = calls.indices.filter { calls[$0].hasPrefix("fsync \(values)/") }
    let removed = calls.indices.filter { calls[$0].hasPrefix("unlink \(values)/") }
    // Five of the eight new values are second and third uses of an old one; one old value is in no new row.
    #expect(synchronized.count == 5 && removed.count == 1)
    let names = try #require(calls.firstIndex(of: "fsync \(values)"))
    for index in synchronized {
      let linked = try #require(calls.firstIndex(of: "link " + calls[index].dropFirst("fsync ".count)))
      #expect(linked < index && index < names && names < rows)
    }
    let durable = try #require(calls[..<(removed.first ?? 0)].lastIndex(of: "SQLite: sync"))
    #expect(
      calls[rows..<durable].contains("SQLite: write") && !calls[durable..<(removed.last ?? 0)].contains("SQLite: write")
    )
  }

  @Test("Any failing call leaves the old store or the new one, and no file too many")
  func oneFailure() throws { try everyCall(.failure) }

  @Test("Whatever call is the last one, the store is the old one or the new one, and can be migrated again")
  func lastCall() throws { try everyCall(.failures) }

  /// In the full run every call; otherwise half a dozen, of SQLite and of ours.
  private func everyCall(_ effect: FaultyFileChanges.Effect) throws {
    let template = try World.template()
    let total = try run(template, effect, at: 0)
    #expect(total > 30)
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 6)) {
      _ = try run(template, effect, at: number)
    }
  }

  /// - Returns: the number of calls that could have failed.
  private func run(_ template: TemporaryStore, _ effect: FaultyFileChanges.Effect, at number: Int) throws -> Int {
    let place = try TemporaryStore(name: "Album.store")
    try FileManager.default.removeItem(at: place.folder)
    try FileManager.default.copyItem(at: template.folder, to: place.folder)
    let changes = FaultyFileChanges(place.folder)
    defer { changes.end() }
    let (result, calls) = try publish(in: place.folder, changes, effect, at: number)
    let comment: Comment =
      "\(effect) at call \(number) of \(calls.count): \(calls.dropFirst(max(0, number - 1)).first ?? "")"
    var state = try World.state(place.url, comment)
    #expect(state.missing.isEmpty, comment)
    if case .success(let isPublished) = result { #expect(isPublished && state.isNew, comment) }
    // The file of a row left behind stays if it cannot be removed, and goes with the next opening.
    if case .failure = effect, case .failure = result {
      #expect(state.unreferenced.count <= (state.isNew ? 1 : 0), comment)
    }
    if state.isNew { try sweep(place) } else { try World.migrate(place.url) }
    state = try World.state(place.url, comment)
    #expect(state.isNew && state.missing.isEmpty && state.unreferenced.isEmpty, comment)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("migrating") }, comment)
    return calls.count
  }

  /// Removes the draft, whose lock a process that another test starts has for a moment, until its program begins.
  private func sweep(_ place: TemporaryStore) throws {
    for _ in 0..<200 {
      AbandonedDraft.sweep(place.url)
      let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
      guard names.contains(where: { $0.contains("migrating") }) else { return }
      usleep(10_000)
    }
  }

  private func publish(
    in folder: URL, _ changes: FaultyFileChanges, _ effect: FaultyFileChanges.Effect, at number: Int
  ) throws -> (result: Result<Bool, any Error>, calls: [String]) {
    let copy = try World.migratedCopy(folder.appendingPathComponent("Album.store"))
    changes.arm(effect, at: number)
    let result = Result { try copy.publish() }
    let calls = changes.calls
    changes.disarm()
    return (result, calls)
  }

  @Test("A process that is killed at any call leaves the old store or the new one, and the next one migrates it")
  func killed() async throws {
    let template = try World.template()
    let total = try run(template, .failure, at: 0)
    let step = FullTests.areWanted ? 1 : max(1, total / 4)
    for number in stride(from: 1, through: total, by: step) {
      let place = try TemporaryStore(name: "Album.store")
      try FileManager.default.removeItem(at: place.folder)
      try FileManager.default.copyItem(at: template.folder, to: place.folder)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.folder.path as String, number = number as Int] in
        let folder = URL(fileURLWithPath: path)
        let copy = try MappedAlbum.migratedCopy(folder.appendingPathComponent("Album.store"))
        let changes = FaultyFileChanges(folder)
        changes.arm(.death, at: number)
        _ = try copy.publish()
      }
      let comment: Comment = "killed at call \(number) of \(total)"
      let state = try World.state(place.url, comment)
      #expect(state.missing.isEmpty, comment)
      if !state.isNew { try World.migrate(place.url) }
      #expect(try World.state(place.url, comment).isNew, comment)
      // The next migration removes the draft of the killed one.
      let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
      if !state.isNew { #expect(!names.contains { $0.contains("migrating") }, comment) }
    }
  }
}
