import Foundation
import ManagedModel
import ModelArchive
import SQLite
@testable import StoreInspection
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// A check of files that are anything: it leaves them as they are, and ends with findings or an error.
@Suite(.damagesStores("hostile stores"))
struct CheckerHostileTests {
  /// Everything in a store's folder: names, bytes and times of change.
  private func state(_ store: TemporaryStore) throws -> [String: String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: store.folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        let path = store.folder.appendingPathComponent(name).path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let bytes = FileManager.default.contents(atPath: path)?.hashValue
        return (name, "\(String(describing: bytes)) \(String(describing: attributes[.modificationDate]))")
      })
  }

  /// The errors of a check that changes nothing; `nil` where no store can be made out.
  private func check(_ store: TemporaryStore) throws -> [CheckFinding]? {
    let before = try state(store)
    let findings: [CheckFinding]?
    do { findings = try StoreChecker.report(store.url).errors } catch is StoreError { findings = nil }
    #expect(try state(store) == before)
    return findings
  }

  @Test("A store whose rows are still in its log is read whole, and stays as it is")
  func log() throws {
    let sample = try CheckerSampleStore.make()
    let connection = try Connection(path: sample.url.path, mode: .readWrite)
    try connection.setPragma("wal_autocheckpoint", "0")
    try connection.execute("UPDATE ZGENRE SET Z_OPT = 0")
    let copy = try TemporaryStore(name: "Books.store")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: sample.url.path + suffix, toPath: copy.url.path + suffix)
    }
    connection.close()
    #expect(try check(copy)?.map(\.rule) == [.rowVersions])
  }

  @Test("A store that another connection has open and is writing is checked as it was committed")
  func shared() throws {
    let sample = try CheckerSampleStore.make()
    let connection = try Connection(path: sample.url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("BEGIN IMMEDIATE; UPDATE ZGENRE SET Z_OPT = 0")
    #expect(try check(sample) == [])
    try connection.execute("COMMIT")
    #expect(try check(sample)?.map(\.rule) == [.rowVersions])
  }

  @Test("A store that others open, write and close meanwhile is checked as one of them left it")
  func busy() throws {
    let folder = try TemporaryStore()
    let url = folder.url
    let store = try PersistentStore.open(at: url, model: SampleModel.library)
    try SavingProcess.addShelf(to: store)
    store.close()
    let isDone = Mutex(false)
    let saves = Mutex(Result<Int, any Error>.success(0))
    let end = DispatchSemaphore(value: 0)
    // Not of those that the tests wait for one another on.
    Thread.detachNewThread {
      var number = 0
      var random = SplitMix(seed: 79)
      let result = Result {
        while !isDone.withLock({ $0 }) {
          let store = try PersistentStore.open(at: url)
          try SavingProcess.save(number + 1, store)
          store.close()
          number += 1
          // Whoever copies the store needs a moment in which nobody writes.
          usleep(.random(in: 0...20_000, using: &random))
        }
        return number
      }
      saves.withLock { $0 = result }
      end.signal()
    }
    var looks = 0
    for _ in 0..<30 {
      // A copy that was written to three times in a row is given up, in words.
      guard let report = try? StoreChecker.report(url) else { continue }
      #expect(report.errors == [])
      if let model = try? StoreModel.read(url) { #expect(model.differingEntities == []) }
      looks += 1
    }
    isDone.withLock { $0 = true }
    end.wait()
    #expect(try saves.withLock { try $0.get() } > 0 && looks > 1)
  }

  @Test(
    "Names in a model are never SQL",
    arguments: [
      #"X"; DROP TABLE Z_METADATA; --"#, "X'); DELETE FROM Z_METADATA; --", "a b\n\tc", "Ünïcödé 漢字", "]`[",
      "ON INDEX WHERE",
      String(repeating: "Long", count: 500),
    ])
  func names(_ name: String) throws {
    let store = try TemporaryStore()
    let model = ModelDescription(entities: [
      EntityDescription(
        name: name,
        properties: [
          .attribute(AttributeDescription(name: name, type: .string)),
          .relationship(
            RelationshipDescription(name: "others", destinationEntityName: name, inverseName: "others", maximumCount: 0)
          ),
        ],
        uniquenessConstraints: [[name]],
        fetchIndexes: [FetchIndexDescription(name: name, elements: [.init(subject: .property(name))])])
    ])
    try PersistentStore.open(at: store.url, model: model).close()
    #expect(try check(store) == [])
    let again = try StoreChecker.report(store.url, isStrict: true)
    #expect(again.errors == [])
  }

  @Test(
    "Strange tables, numbers and texts give findings",
    arguments: [
      "UPDATE Z_PRIMARYKEY SET Z_ENT = 9223372036854775807 WHERE Z_ENT = 8",
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 9223372036854775807",
      "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL", "UPDATE Z_PRIMARYKEY SET Z_NAME = x'FF00FE'",
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Book'", "UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808",
      "UPDATE Z_METADATA SET Z_UUID = x'FF'", "UPDATE Z_METADATA SET Z_PLIST = zeroblob(100000)",
      "UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(100000)", "DELETE FROM Z_PRIMARYKEY",
      "UPDATE ACHANGE SET ZENTITY = 9223372036854775807, ZENTITYPK = -9223372036854775808",
      "UPDATE ACHANGE SET ZCHANGETYPE = 'x', ZENTITY = x'00', ZCOLUMNS = 1.5",
      "UPDATE ZBOOK SET Z_ENT = 'x', Z_OPT = x'00', ZSHELF = 'y', Z_FOK_SHELF = x'01', ZCOVER = x'02'",
      "DROP TABLE ZBOOK; CREATE VIEW ZBOOK AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT",
      "DROP TABLE ZBOOK; CREATE TABLE ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE AS (Z_PK || Z_ENT))",
      "DROP TABLE ACHANGE; CREATE TABLE ACHANGE (Z_PK)",
      "CREATE TABLE \"Z\"\"; DROP TABLE Z_METADATA; --\" (\"a\"\"b\" INTEGER DEFAULT 'CHECK')",
    ])
  func content(_ script: String) throws {
    let store = try CheckerSampleStore.make()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try TriggerFunctions.register(on: connection)
    try connection.trustSchema()
    try connection.execute(script)
    connection.close()
    let findings = try check(store)
    #expect(findings?.isEmpty != true)
  }

  @Test("Models with circles and holes give findings")
  func models() throws {
    var circle = CheckerSampleStore.model
    circle.entities[0].superentityName = "Novel"
    var hole = CheckerSampleStore.model
    hole.entities.removeAll { $0.name == "Genre" }
    var twins = CheckerSampleStore.model
    twins.entities.append(twins.entities[3])
    for model in [circle, hole, twins] {
      let store = try CheckerSampleStore.make()
      let connection = try Connection(path: store.url.path, mode: .readWrite)
      guard let archive = try? ModelArchive.encodeModelCache(model) else { continue }
      let statement = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
      try statement.bind(archive, at: 1)
      try statement.run()
      connection.close()
      let findings = try #require(try check(store))
      #expect(findings.contains { $0.rule == .modelCache || $0.rule == .hashes }, "\(findings)")
    }
  }

  @Test("A file cut anywhere, or with bytes flipped in its first pages, gives findings or an error")
  func bytes() throws {
    let sample = try CheckerSampleStore.make()
    let whole = try Data(contentsOf: sample.url)
    let store = try TemporaryStore(name: "Books.store")
    for count in stride(from: 0, to: whole.count, by: FullTests.areWanted ? 9_973 : 29_989) {
      try whole.prefix(count).write(to: store.url)
      _ = try check(store)
    }
    for offset in stride(from: 0, to: 8_192, by: FullTests.areWanted ? 61 : 257) {
      var data = whole
      data[offset] ^= 0xFF
      try data.write(to: store.url)
      _ = try check(store)
    }
  }
}
