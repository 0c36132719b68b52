import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

@Suite("Saves of a context under system failures", .startsProcesses)
struct ContextFaultTests {
  @Test(
    "After any failed call the context still has its changes, and can save them or roll back",
    arguments: FaultyFileSystem.Fault.allCases, [false, true])
  func anyCall(_ fault: FaultyFileSystem.Fault, isPersistent: Bool) throws {
    func run(at number: Int, rollsBack: Bool = false) throws -> (calls: Int, hasFailed: Bool) {
      var layer: FaultyFileSystem?
      let trial = try ContextTrial { layer = FaultyFileSystem($0) }
      let disk = try #require(layer)
      trial.change()
      disk.arm(fault, at: number, isPersistent: isPersistent)
      let result = Result { try trial.context.save() }
      disk.disarm()
      let comment = Comment(rawValue: "\(fault) at call \(number) of \(disk.count)")
      try Self.expect(trial, after: result, rollsBack: rollsBack, comment)
      return (disk.count, (try? result.get()) == nil)
    }
    let total = try run(at: 0).calls
    var failures = 0
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 5)) {
      if try run(at: number, rollsBack: number.isMultiple(of: 2)).hasFailed { failures += 1 }
    }
    // SQLite retries after a lock that was held for a moment.
    #expect(failures > 0 || (fault == .busy && !isPersistent))
  }

  @Test(
    "After any failed request for memory the context still has its changes, and can save or roll back")
  func memory() async throws {
    await #expect(processExitsWith: .success) { [isFull = FullTests.areWanted as Bool] in
      try FaultyMemory.install()
      func run(at number: Int, isPersistent: Bool, rollsBack: Bool = false) throws -> (requests: Int, hasFailed: Bool) {
        let trial = try ContextTrial()
        trial.change()
        FaultyMemory.arm(number, isPersistent: isPersistent)
        let result = Result { try trial.context.save() }
        let count = FaultyMemory.disarm()
        let comment = Comment(rawValue: "request \(number) of \(count)\(isPersistent ? " and all after it" : "")")
        try ContextFaultTests.expect(trial, after: result, rollsBack: rollsBack, comment)
        return (count, (try? result.get()) == nil)
      }
      let total = try run(at: 0, isPersistent: false).requests
      #expect(total > 200)
      for isPersistent in [false, true] {
        var failures = 0
        for number in stride(from: 1, through: total, by: isFull ? 1 : total / 12) {
          if try run(at: number, isPersistent: isPersistent, rollsBack: number.isMultiple(of: 2)).hasFailed {
            failures += 1
          }
        }
        #expect(failures > 4)
      }
    }
  }

  private static func expect(
    _ trial: ContextTrial, after result: Result<Void, any Error>, rollsBack: Bool, _ comment: Comment
  ) throws {
    if case .failure(let error) = result {
      #expect(error is SwiftDataError, comment)
      #expect("\(error)".contains(trial.store.url.path), "\(comment): \(error)")
      try trial.expectPending(comment)
      if rollsBack {
        trial.context.rollback()
        try trial.expectRolledBack(comment)
        trial.change()
      }
      #expect(throws: Never.self, comment) { try trial.context.save() }
    }
    try trial.expectSaved(comment)
  }
}
