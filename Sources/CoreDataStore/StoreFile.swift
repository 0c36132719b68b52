package import DatabaseFiles
package import Foundation
import SQLite

/// What the file system says of a store's file, found out without opening it as a database.
package struct StoreFile {
  /// The path that was asked for, absolute.
  package let path: String
  /// Where the file is, all symbolic links followed; equal to `path` where there is no file.
  package let resolvedPath: String
  /// Whether something is there.
  package let exists: Bool
  /// Which file that is, whatever name it has; `nil` where nothing is.
  let identity: Identity?

  /// What tells a file from every other, as long as it exists.
  struct Identity: Hashable, Sendable {
    let device: dev_t
    let number: ino_t

    init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
  }

  /// - Throws: ``StoreError`` for everything that cannot be a store.
  package init(_ url: URL) throws {
    path = url.standardizedFileURL.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      var link = stat()
      switch code {
      case ELOOP: throw StoreError(path: path, .symbolicLinkLoop)
      case ENOENT where lstat(path, &link) == 0:
        throw StoreError(path: path, .unreadable(reason: "it is a symbolic link to a file that does not exist"))
      case ENOENT:
        exists = false
        identity = nil
        resolvedPath = path
        return
      case ENOTDIR:
        throw StoreError(
          path: path,
          .folderMissing(url.deletingLastPathComponent().path, reason: String(cString: strerror(ENOTDIR))))
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

  /// Makes sure that a connection, before its first statement, is one to this file and not to another that took its place.
  static func require(_ identity: Identity?, of connection: Connection) throws {
    var status = stat()
    guard let path = connection.path, stat(path, &status) == 0, Identity(status) == identity, !connection.fileHasMoved
    else {
      throw StoreError(path: connection.path, .replaced)
    }
  }

  /// The size of a file beside the store, such as `-wal`; `nil` where there is none.
  package func size(ofCompanion suffix: String) -> Int64? { FileState(path: resolvedPath + suffix)?.size }

  /// What reading the file in place gives, as one that nobody changes; `nil` where data waits beside it, or where somebody has
  /// written it meanwhile: what was read then may be a mixture of two states, which looks like damage.
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

  package var folder: String { URL(fileURLWithPath: resolvedPath).deletingLastPathComponent().path }
  package var isWritable: Bool { access(resolvedPath, W_OK) == 0 }
  package var isFolderWritable: Bool { access(folder, W_OK | X_OK) == 0 }

  /// The file and what waits beside it in a temporary folder.
  /// - Throws: ``StoreError``
  package func copy() throws -> DatabaseCopy {
    do { return try DatabaseCopy(of: resolvedPath) } catch let error as DatabaseCopy.Failure {
      let busy = SQLiteError(extendedCode: ResultCode.busy.rawValue, message: error.reason)
      throw StoreError(path: path, error.isBusy ? .locked(busy) : .unreadable(reason: error.reason))
    }
  }

  /// Whether committed data waits beside the file, and SQLite may neither make the index that reading it asks for nor undo what
  /// a crash left half done.
  package var needsCopy: Bool {
    hasPendingData && size(ofCompanion: "-shm") == nil && !(isWritable && isFolderWritable)
  }

  /// The same store as far as anybody is told, read from a copy.
  init(_ file: StoreFile, in copy: DatabaseCopy) throws {
    let place = try StoreFile(URL(fileURLWithPath: copy.path))
    (path, resolvedPath, exists, identity) = (file.path, place.resolvedPath, place.exists, place.identity)
  }

  /// Reads the header only: whether it is an SQLite file, and as long as it says (https://www.sqlite.org/fileformat.html).
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
    guard header.prefix(16) == magic.prefix(header.count) else { throw StoreError(path: path, .foreign) }
    guard header.count == 100 else {
      throw StoreError(path: path, .truncated(expected: 100, found: size))
    }
    func number(_ offset: Int, _ count: Int) -> Int64 {
      header[offset..<offset + count].reduce(0) { $0 << 8 | Int64($1) }
    }
    let pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
    // The page count is right only if this number was written along with it; pages may still be on their way from a log.
    if number(92, 4) == number(24, 4), !hasPendingData, size < number(28, 4) * pageSize {
      throw StoreError(path: path, .truncated(expected: number(28, 4) * pageSize, found: size))
    }
  }

  /// The header as it lies on the disk, read by SQLite, which takes no lock for it and, other than anybody else who closes the
  /// file, keeps those of this process's connections (https://www.sqlite.org/howtocorrupt.html, 2.2).
  private func firstBytes() throws -> Data? {
    let connection = try Connection(path: resolvedPath, mode: .readOnly)
    defer { connection.close() }
    return try connection.fileBytes(at: 0, count: 100)
  }
}
