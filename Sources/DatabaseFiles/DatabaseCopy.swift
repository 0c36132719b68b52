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
    package var remedy: String? { isBusy ? "try again later" : nil }
  }

  /// Copies the files. If they changed meanwhile, copies them again, because a copy made during a write may mix two
  /// states. Gives up after three attempts.
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
      for _ in 0..<3 {
        let before = FileState.ofDatabase(source)
        let result = Result {
          try DatabaseCopy.copyMainFile(source, to: path)
          for suffix in ["-wal", "-journal"] {
            try? manager.removeItem(atPath: path + suffix)
            if before[suffix] == nil { continue }
            try manager.copyItem(atPath: source + suffix, toPath: path + suffix)
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
          }
        }
        // If the last connection removed the WAL meanwhile, the copy fails. The next attempt does not need the WAL.
        if before == FileState.ofDatabase(source) {
          try result.get()
          return
        }
      }
    } catch {
      try? manager.removeItem(at: folder)
      let reason = (error as? SQLiteError)?.message ?? error.localizedDescription
      throw Failure(problem: "it cannot be copied to \(folder.path): \(reason)", isBusy: false)
    }
    try? manager.removeItem(at: folder)
    throw Failure(problem: "another program is writing it", isBusy: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Reads through SQLite: closing any other descriptor of the file releases the locks that this process holds on it
  /// (https://www.sqlite.org/howtocorrupt.html, 2.2).
  private static func copyMainFile(_ source: String, to path: String) throws {
    let connection = try Connection(path: source, mode: .readOnly)
    defer { connection.close() }
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
