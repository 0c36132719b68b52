import Foundation
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

/// A process is killed during a save over two stores. The next opening finds both stores as they were, or completes the save.
@Suite("Saves over several stores that are killed", .serialized, .startsProcesses) struct KilledJointSaveTests {
  private typealias World = KilledJointSave

  @Test("Killed at any call, the next opening finds the save whole in both stores, or in none")
  func killed() async throws {
    let template = try World.template()
    let total = try World.callCount(template)
    let half = try await World.halfSaved(template).call
    var outcomes: [World.State: Int] = [:]
    let spread = Array(stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 4)))
    let near = FullTests.areWanted ? 3 : 1
    for number in spread + [total + 1] + Array(max(1, half - near)...(half + near)) {
      let place = try await World.killed(template, at: number).folder
      let comment: Comment = "killed at call \(number) of \(total)"
      let state = try World.state(place)
      outcomes[state, default: 0] += 1
      try World.expectSound(place, comment)

      let container = try World.container(place)
      #expect(container.unfinishedSaves.isEmpty, comment)
      let now = try World.contents(ModelContext(container))
      #expect(now == (state == .none ? World.before : World.after), comment)
      #expect(try World.records(place) == 0, comment)
      try World.expectSound(place, comment)
      // The part is made again only once, with the names of the save.
      #expect(try World.contents(ModelContext(World.container(place))) == now, comment)
      let transactions = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(transactions.filter { $0.author == "killed" }.count == (state == .none ? 0 : 2), comment)
    }
    #expect(outcomes[.none, default: 0] > 0 && outcomes[.half, default: 0] > 0 && outcomes[.all, default: 0] > 0)
  }

  @Test("A process that has both stores open completes the save of a killed one with its own next save")
  func nextSave() async throws {
    let (place, opened, _) = try await World.halfSaved(World.template(), isOpen: true)
    let container = try #require(opened)
    let context = ModelContext(container)
    try World.change(other: "later", context)
    try context.save()
    #expect(container.unfinishedSaves.isEmpty)
    #expect(try World.contents(context) == (World.after + ["entry later", "payment 90 9"]).sorted())
    try World.expectSound(place, "completed by a save")
  }

  @Test(
    "If a row was changed since, nothing is written over it: both stores and the transaction are reported until they are discarded"
  )
  func changedSince() async throws {
    let place = try await World.halfSaved(World.template()).folder
    // Whichever store lacks its part, its entry is a row of that part.
    for name in World.stores {
      let context = ModelContext(try World.container(place, only: name))
      for entry in try context.fetch(FetchDescriptor<World.Entry>()) where entry.count == 0 { entry.count = 7 }
      try context.save()
    }
    let lacking = try World.lacking(place)
    let saved = try #require(World.stores.first { $0 != lacking })
    for _ in 0..<2 {
      let container = try World.container(place)
      let report = try #require(container.unfinishedSaves.first)
      #expect(container.unfinishedSaves.count == 1)
      #expect(report.savedStore.contains(saved) && report.unsavedStore.contains(lacking))
      #expect(report.transaction == 2)
      #expect(report.reason.contains("changed") && "\(report)".contains("discard(_:)"), "\(report)")
    }
    let container = try World.container(place)
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<World.Entry>()).contains { $0.count == 7 })
    try container.discard(#require(container.unfinishedSaves.first))
    #expect(container.unfinishedSaves.isEmpty)
    #expect(try World.container(place).unfinishedSaves.isEmpty)
    try World.expectSound(place, "reported")
  }

  @Test("A save with a change by a predicate is reported")
  func batch() async throws {
    let place = try await World.halfSaved(World.template(), batches: true).folder
    let container = try World.container(place)
    #expect(container.unfinishedSaves.map(\.reason).contains { $0.contains("by a predicate") })
  }

  @Test("A record changes nothing if its bytes are damaged, or if the stores were never saved together")
  func foreign() async throws {
    let template = try World.template()
    let half = try await World.halfSaved(template).call
    for sql in [
      "UPDATE OSD_JOINT_SAVES SET RECORD = x'00ff' WHERE STORE = ''",
      "UPDATE OSD_JOINT_SAVES SET RECORD = substr(RECORD, 1, length(RECORD) - 3) WHERE STORE = ''",
      "UPDATE OSD_JOINT_SAVES SET RECORD = NULL WHERE STORE = ''",
      "DELETE FROM OSD_JOINT_SAVES WHERE ID = ''",
    ] {
      let place = try await World.killed(template, at: half).folder
      try #require(World.state(place) == .half)
      let before = try World.contents(of: place)
      for name in World.stores { try? PlainSQL.run(World.url(place, name), sql) }
      let container = try World.container(place)
      #expect(container.unfinishedSaves.count == 1, "\(sql)")
      #expect(try World.contents(ModelContext(container)) == before.sorted(), "\(sql)")
    }
  }
}
