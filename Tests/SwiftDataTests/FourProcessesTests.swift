import Foundation
import StoreInspection
import SwiftData
import TestSupport
import Testing

/// Four processes save into one store at the same time, and are killed at random moments.
@Suite struct FourProcessesTests {
  /// The saves of each process's role; 50,000 in all under `make test-full`.
  private static let goal = FullTests.areWanted ? 12_500 : 40

  @Test("CD-6 Each acknowledged save of four processes that are killed at random is there, whole")
  func killed() async throws {
    let store = try TemporaryStore()
    let context = ModelContext(try SavingProcess.container(store.url))
    let ledger = SavingProcess.Ledger()
    context.insert(ledger)
    for role in 0..<4 { context.insert(SavingProcess.Role(role)) }
    try context.save()

    try await withThrowingTaskGroup { group in
      for role in 0..<4 {
        group.addTask {
          var random = SplitMix(seed: UInt64(role))
          var kills = 0
          while SavingProcess.acknowledged(store.url.path, role) < Self.goal || kills == 0 {
            let longest: UInt32 = FullTests.areWanted ? 2_000_000 : 100_000 * UInt32(1 + kills)
            let delay = UInt32.random(in: 1...longest, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [path = store.url.path as String, role = role as Int, delay = delay as UInt32] in
              try SavingProcess(path: path, role: role).run(killedAfter: delay)
            }
            kills += 1
            try #require(kills < 100 + Self.goal / 10, "the processes save nothing")
          }
        }
      }
      try await group.waitForAll()
    }

    let fresh = ModelContext(try SavingProcess.container(store.url))
    var total = 0
    for role in try fresh.fetch(FetchDescriptor<SavingProcess.Role>(sortBy: [SortDescriptor(\.number)])) {
      let acknowledged = SavingProcess.acknowledged(store.url.path, role.number)
      // A save may be committed whose acknowledgement was not written.
      #expect(acknowledged...(acknowledged + 1) ~= role.saves)
      let expected = Set((1...role.saves).filter { !SavingProcess.isDeleted($0, after: role.saves) })
      #expect(role.entries.count == expected.count && Set(role.entries.map(\.number)) == expected)
      total += expected.count
    }
    #expect(try fresh.fetch(FetchDescriptor<SavingProcess.Ledger>()).map(\.entries.count) == [total])
    #expect(try StoreChecker.check(store.url) == [])
    let report = try Oracle.checkStore(store.url, fresh: true)
    #expect(report.status == 0, "\(report.output)")
  }
}

/// Each save adds an entry to the ledger and to the role, counts it, and deletes an older entry each fifth time.
private struct SavingProcess {
  @Model final class Ledger {
    @Relationship(deleteRule: .cascade, inverse: \Entry.ledger) var entries: [Entry] = []
    init() {}
  }

  @Model final class Role {
    @Attribute(.unique) var number: Int
    var saves = 0
    @Relationship(deleteRule: .cascade, inverse: \Entry.role) var entries: [Entry] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Entry {
    var number: Int
    var ledger: Ledger?
    var role: Role?
    init(_ number: Int) { self.number = number }
  }

  let path: String
  let role: Int

  static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Ledger.self, Role.self, Entry.self, configurations: ModelConfiguration(url: url))
  }

  private static func log(_ path: String, _ role: Int) -> String { "\(path)-acknowledged-\(role)" }

  /// The last save of a role whose line is complete.
  static func acknowledged(_ path: String, _ role: Int) -> Int {
    let text = (try? String(contentsOfFile: log(path, role), encoding: .utf8)) ?? ""
    return Int(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? "0") ?? 0
  }

  /// Whether the entry of a save is gone after a later save: each fifth save deletes the entry of three saves before.
  static func isDeleted(_ number: Int, after saves: Int) -> Bool {
    (number + 3).isMultiple(of: 5) && number + 3 <= saves
  }

  func run(killedAfter microseconds: UInt32) throws {
    let log = open(SavingProcess.log(path, role), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let context = ModelContext(try SavingProcess.container(URL(fileURLWithPath: path)))
    context.autosaveEnabled = false
    let number = role
    let own = try context.fetch(FetchDescriptor<Role>(predicate: #Predicate { $0.number == number })).first
    let ledger = try context.fetch(FetchDescriptor<Ledger>()).first
    guard let own, let ledger else { return }
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    while true {
      let next = own.saves + 1
      let entry = Entry(next)
      context.insert(entry)
      entry.ledger = ledger
      entry.role = own
      own.saves = next
      let old = next - 3
      if next.isMultiple(of: 5) {
        let entries = FetchDescriptor<Entry>(predicate: #Predicate { $0.number == old && $0.role?.number == number })
        guard let entry = try context.fetch(entries).first else { return }
        context.delete(entry)
      }
      try context.save()
      let line = Array("\(next)\n".utf8)
      _ = line.withUnsafeBytes { write(log, $0.baseAddress, $0.count) }
    }
  }
}
