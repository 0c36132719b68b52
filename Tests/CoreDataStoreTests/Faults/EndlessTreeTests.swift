import DatabaseFiles
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Tables whose pages lead to one another as no table's do: thousands of levels, or rows without end.
@Suite(.damagesStores("pages that lead to one another"), .startsProcesses) struct EndlessTreeTests {
  /// Puts interior pages over a table's own tree, each leading to the next `fan` times and once more.
  static func bury(_ table: String, levels: Int, fan: Int, at url: URL) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    let root = Int(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'") ?? 1)
    let size = Int(try connection.integer("PRAGMA page_size") ?? 0)
    connection.close()
    var data = try Data(contentsOf: url)
    func big(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let first = data.count / size + 1
    let range = (root - 1) * size..<root * size
    var own = Data(data[range])
    // The first page of a file has its own header before that of the tree.
    let fileHeader = root == 1 ? own.prefix(100) : Data()
    if root == 1 { own.replaceSubrange(0..<2000, with: own[100..<2000] + Data(count: 100)) }
    func page(leadingTo next: Int, after header: Data = Data()) -> Data {
      var page = header + Data(count: size - header.count)
      let at = header.count
      page[at] = 5
      page.replaceSubrange(at + 3..<at + 5, with: big(fan, 2))
      page.replaceSubrange(at + 5..<at + 7, with: big(size - 5 * fan, 2))
      page.replaceSubrange(at + 8..<at + 12, with: big(next, 4))
      for cell in 0..<fan {
        let start = size - 5 * (cell + 1)
        page.replaceSubrange(at + 12 + 2 * cell..<at + 14 + 2 * cell, with: big(start, 2))
        page.replaceSubrange(start..<start + 5, with: big(next, 4) + [1])
      }
      return page
    }
    data.replaceSubrange(range, with: page(leadingTo: first, after: fileHeader))
    for level in 1..<levels { data.append(page(leadingTo: first + level)) }
    data.append(own)
    data.replaceSubrange(28..<32, with: big(data.count / size, 4))
    try data.write(to: url)
  }

  /// Removes a table's indexes, in which SQLite would count its rows.
  static func dropIndexes(of table: String, at url: URL) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    let names = try PlainSQL.lines(
      connection, "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = '\(table)' AND sql IS NOT NULL")
    for name in names { try connection.execute("DROP INDEX \(Identifier(name))") }
  }

  @Test(
    "a check tells of trees that SQLite's own would not survive, and reads no rows",
    arguments: [("ZBOOK", 5_000, 0), ("ZBOOK", 15, 300), ("ACHANGE", 30, 1)])
  func check(_ table: String, _ levels: Int, _ fan: Int) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try Self.bury(table, levels: levels, fan: fan, at: folder.url)
    let before = try FolderState(folder.folder)
    let report = try StoreChecker.report(folder.url)
    let integrity = try #require(report.groups.first { $0.rule == .integrity })
    #expect(integrity.failed >= 1 && !report.isSound)
    #expect(integrity.findings.first?.subject == table)
    let problem = integrity.findings.first?.problem ?? ""
    #expect(problem.hasPrefix(fan == 0 ? "has more than 20 levels" : "leads to page "), "\(problem)")
    let keys = try #require(report.groups.first { $0.rule == .keys })
    #expect(keys.status == .skipped && keys.reason?.contains("see integrity") == true)
    // What does not ask for rows is still looked at.
    #expect(report.groups.first { $0.rule == .columns }?.status == .ok)
    #expect(throws: StoreError.self) { try StoreSummary.read(folder.url) }
    #expect(try FolderState(folder.folder) == before)
  }

  @Test("no store can be made out where its bookkeeping is damaged so", arguments: ["Z_METADATA", "Z_PRIMARYKEY"])
  func bookkeeping(_ table: String) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try Self.bury(table, levels: 15, fan: 300, at: folder.url)
    let error = try #require(throws: StoreError.self) { try StoreChecker.report(folder.url) }
    #expect(error.description.contains("is damaged: \(table) leads to page "), "\(error)")
  }

  @Test("the trees of real stores are in order", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func fixtures() throws {
    var count = 0
    let folder = Fixtures.url("stores")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let url = folder.appendingPathComponent(name)
      guard let file = FileHandle(forReadingAtPath: url.path),
        try file.read(upToCount: 15) == Data("SQLite format 3".utf8)
      else { continue }
      let connection = try Connection(path: url.path, mode: .immutable)
      defer { connection.close() }
      #expect(try BTreeValidator(connection).damage.isEmpty, "\(url.path)")
      count += 1
    }
    #expect(count > 0)
  }

  @Test(
    "rows without end end in an error, whatever asks for them",
    arguments: ["fetch", "count", "counted values", "maximum", "filtered count"])
  func rows(_ use: String) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    if use.hasPrefix("count") { try Self.dropIndexes(of: "ZBOOK", at: folder.url) }
    try Self.bury("ZBOOK", levels: 15, fan: 300, at: folder.url)
    let before = try FolderState(folder.folder)
    let store = try PersistentStore.open(at: folder.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    let error = try #require(throws: (any Error).self) {
      switch use {
      case "fetch": _ = try store.rows(of: "Book")
      case "count": _ = try store.count(FetchRequest(entityName: "Book"))
      case "counted values": _ = try store.values(ValueRequest(entityName: "Book", values: [.groupCount])).next()
      case "maximum": _ = try store.read { try $0.integer("SELECT max(Z_OPT + 1) FROM ZBOOK") }
      default: _ = try store.read { try $0.integer("SELECT count(*) FROM ZBOOK WHERE Z_OPT > 99") }
      }
    }
    #expect("\(error)".contains("ZBOOK leads to page "), "\(error)")
    store.close()
    #expect(
      try FolderState(folder.folder).files.filter { !$0.key.hasSuffix("-shm") && !$0.value.isEmpty } == before.files)
  }

  @Test(
    "opening ends where the bookkeeping has rows without end, in the file or in a log",
    arguments: ["Z_PRIMARYKEY", "sqlite_master"], [false, true])
  func opening(_ table: String, inLog: Bool) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    if inLog {
      try Self.buryInLog(table, levels: 15, fan: 300, at: folder.url)
    } else {
      try Self.bury(table, levels: 15, fan: 300, at: folder.url)
    }
    let before = try FolderState(folder.folder)
    func expectDamage<Result>(_ use: () throws -> Result) throws {
      let error = try #require(throws: StoreError.self) { _ = try use() }
      #expect(error.description.contains("is damaged: "), "\(error)")
      let name = table == "sqlite_master" ? "the tree of the definitions" : table
      #expect(error.description.contains("\(name) leads to page "), "\(error)")
    }
    try expectDamage { try PersistentStore.open(at: folder.url) }
    try expectDamage { try PersistentStore.open(at: folder.url, options: StoreOptions(isReadOnly: true)) }
    try expectDamage { try StoreChecker.report(folder.url) }
    try expectDamage { try StoreSummary.read(folder.url) }
    try expectDamage { try StoreModel.read(folder.url) }
    #expect(try FolderState(folder.folder) == before)
  }

  /// Leaves the file as it is and puts the pages over a table's own tree into a log, as a process that was killed does.
  static func buryInLog(_ table: String, levels: Int, fan: Int, at url: URL) throws {
    let main = try Data(contentsOf: url)
    try bury(table, levels: levels, fan: fan, at: url)
    let hostile = try Data(contentsOf: url)
    try main.write(to: url)
    let size = 4096
    func big(_ words: [UInt32]) -> Data {
      words.reduce(into: Data()) { data, word in
        withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) }
      }
    }
    var sum = (UInt32(0), UInt32(0))
    func add(_ data: Data) {
      for start in stride(from: data.startIndex, to: data.endIndex, by: 8) {
        let words = [start, start + 4].map { data[$0..<$0 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        sum.0 = sum.0 &+ words[0] &+ sum.1
        sum.1 = sum.1 &+ words[1] &+ sum.0
      }
    }
    var log = big([0x377f_0683, 3_007_000, UInt32(size), 0, 1, 2])
    add(log)
    log += big([sum.0, sum.1])
    let count = hostile.count / size
    for page in 0..<count {
      let bytes = hostile[page * size..<(page + 1) * size]
      let start = big([UInt32(page + 1), page == count - 1 ? UInt32(count) : 0])
      add(start)
      add(bytes)
      log += start + big([1, 2, sum.0, sum.1]) + bytes
    }
    try log.write(to: URL(fileURLWithPath: url.path + "-wal"))
  }

  @Test("rows without end that wait in a log end as well", arguments: ["fetch", "count"], [false, true])
  func log(_ use: String, isWhole: Bool) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    if use == "count" { try Self.dropIndexes(of: "ZBOOK", at: folder.url) }
    if isWhole {
      try Self.buryInLog("ZBOOK", levels: 15, fan: 300, at: folder.url)
    } else {
      try Self.bury("ZBOOK", levels: 15, fan: 300, at: folder.url)
    }
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    if !isWhole { try store.write { try $0.execute("CREATE TABLE X (A)") } }
    #expect(FileManager.default.fileExists(atPath: folder.url.path + "-wal"))
    let error = try #require(throws: StoreError.self) {
      if use == "count" {
        _ = try store.count(FetchRequest(entityName: "Book"))
      } else {
        _ = try store.rows(of: "Book")
      }
    }
    #expect("\(error)".contains("ZBOOK leads to page "), "\(error)")
  }

  @Test(
    "a foreign trigger that empties a table of rows without end, or of endless levels, ends, and nothing is saved",
    arguments: [(15, 100), (150_000, 0)])
  func emptying(_ levels: Int, _ fan: Int) async throws {
    // Without care it is the process that ends.
    await #expect(processExitsWith: .success) { [levels = levels as Int, fan = fan as Int] in
      // Another process knows nothing of the suite's trait.
      let folder = try TemporaryStore(damage: "pages that lead to one another")
      try StoreDamager.makeStore(at: folder.url)
      try StoreDamager(url: folder.url).sql(
        """
        CREATE TABLE Y (A); INSERT INTO Y VALUES (1); CREATE TRIGGER X AFTER INSERT ON ZGENRE BEGIN DELETE FROM Y; END;
        PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL
        """)
      try Self.bury("Y", levels: levels, fan: fan, at: folder.url)
      let before = try Data(contentsOf: folder.url)
      let store = try PersistentStore.open(at: folder.url)
      let error = try #require(throws: StoreError.self) { try SavingProcess.save(4, store) }
      #expect("\(error)".contains("is damaged"), "\(error)")
      store.close()
      #expect(try Data(contentsOf: folder.url) == before)
    }
  }

  @Test("long statements on a sound file come to their end, with and without a log", arguments: [true, false])
  func sound(_ hasLog: Bool) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    if hasLog { try store.write { try $0.execute("CREATE TABLE X (A)") } }
    let sum = try store.read {
      try $0.integer("WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 2000000) SELECT max(I) FROM N")
    }
    #expect(sum == 2_000_000)
    #expect(try store.count(FetchRequest(entityName: "Book")) == 9)
  }

  @Test("the first count of a sound store walks no trees")
  func countWithoutWalk() throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    #expect(try store.count(FetchRequest(entityName: "Book")) == 9)
    let values = try store.values(ValueRequest(entityName: "Book", values: [.groupCount]))
    #expect(try values.next())
    values.close()
    #expect(try store.read { $0.statementGuard?.isValidated } == false)
  }
}
