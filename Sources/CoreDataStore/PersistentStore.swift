package import Foundation
package import SQLite

/// An open store: its layout, one connection that writes and as many that read as are needed.
///
/// Reads run in parallel, each on what is committed when its first statement starts; writes queue. Opening an existing
/// store writes nothing. A store in memory has one connection for both, with the same tables and the same engine.
package final class PersistentStore: @unchecked Sendable {  // `writer` and `isClosed` are guarded by `lock`
  /// The store's file; `nil` in memory.
  package let url: URL?
  package let layout: StoreLayout
  /// The metadata as it was when the store was opened.
  package let metadata: StoreMetadata
  package let isReadOnly: Bool
  /// `Z_UUID` (CD-10).
  package var identifier: String { metadata.identifier }

  private let lock = NSRecursiveLock()
  private var writer: Connection?
  private var isClosed = false
  private let readers: ConnectionPool
  private let openWriter: @Sendable () throws -> Connection

  init(
    url: URL?, layout: StoreLayout, metadata: StoreMetadata, isReadOnly: Bool, writer: Connection? = nil,
    openReader: @escaping @Sendable () throws -> Connection, openWriter: @escaping @Sendable () throws -> Connection
  ) {
    self.url = url
    self.layout = layout
    self.metadata = metadata
    self.isReadOnly = isReadOnly
    self.writer = writer
    self.openWriter = openWriter
    readers = ConnectionPool(openReader)
  }

  deinit { close() }

  /// Where big values of attributes with external storage are kept, a file each (CD-5); `nil` in memory.
  package var externalDataFolder: URL? {
    guard let url else { return nil }
    let name = "." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
    return url.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// Runs `body` with a connection for reading, which must not be kept.
  ///
  /// Several statements see one state of the store only inside `connection.transaction(.deferred)`.
  /// - Throws: what `body` throws; `SQLiteError` as ``StoreError``.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try reporting {
      guard url == nil else { return try readers.withConnection(body) }
      return try lock.withLock { try body(try writerConnection()) }
    }
  }

  /// Runs `body` in a transaction with the connection for writing: committed when it returns, undone when it throws.
  ///
  /// The write lock is taken at once (`BEGIN IMMEDIATE`, CD-6). Inside another `write` on the same thread it is a nested
  /// transaction.
  /// - Throws: what `body` throws; ``StoreError/Kind/locked(_:)`` where another process holds the lock for too long.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !isReadOnly else { throw StoreError(path: url?.path, .readOnly) }
    return try reporting {
      try lock.withLock {
        let connection = try writerConnection()
        guard !connection.isInTransaction else { return try connection.savepoint { try body(connection) } }
        return try connection.transaction(.immediate) { try body(connection) }
      }
    }
  }

  /// Closes all connections; what is still reading ends first. A store that nobody else has open leaves one file.
  package func close() {
    lock.withLock {
      isClosed = true
      readers.close()
      writer?.close()
      writer = nil
    }
  }

  /// To be called with the lock held.
  private func writerConnection() throws -> Connection {
    guard !isClosed else { throw StoreError(path: url?.path, .closed) }
    if let writer { return writer }
    let connection = try openWriter()
    writer = connection
    return connection
  }

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError where error.code == .busy || error.code == .locked {
      throw StoreError(path: url?.path, error)
    }
  }
}
