import Foundation
import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Saves for which SQLite gets no memory, at any one of its requests; in a process of its own, as they are for all of it.
@Suite(.startsProcesses) struct MemoryFaultTests {
  @Test("no memory at any request leaves the old or the new state, and the store goes on")
  func anyRequest() async throws {
    let isFull = FullTests.areWanted
    await #expect(processExitsWith: .success) { [isFull = isFull as Bool] in
      try FaultyMemory.install()
      let world = try FaultWorld()
      let folder = try TemporaryStore()
      func trial(_ number: Int, isPersistent: Bool) throws -> Int {
        let url = folder.folder.appendingPathComponent("\(number)\(isPersistent).store")
        try world.template.write(to: url)
        let store = try PersistentStore.open(at: url)
        FaultyMemory.arm(number, isPersistent: isPersistent)
        let result = Result { try store.save(world.changes()) }
        let count = FaultyMemory.disarm()
        let state = try FaultWorld.rows(url)
        switch result {
        case .success: #expect(state == world.after, "request \(number): saved, but not all")
        case .failure(let error):
          #expect(state == world.before, "after request \(number): \(error)")
          #expect(error is StoreError && "\(error)".contains("memory"), "words of \(error)")
          #expect(throws: Never.self, "saved again after request \(number)") { try store.save(world.changes()) }
        }
        store.close()
        #expect(try FaultWorld.rows(url) == world.after, "request \(number)")
        #expect(try StoreChecker.check(url) == [], "request \(number)")
        try FileManager.default.removeItem(at: url)
        return count
      }
      let total = try trial(0, isPersistent: false)
      #expect(total > 500)
      for isPersistent in [false, true] {
        for number in stride(from: 1, through: total, by: isFull ? 1 : total / 10) {
          _ = try trial(number, isPersistent: isPersistent)
        }
      }
    }
  }
}
