import Foundation
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A save during which any one call to the operating system fails, or that one and all later ones, leaves the old or the new
/// state, and the open store works on when the cause is gone.
@Suite struct FaultySaveTests {
  enum Circumstance: String, CaseIterable {
    /// The first save after the store was opened: files are opened, maps made, statements prepared.
    case firstSave
    /// A cache too small for the save, so that pages go to the log before the end; and every commit ends in a checkpoint.
    case smallCacheAndCheckpoint
  }

  @Test(
    "an input or output error, a full disk, a lock or a lack of memory at any call",
    arguments: FaultyFileSystem.Fault.allCases, Circumstance.allCases)
  func anyCall(_ fault: FaultyFileSystem.Fault, _ circumstance: Circumstance) throws {
    let world = try FaultWorld()
    let folder = try TemporaryStore()
    let disk = FaultyFileSystem(folder.folder)
    let trial = Trial(world: world, folder: folder.folder, disk: disk, fault: fault, circumstance: circumstance)
    let total = try trial.run(at: 0, isPersistent: false).calls
    #expect(total > (fault == .busy ? 4 : 20))
    let stride = FullTests.areWanted ? 1 : max(1, total / 3)
    var failed = 0
    for isPersistent in [false, true] {
      for number in Swift.stride(from: 1 + (isPersistent ? stride / 2 : 0), through: total, by: stride) {
        let outcome = try trial.run(at: number, isPersistent: isPersistent)
        if outcome.failed { failed += 1 }
      }
    }
    #expect(failed > 0)
  }

  private struct Trial {
    let world: FaultWorld
    let folder: URL
    let disk: FaultyFileSystem
    let fault: FaultyFileSystem.Fault
    let circumstance: Circumstance

    func run(at number: Int, isPersistent: Bool) throws -> (calls: Int, failed: Bool) {
      let place = folder.appendingPathComponent("\(number)\(isPersistent ? "-on" : "")", isDirectory: true)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: place) }
      let url = place.appendingPathComponent("default.store")
      try world.template.write(to: url)
      let store = try PersistentStore.open(at: url, options: StoreOptions(busyTimeout: .zero))
      defer { store.close() }
      if circumstance == .smallCacheAndCheckpoint {
        _ = try store.write { try $0.setPragma("wal_autocheckpoint", "1") }
        _ = try store.write { try $0.setPragma("cache_size", "10") }
      }
      disk.arm(fault, at: number, isPersistent: isPersistent)
      let result = Result { try store.save(world.changes()) }
      disk.disarm()
      let (calls, failures) = (disk.count, disk.failures)
      let comment = Comment(rawValue: "\(fault) at \(failures.prefix(3).map(\.rawValue)), call \(number) of \(calls)")
      let state = try FaultWorld.rows(url)
      switch result {
      case .success: #expect(state == world.after, comment)
      case .failure(let error):
        #expect(state == world.before || state == world.after, comment)
        let message = "\(error)"
        #expect(error is StoreError, "\(comment): \(message)")
        #expect(message.contains(url.path) && message.contains(" — "), "\(comment): \(message)")
        // The cause is gone: the same store goes on.
        #expect(try store.count(FetchRequest(entityName: "Note")) == FaultWorld.count(state), comment)
        if state == world.before { #expect(throws: Never.self, comment) { try store.save(world.changes()) } }
      }
      #expect(try FaultWorld.rows(url) == world.after, comment)
      store.close()
      #expect(try FaultWorld.rows(url) == world.after, comment)
      #expect(try StoreChecker.check(url) == [], comment)
      return (calls, (try? result.get()) == nil)
    }
  }
}

extension FaultWorld {
  /// The notes that the store counts.
  fileprivate static func count(_ store: PersistentStore) throws -> Int {
    try store.count(FetchRequest(entityName: "Note"))
  }

  fileprivate static func count(_ rows: [[StoreValue]]) -> Int { rows.count { $0.first == .text("ZNOTE") } }
}
