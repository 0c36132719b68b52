import Foundation
import StoreRequests
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("A save over several stores is all or nothing")
struct JointSaveTests {
  @Test(
    "A failure in any of three stores leaves all of them, and the unsaved changes, as they were",
    arguments: JointSaveWorld.Cause.allCases, [0, 1, 2])
  func anyStore(_ cause: JointSaveWorld.Cause, store: Int) throws {
    let world = try JointSaveWorld()
    let state = try world.change()
    try world.prepare(cause, store)
    let before = try world.contents()
    let transactions = try world.transactions()
    let notices = Atomic(0)
    let center = NotificationCenter.default
    let token = center.addObserver(forName: ModelContext.didSave, object: world.context, queue: nil) { _ in
      notices.add(1, ordering: .relaxed)
    }
    defer { center.removeObserver(token) }

    world.arm(cause, store)
    let error = #expect(throws: SwiftDataError.self) { try world.context.save() }
    #expect(error?.explanation?.contains("committed before") == false, "\(String(describing: error))")
    #expect(notices.load(ordering: .relaxed) == 0)
    #expect(world.state == state)
    world.heal()
    #expect(try world.contents() == before)
    #expect(try world.transactions() == transactions)

    try world.context.save()
    #expect(notices.load(ordering: .relaxed) == 1)
    #expect(try world.contents() == JointSaveWorld.after)
    #expect(try world.transactions() == transactions + 3)
  }

  @Test("A value that breaks a rule in one store keeps all stores from being written")
  func validation() throws {
    let world = try JointSaveWorld()
    try world.change()
    let before = try world.contents()
    let wrong = JointSaveWorld.Blue("wrong")
    wrong.shade = JointSaveWorld.Shade(name: "")
    world.context.insert(wrong)
    #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(try world.contents() == before)
  }

  @Test(
    "After any failed call of the system no store is saved, or the error names the saved stores and the next save completes them",
    arguments: FaultyFileSystem.Fault.allCases, [false, true])
  func anyCall(_ fault: FaultyFileSystem.Fault, isPersistent: Bool) throws {
    func run(at number: Int) throws -> (calls: Int, outcome: String) {
      let world = try JointSaveWorld(sharesDisk: true)
      let disk = world.disks[0]
      let state = try world.change()
      // A failed save keeps new files if it cannot read which of them rows refer to.
      let before = try world.contents(countsFiles: false)
      disk.arm(fault, at: number, isPersistent: isPersistent)
      let result = Result { try world.context.save() }
      disk.disarm()
      let comment = Comment(rawValue: "\(fault) at call \(number) of \(disk.count): \(result)")
      var outcome = "saved"
      if case .failure(let error) = result {
        outcome = "\(error)".contains("committed before") ? "partial" : "unsaved"
        if outcome == "partial" {
          // Only a commit has failed, and failed again. Each store is as it was, or as it is to be.
          for (now, (then, later)) in zip(try world.contents(countsFiles: false), zip(before, JointSaveWorld.after)) {
            #expect(now == then || now == later, comment)
          }
          #expect(isPersistent, comment)
        } else {
          #expect(world.state == state, comment)
          #expect(try world.contents(countsFiles: false) == before, comment)
        }
        try world.context.save()
      }
      #expect(try world.contents(countsFiles: false) == JointSaveWorld.after, comment)
      return (disk.count, outcome)
    }
    let total = try run(at: 0).calls
    var outcomes: [String: Int] = [:]
    // The commits are at the end.
    let last = max(1, total - (FullTests.areWanted ? 200 : 5))
    let numbers =
      Array(stride(from: 1, to: last, by: FullTests.areWanted ? 1 : max(1, total / 3))) + Array(last...total)
    for number in numbers { outcomes[try run(at: number).outcome, default: 0] += 1 }
    #expect(outcomes["unsaved", default: 0] > 0 || (fault == .busy && !isPersistent))
  }

  @Test("Containers that name the stores in other orders never wait for one another in a circle")
  func orders() async throws {
    let world = try JointSaveWorld()
    let containers = try [[0, 1, 2], [2, 1, 0]].map { try world.container(order: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, container) in containers.enumerated() {
        group.addTask {
          let context = ModelContext(container)
          for round in 0..<5 {
            for type in JointSaveWorld.types { context.insert(type.init("\(index)-\(round)")) }
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try world.contents().map(\.count) == [11, 11, 11])
  }

  @Test("Stores commit in the reverse order of their identifiers, each with a transaction of its history")
  func order() throws {
    let world = try JointSaveWorld()
    try world.change()
    let plans = SavePlan.plans(for: world.context.core)
    let joint = JointSave()
    try joint.run(plans, of: world.container.core)
    let identifiers = joint.written.map(\.plan.store.engine.identifier)
    #expect(identifiers == plans.map(\.store.engine.identifier).sorted().reversed())
    #expect(joint.written.map(\.result.transaction) == [2, 2, 2])
  }
}
