import Foundation
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A process that is killed while it saves: what `save` has returned for stays, and no save is there in part.
@Suite(.startsProcesses) struct KilledSaveTests {
  /// Saves to see through, and processes to kill meanwhile, at least: more with `OPENSWIFTDATA_FULL_TESTS` set.
  private static let goal = FullTests.areWanted ? (saves: 1_000, kills: 60) : (saves: 50, kills: 4)

  @Test("a process killed at any moment of many saves loses none that was acknowledged, and leaves none half done")
  func killed() async throws {
    let folder = try TemporaryStore()
    let url = folder.url
    let store = try PersistentStore.open(at: url, model: SampleModel.library)
    try SavingProcess.addShelf(to: store)
    store.close()
    var kills = 0
    var random = SplitMix(seed: 19)
    var acknowledged = 0
    while acknowledged < Self.goal.saves || kills < Self.goal.kills {
      let path = url.path
      // Longer and longer, should the machine be too busy for a save to come to its end.
      let longest: UInt32 = kills.isMultiple(of: 2) ? 40_000 : 4_000
      let delay = UInt32.random(in: 1...longest * UInt32(1 + kills / Self.goal.kills), using: &random)
      let first = acknowledged + 1
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, delay = delay as UInt32, first = first as Int] in
        try SavingProcess(path: path, first: first).run(killedAfter: delay)
      }
      kills += 1
      // What was acknowledged to this process or seen by an earlier check; one more may be in the store without the
      // process having lived to say so.
      let least = max(acknowledged, try SavingProcess.acknowledged(path))
      acknowledged = try check(url)
      #expect(least...(least + 1) ~= acknowledged, "killed after \(delay) µs")
      try #require(kills < 10 * Self.goal.kills, "the processes save nothing")
    }
    #expect(try StoreChecker.check(url) == [])
    try Oracle.expectSound(url)
  }

  /// The number of saves in the store, each of which has to be whole.
  private func check(_ url: URL) throws -> Int {
    func integer(_ sql: String) throws -> Int {
      let connection = try Connection(path: url.path, mode: .readWrite)
      defer { connection.close() }
      return Int(try connection.integer(sql) ?? -1)
    }
    let done = try integer("SELECT max(CAST(ZLABEL AS INTEGER)) FROM ZSHELF")
    #expect(try integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0)
    // Each save adds three books and a genre, pairs them, and counts on the shelf.
    #expect(try integer("SELECT count(*) FROM ZBOOK") == done * 3)
    #expect(try integer("SELECT count(*) FROM ZBOOK WHERE CAST(ZTITLE AS INTEGER) BETWEEN 1 AND \(done)") == done * 3)
    #expect(try integer("SELECT count(*) FROM ZGENRE") == done)
    #expect(try integer("SELECT count(*) FROM Z_1GENRES") == done * 3)
    #expect(try integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == done * 3)
    #expect(try integer("SELECT Z_OPT FROM ZSHELF") == done + 1)
    return done
  }
}

/// What the process does that is going to be killed: saves, and a line in a file after each.
struct SavingProcess {
  let path: String
  let first: Int

  private static func log(_ path: String) -> String { path + "-acknowledged" }

  /// The last save whose line is complete.
  static func acknowledged(_ path: String) throws -> Int {
    guard let text = try? String(contentsOfFile: log(path), encoding: .utf8) else { return 0 }
    return Int(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? "0") ?? 0
  }

  static func openLog(_ path: String) -> CInt { open(log(path), O_WRONLY | O_CREAT | O_APPEND, 0o600) }

  static func acknowledge(_ number: Int, _ log: CInt) {
    let line = "\(number)\n"
    write(log, line, line.utf8.count)
  }

  func run(killedAfter microseconds: UInt32) throws {
    let log = SavingProcess.openLog(path)
    let store = try PersistentStore.open(at: URL(fileURLWithPath: path))
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    for number in first... {
      try SavingProcess.save(number, store)
      SavingProcess.acknowledge(number, log)
    }
  }

  static func addShelf(to store: PersistentStore) throws {
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: Int32(try store.layout.existingEntity("Shelf").number),
        columns: [ColumnSelection(entityName: "Shelf", propertyName: "label")],
        source: StoreValuesRow(values: ["label": .text("0")]))
    ]
    _ = try store.save(changes)
  }

  /// Counts on the shelf, and adds three books and a genre of all of them.
  static func save(_ number: Int, _ store: PersistentStore) throws {
    func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
      names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    }
    func entity(_ name: String) throws -> Int32 { Int32(try store.layout.existingEntity(name).number) }
    let shelf = ObjectKey(entity: try entity("Shelf"), key: 1)
    var changes = ChangeSet()
    changes.updates = [
      .init(
        object: shelf, version: Int64(number), columns: columns("Shelf", ["label"]), changedProperties: ["label"],
        source: StoreValuesRow(values: ["label": .text("\(number)")]))
    ]
    changes.insertions = try (0..<3).map { book in
      .init(
        entity: try entity("Book"), columns: columns("Book", ["title", "shelf"]),
        source: StoreValuesRow([
          "title": .values([.text("\(number) \(String(repeating: "word ", count: 100 * book))")]),
          "shelf": .object(shelf),
        ]))
    }
    changes.insertions.append(
      .init(
        entity: try entity("Genre"), columns: columns("Genre", ["name"]),
        source: StoreValuesRow(values: ["name": .text("\(number)")])))
    changes.relationshipChanges = (0..<3).map {
      .init(owner: .inserted($0), relationship: "genres", added: [.inserted(3)])
    }
    _ = try store.save(changes)
  }
}
