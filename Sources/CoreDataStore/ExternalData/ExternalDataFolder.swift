import DatabaseFiles
package import Foundation

/// The folder beside a store that holds big values, one per file (CD-5).
///
/// Its path is `.<store's name without extension>_SUPPORT/_EXTERNAL_DATA` beside the store's actual file. No file
/// outside of it is ever read, written or removed: file names are UUIDs, and no step below the store's folder follows a
/// symbolic link. A store that was moved or copied without its folder still opens; its big values are then `nil`.
package struct ExternalDataFolder: Sendable {
  /// The store's folder.
  private let parent: String
  /// The store's file in it.
  private let storeName: String
  private let supportName: String
  private static let folderName = "_EXTERNAL_DATA"

  /// - Parameter storePath: the store's file, with all links resolved.
  package init(storePath: String) {
    let url = URL(fileURLWithPath: storePath)
    parent = url.deletingLastPathComponent().path
    storeName = url.lastPathComponent
    supportName = "." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
  }

  private var supportPath: String { URL(fileURLWithPath: parent).appendingPathComponent(supportName).path }
  package var path: String { supportPath + "/" + Self.folderName }

  /// The bytes of a file; `nil` if the file or the folder does not exist.
  ///
  /// - Throws: ``ExternalDataError``
  package func read(_ name: UUID) throws(ExternalDataError) -> Data? {
    guard let folder = try open(creating: false), let file = try open(name, in: folder) else { return nil }
    let size = try size(of: file, name)
    do { return try file.contents(expecting: size) } catch { throw self.error(error, name.uuidString) }
  }

  /// Whether a file exists, and can be read.
  ///
  /// - Throws: ``ExternalDataError``, as ``read(_:)`` does
  package func hasReadableFile(_ name: UUID) throws(ExternalDataError) -> Bool {
    guard let folder = try open(creating: false), let file = try open(name, in: folder) else { return false }
    _ = try size(of: file, name)
    return true
  }

  /// Whether a file exists with exactly these bytes.
  func holds(_ data: Data, in name: UUID) throws(ExternalDataError) -> Bool {
    guard let folder = try open(creating: false), let file = try open(name, in: folder),
      try size(of: file, name) == data.count
    else { return false }
    do { return try file.contents(expecting: data.count) == data } catch { throw self.error(error, name.uuidString) }
  }

  /// Writes a new file under a temporary name, and renames it in one step when its bytes are on the disk.
  ///
  /// The new name is durable only after ``synchronize()``.
  /// - Throws: ``ExternalDataError``; no file is left behind then.
  func write(_ data: Data) throws(ExternalDataError) -> UUID {
    guard let folder = try open(creating: true) else { throw ExternalDataError(path: path, kind: .notAFolder) }
    let name = UUID()
    try write(name, in: folder) { (file) throws(SystemError) in try file.write(data) }
    return name
  }

  /// Writes a new file of this folder by a closure, which waits until the bytes are on the disk.
  func write(
    _ name: UUID, in folder: borrowing FileDescriptor,
    by body: (borrowing FileDescriptor) throws(SystemError) -> Void
  ) throws(ExternalDataError) {
    let temporary = ".\(name.uuidString).writing"
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC
    guard let file = FileDescriptor(openat(folder.number, temporary, flags, mode)) else {
      throw error(SystemError(errno), temporary)
    }
    do throws(SystemError) {
      try body(file)
      guard renameat(folder.number, temporary, folder.number, name.uuidString) == 0 else { throw SystemError(errno) }
    } catch {
      unlinkat(folder.number, temporary, 0)
      throw self.error(error, temporary)
    }
  }

  /// Waits until the names of new files are on the disk.
  func synchronize() throws(ExternalDataError) {
    guard let folder = try open(creating: false) else { return }
    do { try folder.synchronize() } catch { throw self.error(error, nil) }
  }

  /// Removes files. A file that cannot be removed stays, and the store's check reports it as unreferenced.
  func remove(_ names: some Sequence<UUID>) {
    guard let folder = try? open(creating: false) else { return }
    // A name that is a link is itself removed; its target stays.
    for name in names { unlinkat(folder.number, name.uuidString, 0) }
  }

  /// The names of everything in the folder, sorted.
  package func names() throws(ExternalDataError) -> [String] {
    guard let folder = try open(creating: false) else { return [] }
    let duplicate = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0, let listing = fdopendir(duplicate) else {
      let problem = SystemError(errno)
      if duplicate >= 0 { close(duplicate) }
      throw error(problem, nil)
    }
    // It closes the duplicate as well.
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The size of a regular file in the folder; `nil` for a missing file, or for anything else.
  package func size(of name: String) -> Int64? {
    guard let folder = try? open(creating: false) else { return nil }
    var status = stat()
    guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(status.st_size)
  }

  // MARK: Steps without following links

  /// The folder; `nil` if it does not exist and is not to be created.
  func open(creating: Bool) throws(ExternalDataError) -> FileDescriptor? {
    guard let store = FileDescriptor(Foundation.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      throw ExternalDataError(path: parent, kind: .system(SystemError(errno).reason))
    }
    guard let support = try open(supportName, in: store, path: supportPath, creating: creating) else { return nil }
    return try open(Self.folderName, in: support, path: path, creating: creating)
  }

  private func open(
    _ name: String, in folder: borrowing FileDescriptor, path: String, creating: Bool
  ) throws(ExternalDataError) -> FileDescriptor? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    if let opened = FileDescriptor(openat(folder.number, name, flags)) { return opened }
    var code = errno
    if code == ENOENT {
      guard creating else { return nil }
      // Users who can read the store can read the folder.
      if mkdirat(folder.number, name, mode | 0o700 | (mode & 0o444) >> 2) == 0 || errno == EEXIST {
        if let made = FileDescriptor(openat(folder.number, name, flags)) {
          do { try folder.synchronize() } catch { throw ExternalDataError(path: path, kind: .system(error.reason)) }
          return made
        }
      }
      code = errno
    }
    guard code == ENOTDIR || code == ELOOP else {
      throw ExternalDataError(path: path, kind: .system(SystemError(code).reason))
    }
    throw ExternalDataError(path: path, kind: isLink(name, in: folder) ? .symbolicLink : .notAFolder)
  }

  /// A file of the folder, opened for reading; `nil` if it does not exist.
  func open(
    _ name: UUID, in folder: borrowing FileDescriptor
  ) throws(ExternalDataError) -> FileDescriptor? {
    // Opening a pipe must not block.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    if let opened = FileDescriptor(openat(folder.number, name.uuidString, flags)) { return opened }
    let code = errno
    if code == ENOENT { return nil }
    throw code == ELOOP
      ? ExternalDataError(path: path + "/" + name.uuidString, kind: .symbolicLink)
      : error(SystemError(code), name.uuidString)
  }

  private func size(of file: borrowing FileDescriptor, _ name: UUID) throws(ExternalDataError) -> Int {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw error(SystemError(errno), name.uuidString) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ExternalDataError(path: path + "/" + name.uuidString, kind: .notARegularFile)
    }
    guard status.st_size <= StoredData.maximum else {
      throw ExternalDataError(
        path: path + "/" + name.uuidString, kind: .tooLarge(Int64(status.st_size), limit: StoredData.maximum))
    }
    return Int(status.st_size)
  }

  private func isLink(_ name: String, in folder: borrowing FileDescriptor) -> Bool {
    var status = stat()
    return fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The permissions of new files, which are the store's.
  private var mode: mode_t {
    var status = stat()
    return stat(parent + "/" + storeName, &status) == 0 ? status.st_mode & 0o666 : 0o600
  }

  func error(_ error: SystemError, _ name: String?) -> ExternalDataError {
    ExternalDataError(path: name.map { path + "/" + $0 } ?? path, kind: .system(error.reason))
  }
}
