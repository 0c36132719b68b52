package import Foundation

/// A hidden folder for files that are needed for a while, such as the draft of a copy; removed with the value.
///
/// The process holds a lock on the folder (`flock`), which ends with the process. So a folder without a lock was left by a killed process,
/// and the next folder for the same name removes it.
package final class DraftFolder {
  package let url: URL
  private let lock: FileDescriptor?
  /// Whether the folder stays behind, as that of a killed process does.
  package var staysBehind = false

  /// - Parameters:
  ///   - name: the name of the file.
  ///   - folder: the path of the folder to make it in.
  ///   - purpose: a word for the folder's name.
  ///   - isDone: is called for each folder that a killed process left, before it is removed; `false` keeps it.
  /// - Throws: `CocoaError` if the folder cannot be made.
  package init(
    of name: String, in folder: String, purpose: String, removing isDone: (URL) -> Bool = { _ in true }
  ) throws {
    Self.removeAbandoned(of: name, in: folder, purpose: purpose, if: isDone)
    while true {
      let url = URL(fileURLWithPath: folder).appendingPathComponent(
        Self.prefix(name, purpose) + UUID().uuidString, isDirectory: true)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      Self.makePrivate(url.path)
      let lock = Self.locked(url.path, waits: true)
      // Another process may have removed the folder before it was locked.
      guard access(url.path, F_OK) == 0 else { continue }
      self.url = url
      self.lock = lock
      return
    }
  }

  deinit { if !staysBehind { try? FileManager.default.removeItem(at: url) } }

  /// Keeps others out, and the files' group: in a folder whose files have its group, this folder has the group, too.
  private static func makePrivate(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    chmod(path, status.st_mode & 0o7000 | 0o700)
  }

  private static func prefix(_ name: String, _ purpose: String) -> String { ".\(name).\(purpose)-" }

  /// Removes the folders that no process has locked.
  ///
  /// - Parameter isDone: is called for each of them, under its lock; `false` keeps the folder.
  package static func removeAbandoned(
    of name: String, in folder: String, purpose: String, if isDone: (URL) -> Bool = { _ in true }
  ) {
    let prefix = prefix(name, purpose)
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { item in
          if strncmp(item, prefix, prefix.utf8.count) == 0 { names.append(String(cString: item)) }
        }
      }
    }
    for name in names {
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name, isDirectory: true)
      guard let lock = locked(url.path, waits: false) else { continue }
      // An empty folder, which `rmdir` removes, is perhaps about to be locked. Its owner then makes another.
      if rmdir(url.path) != 0, isDone(url) { try? FileManager.default.removeItem(at: url) }
      _ = consume lock
    }
  }

  /// Locks a folder of this user, at once or after waiting.
  ///
  /// Everybody may make folders and links in the system's temporary folder. So a link is refused, and a folder of another user.
  /// - Returns: `nil` if the folder is refused, if another process has the lock, or if the file system has no locks.
  private static func locked(_ folder: String, waits: Bool) -> FileDescriptor? {
    var status = stat()
    guard let descriptor = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
      fstat(descriptor.number, &status) == 0, status.st_uid == geteuid(),
      flock(descriptor.number, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0
    else { return nil }
    return descriptor
  }

  /// The free bytes of a folder's disk; `nil` if the system does not tell.
  package static func freeSpace(in folder: String) -> Int64? {
    let values = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (values?[.systemFreeSize] as? NSNumber)?.int64Value
  }
}
