import DatabaseFiles
import Foundation
package import ManagedModel
package import SQLite

/// The tables, metadata and model that opening a store needs, read in one pass that changes no file.
struct StoreContents {
  let catalogue: Catalogue
  let metadata: StoreMetadata
  let primaryKeys: PrimaryKeys
  /// `Z_MODELCACHE`'s archive.
  let modelArchive: Data?
  /// SQLite's schema version, which changes with every change of a definition.
  let schemaVersion: Int64

  /// Reads a store's file.
  ///
  /// Success or failure, the read makes, changes and removes no file. One exception is a rollback journal that a
  /// crash left behind: SQLite plays it back.
  /// - Throws: ``StoreError``
  init(_ file: StoreFile, busyTimeout: Duration) throws {
    func read(_ open: () throws -> Connection) throws -> StoreContents {
      try file.checkHeader()
      do {
        let connection = try open()
        defer { connection.close() }
        try connection.watch(StatementGuard(untrustedFile: file.resolvedPath))
        return try StoreContents(connection, path: file.path)
      } catch let error as SQLiteError {
        throw StoreError(path: file.path, error)
      }
    }
    // Without a `-shm` file no process has the store open. If no log holds data either, the main file is complete.
    if !file.isInUse,
      let contents = try file.inPlace({ try read { try Connection(path: file.resolvedPath, mode: .immutable) } })
    {
      self = contents
      return
    }
    // While SQLite waits for the lock on the whole file, it keeps a reader's lock. Two waiting openers would block each other. So an attempt
    // without a `-shm` file fails at once. The next attempt looks for that file again, because another process may have made it.
    var waited = Duration.zero
    while true {
      let isAlone = !file.isInUse
      do {
        self = try read {
          try StoreContents.look(at: file, isAlone: isAlone, busyTimeout: isAlone ? .zero : busyTimeout - waited)
        }
        return
      } catch let error as StoreError {
        guard isAlone, case .locked = error.kind, waited < busyTimeout || file.isInUse else { throw error }
        // Pauses of random length separate openers that began together.
        let pause = Int32.random(in: 1...20)
        Connection.wait(milliseconds: pause)
        waited += .milliseconds(pause)
      }
    }
  }

  init(_ connection: Connection, path: String?) throws {
    schemaVersion = try connection.schemaVersion()
    let catalogue = try Catalogue(connection)
    try StoreLayout.requireBookkeeping(in: catalogue.columns, path: path)
    self.catalogue = catalogue
    do { metadata = try StoreMetadata(connection) } catch let error as MetadataError {
      throw StoreError(path: path, .unusableMetadata(error))
    }
    primaryKeys = try PrimaryKeys(connection)
    modelArchive = try ModelCache.data(in: connection, catalogue)
  }

  /// The model of these contents, for a store that opens with them.
  func openedModel(path: String?) -> OpenedModel {
    OpenedModel(metadata.hashes, schemaVersion: schemaVersion, path: path)
  }

  /// Opens a connection that changes no file.
  ///
  /// - Parameter isAlone: whether to lock the whole file. SQLite then needs no `-shm` file.
  private static func look(at file: StoreFile, isAlone: Bool, busyTimeout: Duration) throws -> Connection {
    let connection = try Connection(path: file.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
    try connection.keepWriteAheadLogOnClose()
    if isAlone { try connection.setPragma("locking_mode", "EXCLUSIVE") }
    try connection.setPragma("query_only", "ON")
    return connection
  }
}

extension PersistentStore {
  /// Whether a database is a store that can be opened with its own model, or with one of the candidates.
  package static func canOpen(_ connection: Connection, candidates: [ModelDescription]) -> Bool {
    guard let contents = try? StoreContents(connection, path: nil) else { return false }
    return ([nil] + candidates).contains { (try? contents.layout(given: $0, path: nil)) != nil }
  }
}
