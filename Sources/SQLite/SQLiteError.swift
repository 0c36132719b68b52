import CSQLite
import ErrorReporting

/// A failure that SQLite reported, with its statement and file. It never contains bound values.
package struct SQLiteError: ReportableError, Sendable, Hashable {
  /// The kind of failure: SQLite's primary result code, but for a full disk that SQLite reports as another failure.
  package let code: ResultCode
  /// The extended result code, for example `SQLITE_CONSTRAINT_UNIQUE` (2067); equal to the primary code if there is no
  /// finer one.
  package let extendedCode: Int32
  /// SQLite's own message.
  package let message: String
  /// The statement's text with its placeholders; `nil` if no statement was involved.
  package let sql: String?
  /// The database file; `nil` for a database in memory.
  package let path: String?

  package init(extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil) {
    // A refused commit means that the transaction is lost; see `Connection.transaction`.
    let isLost = extendedCode == Self.refusedCommit
    let extendedCode = isLost ? SQLITE_NOMEM : extendedCode
    // SQLite calls it an input or output error if the disk has no room for the log's index.
    self.code = extendedCode == Self.sharedMemorySize ? .full : ResultCode(rawValue: extendedCode & 0xff)
    self.extendedCode = extendedCode
    self.message = isLost ? "out of memory: the transaction was rolled back" : message
    self.sql = sql
    self.path = path
  }

  /// Whether a function of SQL, such as `sum`, has left the integers of 64 bits.
  package var isIntegerOverflow: Bool { code == .error && message == "integer overflow" }

  /// Whether the cause lies outside the statement: the disk, the memory, the file, or another program that has locked
  /// it.
  package var comesFromOutside: Bool {
    [.busy, .locked, .lockingProtocol, .ioError, .full, .outOfMemory, .corrupt, .notADatabase, .cannotOpen].contains(
      code)
  }

  /// Whether a file could not be read.
  package var isOfReading: Bool {
    [Self.failedRead, Self.shortRead, Self.damagedFileSystem].contains(extendedCode) || code == .corrupt
  }

  /// `SQLITE_IOERR_READ`
  private static let failedRead: Int32 = SQLITE_IOERR | (1 << 8)
  /// `SQLITE_IOERR_SHORT_READ`
  private static let shortRead: Int32 = SQLITE_IOERR | (2 << 8)
  /// `SQLITE_IOERR_CORRUPTFS`: the system could not read what the disk has.
  private static let damagedFileSystem: Int32 = SQLITE_IOERR | (33 << 8)
  package static let uniqueConstraint: Int32 = SQLITE_CONSTRAINT | (8 << 8)
  /// `SQLITE_CONSTRAINT_COMMITHOOK`
  static let refusedCommit: Int32 = SQLITE_CONSTRAINT | (2 << 8)
  /// `SQLITE_IOERR_SHMSIZE`
  private static let sharedMemorySize: Int32 = SQLITE_IOERR | (19 << 8)
  package static let busySnapshot: Int32 = SQLITE_BUSY | (2 << 8)
}

extension SQLiteError {
  package var description: String {
    advice == nil ? problem : problem + (remedy.map { ": \($0)." } ?? ".")
  }

  package var problem: String {
    var text = "SQLite error \(extendedCode): \(message)"
    if let sql { text += ", while executing “\(sql)”" }
    if let path { text += ", in \(path)" }
    if let advice { text += ". \(advice.cause)" }
    return text
  }

  package var remedy: String? { advice?.remedy }

  /// The usual cause and remedy of a failure of this kind.
  private var advice: (cause: String, remedy: String?)? {
    switch code {
    case .busy where extendedCode == SQLiteError.busySnapshot:
      ("The data was changed by another connection since this transaction read it", "roll back and try again")
    case .busy, .locked, .lockingProtocol:
      (
        "Another connection or process held the lock for longer than the busy timeout",
        "end its transaction, close the other program, or allow a longer timeout"
      )
    case .readOnly: ("The file, its folder or the connection allows reading only", "check their permissions")
    case .full: ("The disk is full", "free some space and try again")
    case .notADatabase: ("The file is encrypted or of another kind", nil)
    case .corrupt: ("The file is damaged", "restore it from a backup, together with its -wal file")
    default: nil
    }
  }
}
