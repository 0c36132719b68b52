package import Foundation
package import ManagedModel
import SQLite

/// Whether a store holds what its own model and the format promise: bookkeeping, hashes, keys, values and history.
///
/// Everything is looked at with SQL's own counting; nothing is written. What Core Data itself leaves behind (keys that
/// lead to deleted rows, CD-3.1; reflexive pairs whose partner is gone, CD-3.3) is no finding.
/// Cost: several queries per table, each over all its rows.
package struct StoreChecker {
  let store: PersistentStore
  let connection: Connection
  let catalogue: Catalogue
  private(set) var findings: [CheckFinding] = []
  /// More findings than that say nothing new.
  private static let limit = 1_000

  /// Opens a store for reading and checks it.
  ///
  /// - Throws: ``StoreError`` where it cannot be opened at all.
  package static func check(_ url: URL, model: ModelDescription? = nil) throws -> [CheckFinding] {
    let store = try PersistentStore.open(at: url, options: StoreOptions(isReadOnly: true), model: model)
    defer { store.close() }
    return try check(store)
  }

  /// Checks an open store, on one state of its data.
  ///
  /// - Throws: ``StoreError``, `SQLiteError`
  package static func check(_ store: PersistentStore) throws -> [CheckFinding] {
    try store.read { connection in
      try connection.transaction(.deferred) {
        var checker = StoreChecker(
          store: store, connection: connection, catalogue: try Catalogue(connection))
        try checker.checkFile()
        try checker.checkBookkeeping()
        try checker.checkHashes()
        try checker.checkDefinitions()
        for table in store.layout.tables { try checker.checkRows(of: table) }
        for entity in store.layout.entities { try checker.checkProperties(of: entity) }
        for table in store.layout.joinTables { try checker.checkPairs(of: table) }
        try checker.checkHistory()
        return checker.findings
      }
    }
  }

  private init(store: PersistentStore, connection: Connection, catalogue: Catalogue) {
    self.store = store
    self.connection = connection
    self.catalogue = catalogue
  }

  mutating func report(_ fact: String, _ subject: String, _ problem: String) {
    if findings.count < StoreChecker.limit { findings.append(CheckFinding(fact, subject, problem)) }
  }

  mutating func expect(_ condition: Bool, _ fact: String, _ subject: String, _ problem: @autoclosure () -> String) {
    if !condition { report(fact, subject, problem()) }
  }

  /// Reports the rows of `source` that satisfy `condition`: how many, and the key of the first.
  mutating func expectNone(
    _ fact: String, _ subject: String, _ problem: String, from source: String, where condition: String,
    key: String = "Z_PK"
  ) throws {
    let statement = try connection.prepare("SELECT count(*), min(\(key)) FROM \(source) WHERE \(condition)")
    guard try statement.step(), statement.integer(0) > 0 else { return }
    report(
      fact, subject, "\(problem): \(statement.integer(0)) rows, the first has \(key) \(statement.text(1) ?? "NULL")")
  }

  /// `(1,2,3)`.
  static func list(_ numbers: some Sequence<Int>) -> String {
    "(" + numbers.map(String.init).joined(separator: ",") + ")"
  }

  private mutating func checkFile() throws {
    let statement = try connection.prepare("PRAGMA integrity_check(20)")
    while try statement.step() {
      let text = statement.text(0) ?? ""
      expect(text == "ok", "CD-1.5", "file", text)
    }
  }

  private mutating func checkHashes() throws {
    let metadata = store.metadata
    do {
      let computed = try VersionHashes(store.layout.model)
      for name in metadata.hashes.hashes.keys.sorted() where computed[name] != metadata.hashes[name] {
        report("VH-1", name, "the version hash in the metadata is not that of the model in the store")
      }
      for entity in store.layout.entities where metadata.hashes[entity.name] == nil {
        report("CD-1.3", entity.name, "the metadata has no version hash")
      }
    } catch {
      report("VH-1", "model", "\(error)")
    }
    if let digest = metadata.digest {
      expect(digest == metadata.hashes.digest, "VH-13", StoreMetadata.Key.digest, "is not that of the hashes")
    }
    if let checksum = metadata.checksum {
      expect(checksum == metadata.hashes.checksum, "VH-14", StoreMetadata.Key.checksum, "is not that of the hashes")
    }
  }
}
