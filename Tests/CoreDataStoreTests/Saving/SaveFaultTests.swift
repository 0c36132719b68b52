import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A save that fails at any step leaves the file as it was, and saves that meet each other lose nothing.
@Suite struct SaveFaultTests {
  private struct Fault: Error, Equatable {}

  /// A row that fails after a number of values, counted over all rows that share the counter.
  private final class FailingRow: RowSource {
    final class Counter { var left: Int; init(_ left: Int) { self.left = left } }
    let values: [StoreValue]
    let counter: Counter
    init(_ values: [StoreValue], _ counter: Counter) {
      self.values = values
      self.counter = counter
    }
    func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
      for value in values.prefix(columns.count) {
        counter.left -= 1
        if counter.left < 0 { throw Fault() }
        try binder.bind(value)
      }
    }
    func assign(_ object: ObjectKey, wasMerged: Bool) {}
  }

  private func dump(_ url: URL) throws -> [[StoreValue]] {
    let tables = try PlainSQL.rows(url, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return try tables.flatMap { table -> [[StoreValue]] in
      guard case .text(let name) = table[0] else { return [] }
      return try PlainSQL.rows(url, "SELECT '\(name)', * FROM \(name)")
    }
  }

  private func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
    names.map { ColumnSelection(entityName: entity, propertyName: $0) }
  }

  private func changes(_ world: FetchTestWorld, _ counter: FailingRow.Counter) -> ChangeSet {
    var changes = ChangeSet()
    let people = world.all("Person")
    let house = world.all("House")[0]
    changes.deletions = [.init(object: people[7].identity, version: 1)]
    changes.updates = people.prefix(3).map {
      .init(
        object: $0.identity, version: 1, columns: columns("Person", ["name", "age"]),
        changedProperties: ["name", "age"],
        source: FailingRow([.text("changed"), .integer(1)], counter))
    }
    changes.insertions = (0..<3).map {
      .init(
        entity: house.number, columns: columns("House", ["title"]), source: FailingRow([.text("new \($0)")], counter))
    }
    changes.relationshipChanges = [
      .init(
        owner: .existing(world.all("Club")[0].identity), relationship: "members", added: [.existing(people[0].identity)]
      )
    ]
    return changes
  }

  @Test func aSourceThatFailsAtAnyValueLeavesNothingBehind() throws {
    let world = try FetchTestWorld()
    let before = try dump(world.folder.url)
    // Six values of updates, three of look-ups of unique values, three of insertions.
    for step in 0..<12 {
      #expect(throws: Fault()) { try world.store.save(changes(world, .init(step))) }
      #expect(try dump(world.folder.url) == before, "step \(step)")
    }
    #expect(try world.store.save(changes(world, .init(12))).inserted.count == 3)
    #expect(try dump(world.folder.url) != before)
  }

  @Test func aStatementThatFailsAnywhereLeavesNothingBehind() throws {
    let world = try FetchTestWorld()
    let before = try dump(world.folder.url)
    // Each table in turn refuses what the save does to it.
    for (table, event) in [
      ("ZPERSON", "UPDATE"), ("ZPERSON", "DELETE"), ("ZHOUSE", "INSERT"), ("ACHANGE", "INSERT"),
      ("ATRANSACTION", "INSERT"),
      ("Z_PRIMARYKEY", "UPDATE"),
    ] {
      try world.store.write {
        try $0.execute(
          "CREATE TEMP TRIGGER refuse BEFORE \(event) ON main.\(table) BEGIN SELECT RAISE(ABORT, 'refused'); END")
      }
      #expect(throws: StoreError.self, "\(event) \(table)") { try world.store.save(changes(world, .init(100))) }
      try world.store.write { try $0.execute("DROP TRIGGER temp.refuse") }
      #expect(try dump(world.folder.url) == before, "\(event) \(table)")
    }
  }

  @Test func wrongInputIsToldAndNothingIsWritten() throws {
    let world = try FetchTestWorld()
    let before = try dump(world.folder.url)
    let house = world.all("House")[0]
    func save(_ change: (inout ChangeSet) -> Void) throws {
      var changes = ChangeSet()
      changes.deletions = [.init(object: house.identity, version: nil)]
      change(&changes)
      _ = try world.store.save(changes)
    }
    #expect(throws: SaveError.wrongWidth(entity: "Note", expected: 2, bound: 1)) {
      try save {
        $0.insertions = [
          .init(
            entity: world.all("Note")[0].number, columns: columns("Note", ["text", "size"]),
            source: FailingRow([.text("x")], .init(9)))
        ]
      }
    }
    #expect(throws: QueryError.unknownEntityNumber(99)) {
      try save { $0.insertions = [.init(entity: 99, columns: [], source: FailingRow([], .init(9)))] }
    }
    #expect(throws: QueryError.unknownProperty(name: "titel", entity: "House", nearest: "title")) {
      try save {
        $0.insertions = [
          .init(entity: house.number, columns: columns("House", ["titel"]), source: FailingRow([.text("x")], .init(9)))
        ]
      }
    }
    #expect(throws: SaveError.invalidReference(index: 4, count: 0)) {
      try save { $0.relationshipChanges = [.init(owner: .inserted(4), relationship: "residents")] }
    }
    #expect(try dump(world.folder.url) == before)
  }

  @Test func aBusyLockIsToldAndTheNextSaveWorks() throws {
    let world = try FetchTestWorld()
    let patient = try PersistentStore.open(at: world.folder.url, options: StoreOptions(busyTimeout: .milliseconds(20)))
    let other = try Connection(path: world.folder.url.path, mode: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: StoreError.self) { try patient.save(changes(world, .init(100))) }
    guard case .locked? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    try other.execute("ROLLBACK")
    #expect(try patient.save(changes(world, .init(100))).inserted.count == 3)
  }

  @Test("CD-6: two stores on one file that insert at the same time never give out a key twice")
  func twoWriters() async throws {
    let world = try FetchTestWorld()
    let url = world.folder.url
    let number = world.all("Note")[0].number
    let keys = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for writer in 0..<2 {
        group.addTask {
          let store = try PersistentStore.open(at: url, options: StoreOptions(busyTimeout: .seconds(30)))
          return try (0..<60).flatMap { round in
            var changes = ChangeSet()
            changes.insertions = (0..<3).map { _ in
              .init(
                entity: number, columns: [ColumnSelection(entityName: "Note", propertyName: "text")],
                source: StoreValuesRow(values: ["text": .text("writer \(writer) round \(round)")]))
            }
            return try store.save(changes).inserted.map(\.object.key)
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(keys.sorted() == Array(31...390))
    #expect(try PlainSQL.rows(url, "SELECT count(*), max(Z_PK) FROM ZNOTE") == [[.integer(390), .integer(390)]])
    #expect(
      try PlainSQL.rows(url, "SELECT count(DISTINCT ZENTITYPK), count(*) FROM ACHANGE WHERE ZENTITY = \(number)")
        == [[.integer(390), .integer(390)]])
    #expect(try PlainSQL.rows(url, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") == [[.integer(121)]])
  }

  @Test("CD-6: two stores that change one row in turn: who read an old version is told")
  func oldVersions() throws {
    let world = try FetchTestWorld()
    let other = try PersistentStore.open(at: world.folder.url)
    let person = world.all("Person")[0].identity
    func update(_ store: PersistentStore, _ version: Int64) throws -> [Int64] {
      var changes = ChangeSet()
      changes.updates = [
        .init(
          object: person, version: version, columns: columns("Person", ["age"]), changedProperties: ["age"],
          source: StoreValuesRow(values: ["age": .integer(version)]))
      ]
      return try store.save(changes).updatedVersions
    }
    #expect(try update(world.store, 1) == [2])
    #expect(try update(other, 2) == [3])
    #expect(
      throws: SaveError.conflicts([
        .init(entityName: "Person", object: person, expectedVersion: 2, actualVersion: 3)
      ])
    ) { try update(world.store, 2) }
    #expect(try update(world.store, 3) == [4])
  }

  @Test(
    "CD-6: another process that takes keys by the rules meanwhile is respected",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3"), "needs python3"))
  func anotherProcess() throws {
    let world = try FetchTestWorld()
    let url = world.folder.url
    let number = world.all("Note")[0].number
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
      for _ in range(50):
          db.execute('BEGIN IMMEDIATE')
          key = db.execute('SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT=\(number)').fetchone()[0] + 1
          db.execute('INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (?, \(number), 1, ?)', (key, 'python'))
          db.execute('UPDATE Z_PRIMARYKEY SET Z_MAX=? WHERE Z_ENT=\(number)', (key,))
          db.execute('COMMIT')
      """
    let program = try RunningProgram("/usr/bin/python3", ["-c", script, url.path])
    for _ in 0..<50 {
      var changes = ChangeSet()
      changes.insertions = [
        .init(
          entity: number, columns: columns("Note", ["text"]), source: StoreValuesRow(values: ["text": .text("swift")]))
      ]
      _ = try world.store.save(changes)
    }
    let other = try program.result()
    #expect(other.status == 0, "\(other.errors)")
    #expect(
      try PlainSQL.rows(url, "SELECT count(*), max(Z_PK) FROM ZNOTE WHERE ZTEXT IN ('python', 'swift')")
        == [[.integer(100), .integer(130)]])
  }

  @Test func aStoreInMemoryWorksTheSame() throws {
    let store = try PersistentStore.inMemory(model: FetchTestWorld.model)
    let number = Int32(try store.layout.existingEntity("Note").number)
    var changes = ChangeSet()
    changes.insertions = (0..<5).map {
      .init(
        entity: number, columns: columns("Note", ["text"]), source: StoreValuesRow(values: ["text": .text("\($0)")]))
    }
    _ = try store.save(changes)
    let cursor = try store.fetch(FetchRequest(entityName: "Note", columns: columns("Note", ["text"])))
    var texts: [String?] = []
    while try cursor.next() {
      var reader = cursor.reader()
      texts.append(reader.text())
      #expect(try store.count(FetchRequest(entityName: "Note")) == 5)
    }
    #expect(texts == ["0", "1", "2", "3", "4"])
  }
}
