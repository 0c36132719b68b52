import Foundation
import SQLite
package import StoreRequests

extension PersistentStore: RecoverableEngine {
  /// The names of this package's tables that no model mentions, without those of search indexes. Each is made when it is needed.
  package static var tablesOfPackage: Set<String> { [historyReadersTable, historyGapTable, JointSaveTable.name] }

  package var isRecoverable: Bool { url != nil && !isReadOnly }

  package func save(
    _ changes: ChangeSet, note: JointSaveNote, beforeCommit: (SaveResult) throws -> Void
  ) throws -> SaveResult {
    try write(changes, note, beforeCommit: beforeCommit)
  }

  package func jointSaveRecords() throws -> [JointSaveRecord] { try read(JointSaveTable.records) }

  package func removeJointSaveRecord(_ identifier: String) throws {
    // Reads first, because a failed save usually has no record. Then nothing is written.
    guard try read({ try JointSaveTable.hasRecord(identifier, over: $0) }) else { return }
    try write { try JointSaveTable.removeRecord(identifier, over: $0) }
  }

  package func allowJointSaves(with store: String) throws {
    guard try !read({ try JointSaveTable.allows(store, over: $0) }) else { return }
    try write { connection in
      guard try !JointSaveTable.allows(store, over: connection) else { return }
      try JointSaveTable.insert("", store: store, transaction: nil, record: nil, over: connection)
    }
  }
}

/// The table of a store's notes of saves over several stores; see ``RecoverableEngine``.
///
/// The table is in the store, so its rows are part of the store's transactions. Core Data leaves unknown tables alone. There are three
/// kinds of rows:
///
/// - A record: `ID` is a save, `STORE` is empty, `RECORD` has the other stores' parts. This store commits first.
/// - A note: `ID` is a save, `STORE` is the store with its record. This store has its part.
/// - A permission: `ID` is empty, `STORE` is a store. Its records may change this store.
enum JointSaveTable {
  static let name = "OSD_JOINT_SAVES"
  /// The number of notes that are kept for each other store. A note is needed only while that store has the record of the save.
  private static let remembered = 1000

  /// - Throws: ``JointSaveNote/Refusal``
  static func check(_ note: JointSaveNote, over connection: Connection) throws {
    guard case .part(let identifier, let store) = note else { return }
    guard try allows(store, over: connection) else { throw JointSaveNote.Refusal.unknownStore }
    if try has(identifier, store: store, over: connection) { throw JointSaveNote.Refusal.isWritten }
  }

  static func write(_ note: JointSaveNote, transaction: Int64?, over connection: Connection) throws {
    switch note {
    case .record(let identifier, let data):
      try insert(identifier, store: "", transaction: transaction, record: data, over: connection)
    case .part(let identifier, let store):
      try insert(identifier, store: store, transaction: nil, record: nil, over: connection)
      let old = try connection.statement(
        """
        DELETE FROM \(name) WHERE STORE = ?1 AND ID <> '' AND rowid <=
          (SELECT rowid FROM \(name) WHERE STORE = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET \(remembered))
        """)
      try old.bind(store, at: 1)
      try old.run()
    }
  }

  static func allows(_ store: String, over connection: Connection) throws -> Bool {
    try connection.hasTable(name) && has("", store: store, over: connection)
  }

  static func records(over connection: Connection) throws -> [JointSaveRecord] {
    guard try connection.hasTable(name) else { return [] }
    let statement = try connection.statement(
      "SELECT ID, TRANSACTIONID, RECORD FROM \(name) WHERE STORE = '' ORDER BY rowid LIMIT 1000")
    defer { statement.reset() }
    var records: [JointSaveRecord] = []
    while try statement.step() {
      records.append(
        JointSaveRecord(
          identifier: statement.text(0) ?? "", transaction: statement.isNull(1) ? nil : statement.integer(1),
          data: statement.blob(2) ?? Data()))
    }
    return records
  }

  static func hasRecord(_ identifier: String, over connection: Connection) throws -> Bool {
    try connection.hasTable(name) && has(identifier, store: "", over: connection)
  }

  static func removeRecord(_ identifier: String, over connection: Connection) throws {
    let statement = try connection.statement("DELETE FROM \(name) WHERE ID = ?1 AND STORE = ''")
    try statement.bind(identifier, at: 1)
    try statement.run()
  }

  static func insert(
    _ identifier: String, store: String, transaction: Int64?, record: Data?, over connection: Connection
  ) throws {
    if try !connection.hasTable(name) {
      try connection.execute(
        "CREATE TABLE \(name) (ID TEXT NOT NULL, STORE TEXT NOT NULL, TRANSACTIONID INTEGER, RECORD BLOB, UNIQUE (STORE, ID))"
      )
    }
    let statement = try connection.statement("INSERT INTO \(name) VALUES (?1, ?2, ?3, ?4)")
    try statement.bind(identifier, at: 1)
    try statement.bind(store, at: 2)
    if let transaction { try statement.bind(transaction, at: 3) } else { try statement.bindNull(at: 3) }
    if let record { try statement.bind(record, at: 4) } else { try statement.bindNull(at: 4) }
    try statement.run()
  }

  private static func has(_ identifier: String, store: String, over connection: Connection) throws -> Bool {
    let statement = try connection.statement("SELECT 1 FROM \(name) WHERE STORE = ?1 AND ID = ?2")
    defer { statement.reset() }
    try statement.bind(store, at: 1)
    try statement.bind(identifier, at: 2)
    return try statement.step()
  }
}
