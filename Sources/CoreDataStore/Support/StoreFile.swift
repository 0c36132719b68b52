package import DatabaseFiles
package import Foundation
import SQLite

/// The state of a store's file in the file system, read without opening the file as a database.
package struct StoreFile {
  /// The path that the caller gave, as an absolute path.
  package let path: String
  /// The path after all symbolic links; equal to `path` if no file exists.
  package let resolvedPath: String
  /// Whether a file exists at the path.
  package let exists: Bool
  /// The identity of the file, independent of its name; `nil` if no file exists.
  let identity: Identity?

  /// A pair of numbers that no other file has as long as this file exists.
  struct Identity: Hashable, Sendable {
    let device: dev_t
    let number: ino_t

    init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
  }

  /// Looks up a file, which need not exist.
  ///
  /// - Throws: ``StoreError`` if the path leads to anything that cannot be a store.
  package init(_ url: URL) throws {
    path = url.standardizedFileURL.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      var link = stat()
      switch code {
      case ELOOP: throw StoreError(path: path, .symbolicLinkLoop)
      case ENOENT where lstat(path, &link) == 0:
        throw StoreError(path: path, .brokenLink)
      case ENOENT:
        exists = false
        identity = nil
        resolvedPath = path
        return
      case ENOTDIR:
        throw StoreError(path: path, .parentNotAFolder(Self.fileAmongFolders(of: path)))
      default: throw StoreError(path: path, .unreadable(reason: String(cString: strerror(code))))
      }
    }
    exists = true
    identity = Identity(status)
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw StoreError(path: path, .directory)
    default: throw StoreError(path: path, .notARegularFile)
    }
    if let real = realpath(path, nil) {
      resolvedPath = String(cString: real)
      free(real)
    } else {
      throw StoreError(path: path, .unreadable(reason: String(cString: strerror(errno))))
    }
  }

  /// The nearest parent of a path that exists.
  private static func fileAmongFolders(of path: String) -> String {
    var url = URL(fileURLWithPath: path).deletingLastPathComponent()
    while url.path.count > 1, access(url.path, F_OK) != 0 { url.deleteLastPathComponent() }
    return url.path
  }

  /// Checks that a new connection leads to this file, and not to another file that has replaced it.
  ///
  /// The caller checks before the connection's first statement.
  static func require(_ identity: Identity?, of connection: Connection) throws {
    var status = stat()
    guard let path = connection.path, stat(path, &status) == 0, Identity(status) == identity, !connection.fileHasMoved
    else {
      throw StoreError(path: connection.path, .replaced)
    }
  }

  /// Returns the size of a file beside the store, such as `-wal`; `nil` if that file does not exist.
  package func size(ofCompanion suffix: String) -> Int64? { FileState(path: resolvedPath + suffix)?.size }

  /// Reads the file in place, as a file that no process changes, and returns the result of `body`.
  ///
  /// Returns `nil` if data waits beside the file, or if a process has written the file meanwhile. Then `body` may
  /// have read a mixture of two states, which looks like damage.
  package func inPlace<Value>(_ body: () throws -> Value) throws -> Value? {
    let before = FileState.ofDatabase(resolvedPath)
    guard !hasPendingData else { return nil }
    let result = Result { try body() }
    return FileState.ofDatabase(resolvedPath) == before ? try result.get() : nil
  }

  /// Whether committed data may be waiting in a file beside the store.
  package var hasPendingData: Bool {
    (size(ofCompanion: "-wal") ?? 0) > 0 || (size(ofCompanion: "-journal") ?? 0) > 0
  }

  /// Whether the log has an index, the `-shm` file.
  ///
  /// Processes that have the store open share it. A killed process leaves it behind.
  var isInUse: Bool { size(ofCompanion: "-shm") != nil }

  package var folder: String { URL(fileURLWithPath: resolvedPath).deletingLastPathComponent().path }
  package var isWritable: Bool { access(resolvedPath, W_OK) == 0 }
  package var isFolderWritable: Bool { access(folder, W_OK | X_OK) == 0 }

  /// Copies the file, and the waiting data beside it, to a temporary folder.
  ///
  /// - Throws: ``StoreError``
  package func copy() throws -> DatabaseCopy {
    do { return try DatabaseCopy(of: resolvedPath) } catch let error as DatabaseCopy.Failure {
      let busy = SQLiteError(extendedCode: ResultCode.busy.rawValue, message: error.problem)
      throw StoreError(
        path: path, error.isBusy ? .locked(busy) : .unreadable(reason: error.problem, remedy: error.remedy))
    }
  }

  /// Whether SQLite can read the store only from a copy.
  ///
  /// Committed data waits beside the file, and SQLite may not write there. So SQLite can neither make the index that
  /// reading needs nor undo a transaction that a crash interrupted.
  package var needsCopy: Bool {
    hasPendingData && !isInUse && !(isWritable && isFolderWritable)
  }

  /// Makes a file that has the store's path in messages, and whose content comes from a copy.
  init(_ file: StoreFile, in copy: DatabaseCopy) throws {
    let place = try StoreFile(URL(fileURLWithPath: copy.path))
    (path, resolvedPath, exists, identity) = (file.path, place.resolvedPath, place.exists, place.identity)
  }

  /// Checks the header only: the file is an SQLite file and has the length that the header gives.
  ///
  /// Source: https://www.sqlite.org/fileformat.html.
  package func checkHeader() throws {
    let size = self.size(ofCompanion: "") ?? 0
    guard size > 0 else { throw StoreError(path: path, .empty) }
    guard access(resolvedPath, R_OK) == 0 else {
      throw StoreError(path: path, .unreadable(reason: String(cString: strerror(errno))))
    }
    guard let header = try? firstBytes() else {
      throw StoreError(path: path, .unreadable(reason: "reading its first bytes failed"))
    }
    let magic = Data("SQLite format 3\0".utf8)
    guard header.prefix(16) == magic.prefix(header.count) else {
      throw StoreError(path: path, .foreign(FileKind(start: header)))
    }
    guard header.count == 100 else {
      throw StoreError(path: path, .truncated(expected: 100, found: size))
    }
    func number(_ offset: Int, _ count: Int) -> Int64 {
      header[offset..<offset + count].reduce(0) { $0 << 8 | Int64($1) }
    }
    let pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
    // The page count is valid only if these two numbers agree. A log may also hold pages that the file does not have
    // yet. The length is read last: another process may have written the header after the file had grown.
    if number(92, 4) == number(24, 4), !hasPendingData,
      let size = self.size(ofCompanion: ""), size < number(28, 4) * pageSize
    {
      throw StoreError(path: path, .truncated(expected: number(28, 4) * pageSize, found: size))
    }
  }

  /// Reads the header's bytes from the disk through SQLite, which takes no lock for this.
  ///
  /// Any other code that closes the file would drop the locks of this process's connections. SQLite keeps them
  /// (https://www.sqlite.org/howtocorrupt.html, 2.2).
  private func firstBytes() throws -> Data? {
    let connection = try Connection(path: resolvedPath, mode: .readOnly)
    defer { connection.close() }
    return try connection.fileBytes(at: 0, count: 100)
  }
}
