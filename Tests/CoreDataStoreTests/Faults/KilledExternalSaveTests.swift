import Foundation
import SQLite
import StoreRequests
@testable import StoreInspection
import TestSupport
import Testing

@testable import CoreDataStore

/// A process that is killed while it saves big values: no row ever refers to a file that is not there.
@Suite(.startsProcesses) struct KilledExternalSaveTests {
  private static let goal = FullTests.areWanted ? (saves: 500, kills: 60) : (saves: 30, kills: 4)

  @Test("CD-5 a process killed at any moment of many saves leaves each big value whole, the old or the new one")
  func killed() async throws {
    let folder = try TemporaryStore(name: "Album.sqlite")
    try PersistentStore.open(at: folder.url, model: ExternalDataWorld.model).close()
    var (kills, done) = (0, 0)
    var random = SplitMix(seed: 19)
    while done < Self.goal.saves || kills < Self.goal.kills {
      // Longer and longer, should the machine be too busy for a save to come to its end.
      let longest: UInt32 = kills.isMultiple(of: 2) ? 60_000 : 6_000
      let delay = UInt32.random(in: 1...longest * UInt32(1 + kills / Self.goal.kills), using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = folder.url.path as String, delay = delay as UInt32, first = done + 1 as Int] in
        try PictureProcess(path: path, first: first).run(killedAfter: delay)
      }
      kills += 1
      let least = max(done, try SavingProcess.acknowledged(folder.url.path))
      done = try PictureProcess.check(folder.url)
      #expect(least...(least + 1) ~= done, "killed after \(delay) µs")
      try #require(kills < 20 * Self.goal.kills, "the processes save nothing")
    }
    // Files of a save that did not come to its end may be left over, one of each process; nothing else is said.
    for finding in try StoreChecker.check(folder.url) {
      #expect(finding.problem.contains("nothing refers to"), "\(finding)")
    }
  }
}

/// Each save adds a picture, gives another image to the one before it, and removes one of which the image was changed.
struct PictureProcess {
  let path: String
  let first: Int

  private static func image(_ number: Int, isNew: Bool) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: isNew ? number : ~number), count: StoredData.threshold + number)
  }

  func run(killedAfter microseconds: UInt32) throws {
    let log = SavingProcess.openLog(path)
    let store = try PersistentStore.open(at: URL(fileURLWithPath: path))
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    for number in first... {
      try save(number, store)
      SavingProcess.acknowledge(number, log)
    }
  }

  func run(saves count: Int) throws {
    let store = try PersistentStore.open(at: URL(fileURLWithPath: path))
    for number in first..<first + count { try save(number, store) }
    store.close()
  }

  private func save(_ number: Int, _ store: PersistentStore) throws {
    func columns(_ names: [String]) -> [ColumnSelection] {
      names.map { ColumnSelection(entityName: "Picture", propertyName: $0) }
    }
    let entity = Int32(try store.layout.existingEntity("Picture").number)
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: entity, columns: columns(["title", "image"]),
        source: StoreValuesRow(values: ["title": .text("\(number)"), "image": .blob(Self.image(number, isNew: true))]))
    ]
    if number > 1 {
      changes.updates = [
        .init(
          object: ObjectKey(entity: entity, key: Int64(number - 1)), version: 1, columns: columns(["image"]),
          changedProperties: ["image"],
          source: StoreValuesRow(values: ["image": .blob(Self.image(number - 1, isNew: false))]))
      ]
    }
    if number > 4 { changes.deletions = [.init(object: ObjectKey(entity: entity, key: Int64(number - 4)), version: 2)] }
    _ = try store.save(changes)
  }

  /// The number of saves in the store, of which the last four pictures are left.
  static func check(_ url: URL) throws -> Int {
    let store = try PersistentStore.open(at: url)
    defer { store.close() }
    let rows = try store.rows(of: "Picture", properties: ["title", "image"])
    let done =
      rows.compactMap { row -> Int? in if case .integer(let key) = row[0] { Int(key) } else { nil } }.max() ?? 0
    let expected = (max(1, done - 3)..<(done + 1)).map { number -> [StoreValue] in
      [.text("\(number)"), .blob(image(number, isNew: number == done))]
    }
    #expect(rows.map { Array($0[3...]) } == expected)
    let files = try store.read {
      try ExternalFiles($0, store.layout.externalColumns, folder: try #require(store.externalData))
    }
    #expect(files.missing.isEmpty && files.references == rows.count)
    return done
  }
}
