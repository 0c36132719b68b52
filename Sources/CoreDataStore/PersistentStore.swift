package import Foundation
package import SQLite
package import StoreRequests

/// An open store: its layout, one connection that writes, and as many connections that read as are needed.
///
/// Reads run in parallel. Each read sees the committed rows at the start of its first statement. Writes queue.
/// Opening an existing store writes nothing. A store in memory has one connection for reads and writes, with the same
/// tables and the same engine.
package final class PersistentStore: @unchecked Sendable {  // all that is `var` is guarded by `lock`
  /// The store's file; `nil` in memory.
  package let url: URL?
  package let layout: StoreLayout
  /// The layout's entities, without tables and columns.
  package let entities: EntityTable
  /// The metadata at the time when the store was opened.
  package let metadata: StoreMetadata
  package let isReadOnly: Bool
  /// The folder with a file for each big value of an attribute with external storage (CD-5); `nil` in memory.
  package let externalData: ExternalDataFolder?
  let externalDataWriter: ExternalDataWriter
  /// `Z_UUID` (CD-10).
  package var identifier: String { metadata.identifier }

  let lock = StoreLock()
  private var writer: Connection?
  /// The number of connections that have been the writer.
  private var writerNumber = 0
  private var watcher: Connection?
  /// Whether ``prepareForWriting(_:)`` has prepared the writer.
  private var isPrepared = false
  /// The schema version for which ``decideTrust(of:_:)`` has decided.
  private var trustedVersion: Int64?
  /// Whether triggers of the schema with that version may skip rows. Only writers use this value.
  private(set) var maySkipRows = false
  private var isClosed = false
  private let readers: ConnectionPool
  /// Tells of others' saves where the writer cannot.
  private let markReader: MarkReader
  private let openReader: @Sendable () throws -> Connection
  private let openWriter: @Sendable () throws -> Connection
  private let didClose: @Sendable () -> Void
  /// The statements of this store's fetches, one for each shape.
  let plans = SelectPlans()
  let writes = WriteStatements()
  let affectedRows = AffectedRows()
  let openedModel: OpenedModel
  let knownSearchIndexes = KnownSearchIndexes()
  /// Only writers use this value, and they hold the lock.
  var historyForm = KnownHistoryForm()
  let knownEntities = KnownStoredEntities()

  init(
    url: URL?, layout: StoreLayout, metadata: StoreMetadata, isReadOnly: Bool, writer: Connection? = nil,
    externalData: ExternalDataFolder?, externalDataWriter: ExternalDataWriter, openedModel: OpenedModel,
    openReader: @escaping @Sendable () throws -> Connection, openWriter: @escaping @Sendable () throws -> Connection,
    didClose: @escaping @Sendable () -> Void = {}
  ) {
    self.url = url
    self.layout = layout
    entities = layout.entityTable
    self.metadata = metadata
    self.isReadOnly = isReadOnly
    self.writer = writer
    self.openReader = openReader
    self.openWriter = openWriter
    self.didClose = didClose
    self.externalData = externalData
    self.externalDataWriter = externalDataWriter
    self.openedModel = openedModel
    readers = ConnectionPool(of: url?.path, openReader)
    markReader = MarkReader(openReader)
  }

  deinit { close() }

  /// Runs `body` with a connection for reading, which `body` must not keep.
  ///
  /// It first checks that no process has migrated the store (one pragma), because the statements of `body` do not notice
  /// a migration. Several statements see one state of the store only inside `connection.transaction(.deferred)`.
  /// - Throws: the errors of `body`; `SQLiteError` as ``StoreError``.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try reporting {
      guard url == nil else {
        return try readers.withConnection { connection in
          try openedModel.check(connection)
          return try body(connection)
        }
      }
      return try lock.withLock { try body(try writerConnection()) }
    }
  }

  /// Lends a connection for reading until the lease ends, for rows that the caller reads on demand.
  ///
  /// Statements that begin with ``ReadLease/start(_:mayCount:)`` notice a migration of the store; others call
  /// ``ReadLease/checkModel()`` before. A store in memory has one connection, which the lease locks for every thread
  /// except the caller's. The lease may end on another thread.
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is closed.
  package func lease() throws -> ReadLease {
    try reporting {
      guard url == nil else {
        let pool = readers
        let connection = try pool.take()
        return ReadLease(connection, openedModel) { pool.giveBack(connection) }
      }
      lock.lock()
      do {
        return ReadLease(try writerConnection(), openedModel, isShared: true) { [lock] in lock.unlock() }
      } catch {
        lock.unlock()
        throw error
      }
    }
  }

  /// Runs `body` with a separate connection for reading.
  ///
  /// The connection can tell the changes of other connections and processes since its last use.
  func watching<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try reporting {
      try lock.withLock {
        guard !isClosed, url != nil else { return try body(try writerConnection()) }
        let connection = try watcher ?? openReader()
        watcher = connection
        return try body(connection)
      }
    }
  }

  /// The version of the data that the writing connection sees: its own saves leave it as it is.
  ///
  /// During a save, and while there is no writer, another connection answers. It sees the saves of this store, too.
  package func markOfOthers() -> OthersMark? {
    guard url != nil else { return nil }
    let mark = lock.withLockIfFree { writer.flatMap { OthersMark($0, number: writerNumber) } }
    return mark ?? markReader.mark()
  }

  /// Runs `body` in a transaction of the writing connection: a return commits it, an error rolls it back.
  ///
  /// The transaction takes the write lock at once (`BEGIN IMMEDIATE`, CD-6). Inside another `write` on the same
  /// thread it is a nested transaction.
  /// - Parameter beforeCommit: runs with the result of `body` before the commit, when only the commit itself can still fail.
  /// - Throws: the errors of the closures; ``StoreError/Kind/locked(_:)`` if another process holds the lock for too long;
  ///   ``StoreError/Kind/replaced`` if the path now leads to other files; ``StoreError/Kind/migrated`` if somebody has
  ///   migrated the store since it was opened.
  package func write<Result>(
    beforeCommit: ((Result) throws -> Void)? = nil, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard !isReadOnly else { throw StoreError(path: url?.path, .readOnly) }
    return try reporting {
      try lock.withLock {
        let connection = try writerConnection()
        let isNested = connection.isInTransaction
        let result: Result
        do {
          if isNested {
            result = try connection.savepoint {
              let result = try body(connection)
              try beforeCommit?(result)
              return result
            }
          } else {
            result = try connection.transaction(.immediate) {
              if connection.fileHasMoved || connection.logHasMoved { throw StoreError(path: url?.path, .replaced) }
              let version = try openedModel.check(connection)
              if trustedVersion != version {
                let definitions = try Catalogue.definitions(connection)
                try decideTrust(of: connection, definitions)
                maySkipRows = definitions.maySkipRows
                trustedVersion = version
              }
              let result = try body(connection)
              try externalDataWriter.prepareCommit(on: connection)
              if let beforeCommit {
                try connection.prepareCommit()
                try beforeCommit(result)
              }
              return result
            }
          }
        } catch {
          if !isNested { discardUnended(connection) }
          throw isNested
            ? externalDataWriter.undone(after: error) : externalDataWriter.failed(on: connection, after: error)
        }
        if !isNested { externalDataWriter.committed() }
        return result
      }
    }
  }

  /// Closes a connection whose transaction could not be rolled back.
  ///
  /// Closing rolls back, so that the next writer does not continue that transaction. The caller holds the lock.
  private func discardUnended(_ connection: Connection) {
    guard url != nil, connection.isInTransaction else { return }
    connection.close()
    writer = nil
  }

  /// Closes all connections; a connection with unfinished reads closes after them.
  ///
  /// If no other connection has the store open, one file remains. A store that is open for reading only keeps its log.
  package func close() {
    lock.withLock {
      guard !isClosed else { return }
      isClosed = true
      readers.close()
      writer?.close()
      watcher?.close()
      writer = nil
      watcher = nil
      markReader.close()
      didClose()
    }
  }

  /// Runs `body` with the writing connection outside of a transaction, in which SQLite attaches no database.
  func setUpWriter(_ body: (Connection) throws -> Void) throws {
    try reporting { try lock.withLock { try body(try writerConnection()) } }
  }

  /// Returns the connection for writing, and opens and prepares it first if necessary. The caller holds the lock.
  private func writerConnection() throws -> Connection {
    guard !isClosed else { throw StoreError(path: url?.path, .closed) }
    if let writer, isPrepared { return writer }
    let connection = try writer ?? openWriter()
    try prepareForWriting(connection)
    trustedVersion = nil
    if writer == nil { writerNumber += 1 }
    writer = connection
    markReader.pause()
    isPrepared = true
    return connection
  }

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw StoreError.wrapping(error, path: url?.path) }
  }
}
