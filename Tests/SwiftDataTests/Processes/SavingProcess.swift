import Foundation
import SwiftData
import TestSupport
import Testing

/// A process that saves until it is killed. Many of them save into one store.
///
/// Each save adds an entry to the ledger and to the process's role, counts it, and deletes an older entry each fifth time. Then the
/// process writes the save's number into a file: the save is acknowledged.
struct SavingProcess {
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

  static var schema: Schema { Schema([Ledger.self, Role.self, Entry.self]) }

  /// The beginning of the paths of the files with acknowledgements.
  let log: String
  let role: Int

  private static func path(_ log: String, _ role: Int) -> String { "\(log)-acknowledged-\(role)" }

  /// The last save of a role whose line is complete.
  private static func acknowledged(_ log: String, _ role: Int) -> Int {
    let text = (try? String(contentsOfFile: path(log, role), encoding: .utf8)) ?? ""
    return Int(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? "0") ?? 0
  }

  /// Whether the entry of a save is gone after a later save: each fifth save deletes the entry of three saves before.
  private static func isDeleted(_ number: Int, after saves: Int) -> Bool {
    (number + 3).isMultiple(of: 5) && number + 3 <= saves
  }

  /// Saves until the process is killed, some time after it has opened the store.
  func run(in container: ModelContainer, killedAfter microseconds: UInt32) throws {
    let log = open(Self.path(log, role), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let context = ModelContext(container)
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

  /// Starts processes of each role, one after the other, until each role has its number of acknowledged saves and was killed once.
  ///
  /// - Parameters:
  ///   - saves: the saves of each role.
  ///   - longest: the longest life of a process in microseconds; shorter at first, and random.
  ///   - start: runs a process of a role, which ends after some microseconds.
  /// - Returns: how many processes were killed.
  static func killMany(
    roles: Int, saves: Int, log: String, in container: ModelContainer, longest: UInt32,
    start: @escaping @Sendable (_ role: Int, _ microseconds: UInt32) async throws -> Void
  ) async throws -> Int {
    let context = ModelContext(container)
    context.insert(Ledger())
    for role in 0..<roles { context.insert(Role(role)) }
    try context.save()

    return try await withThrowingTaskGroup(of: Int.self) { group in
      for role in 0..<roles {
        group.addTask {
          var random = SplitMix(seed: UInt64(role))
          var kills = 0
          while acknowledged(log, role) < saves || kills == 0 {
            let bound = min(longest, 100_000 * UInt32(1 + kills))
            try await start(role, UInt32.random(in: 1...bound, using: &random))
            kills += 1
            try #require(kills < 100 + saves / 10, "the processes save nothing")
          }
          return kills
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Expects that each acknowledged save is there, whole, and at most one more of each role.
  ///
  /// - Returns: the number of saves.
  @discardableResult
  static func expectWhole(roles: Int, log: String, in container: ModelContainer) throws -> Int {
    let context = ModelContext(container)
    var (saves, entries) = (0, 0)
    let found = try context.fetch(FetchDescriptor<Role>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == Array(0..<roles))
    for role in found {
      let acknowledged = acknowledged(log, role.number)
      // A save may be committed whose acknowledgement was not written.
      #expect(acknowledged...(acknowledged + 1) ~= role.saves)
      let expected = Set((1...role.saves).filter { !isDeleted($0, after: role.saves) })
      #expect(role.entries.count == expected.count && Set(role.entries.map(\.number)) == expected)
      saves += role.saves
      entries += expected.count
    }
    #expect(try context.fetch(FetchDescriptor<Ledger>()).map(\.entries.count) == [entries])
    return saves
  }
}
