import ErrorReporting
import Foundation
import SQLite

/// A copy of a database's files in a temporary folder of its own. The folder is removed with the value.
///
/// Reads the content of a WAL where no file can be written beside the database, or where a lock must not delay the
/// reader.
package final class DatabaseCopy: Sendable {
  /// The path of the copy's main file; copies of the WAL and the journal lie beside it.
  package let path: String
  private let folder: URL

  package struct Failure: ReportableError {
    /// A clause whose subject is the database.
    package let problem: String
    /// Whether a later attempt may succeed.
    package let isBusy: Bool
    package let remedy: String?
  }

  /// Copies the files. If they changed meanwhile, copies them again, because a copy made during a write may mix two
  /// states. The third attempt copies them in a read transaction.
  ///
  /// Cost: writes as many bytes as the files have.
  /// - Throws: ``Failure``
  package init(of source: String) throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)", isDirectory: true)
    self.folder = folder
    path = folder.appendingPathComponent("store").path
    do {
      try manager.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for _ in 0..<2 {
        let before = FileState.ofDatabase(source)
        let result = Result {
          let connection = try Connection(path: source, mode: .readOnly)
          defer { connection.close() }
          try DatabaseCopy.copyFiles(of: connection, source, to: path)
        }
        // If the last connection removed the WAL meanwhile, the copy fails. The next attempt does not need the WAL.
        if before == FileState.ofDatabase(source) {
          try result.get()
          return
        }
      }
      if try DatabaseCopy.copyInTransaction(source, to: path) { return }
    } catch {
      try? manager.removeItem(at: folder)
      throw Failure(copyingTo: folder, error)
    }
    try? manager.removeItem(at: folder)
    throw Failure(problem: "another program is writing it", isBusy: true, remedy: "try again later")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Copies the files in a read transaction, so that a program that never stops writing is no obstacle.
  ///
  /// Without a WAL, the transaction's lock keeps writers from the main file. With a WAL, the main file is copied before the WAL.
  /// Together they have the state that the transaction sees, or a later one (https://www.sqlite.org/wal.html#concurrency):
  ///
  /// - A checkpoint writes only frames to the main file that the transaction sees.
  /// - No writer removes these frames from the WAL.
  /// - If the transaction sees no frames, no checkpoint runs. A writer may begin the WAL anew once; then the WAL is copied again.
  ///
  /// - Returns: `false` if there is no such transaction. A WAL without an index belongs to no open database.
  private static func copyInTransaction(_ source: String, to path: String) throws -> Bool {
    let hasFile = FileManager.default.fileExists(atPath:)
    guard hasFile(source + "-shm") || !hasFile(source + "-wal") else { return false }
    let connection = try Connection(path: source, mode: .readOnly, busyTimeout: .seconds(5))
    defer { connection.close() }
    do {
      try connection.transaction(.deferred) {
        // Begins the transaction, and reads no more than the first page: the rest may be damaged.
        _ = try connection.integer("PRAGMA schema_version")
        try copyFiles(of: connection, source, to: path)
      }
      return true
    } catch is SQLiteError {
      return false
    }
  }

  private static func copyFiles(of connection: Connection, _ source: String, to path: String) throws {
    try copyMainFile(of: connection, to: path)
    let header = walHeader(of: source)
    for suffix in ["-wal", "-journal"] { try copyFile(source + suffix, to: path + suffix) }
    // If a writer began the WAL anew meanwhile, the copy may have frames of the old WAL. They would undo later changes.
    if walHeader(of: source) != header { try copyFile(source + "-wal", to: path + "-wal") }
  }

  private static func copyFile(_ source: String, to path: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: path)
    guard manager.fileExists(atPath: source) else { return }
    try manager.copyItem(atPath: source, toPath: path)
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The first bytes of the WAL, which differ each time that a writer begins it anew; `nil` if there is none.
  private static func walHeader(of source: String) -> Data? {
    guard let file = FileHandle(forReadingAtPath: source + "-wal") else { return nil }
    defer { try? file.close() }
    return try? file.read(upToCount: 32)
  }

  /// Reads through SQLite: closing any other descriptor of the file releases the locks that this process holds on it
  /// (https://www.sqlite.org/howtocorrupt.html, 2.2).
  private static func copyMainFile(of connection: Connection, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw CocoaError(.fileWriteUnknown)
    }
    let copy = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? copy.close() }
    var offset: Int64 = 0
    while offset < connection.fileSize() ?? 0 {
      guard let bytes = try connection.fileBytes(at: offset, count: 1 << 20), !bytes.isEmpty else {
        throw CocoaError(.fileReadUnknown)
      }
      try copy.write(contentsOf: bytes)
      offset += Int64(bytes.count)
    }
  }
}

extension DatabaseCopy.Failure {
  init(copyingTo folder: URL, _ error: any Error) {
    let isFull = Self.isOfFullDisk(error)
    let reason = isFull ? "there is no space left" : (error as? SQLiteError)?.message ?? error.localizedDescription
    problem = "it cannot be copied to \(folder.path): \(reason)"
    isBusy = false
    remedy = isFull ? "free some space there, or name another temporary folder: TMPDIR=FOLDER" : nil
  }

  /// Foundation's errors have the system's code beneath them, if at all.
  private static func isOfFullDisk(_ error: any Error) -> Bool {
    var next: NSError? = error as NSError
    while let cause = next {
      if cause.domain == NSPOSIXErrorDomain, [ENOSPC, EDQUOT].contains(Int32(truncatingIfNeeded: cause.code)) {
        return true
      }
      if cause.domain == CocoaError.errorDomain, cause.code == CocoaError.fileWriteOutOfSpace.rawValue { return true }
      next = (cause.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    }
    return (error as? SQLiteError)?.code == .full
  }
}
