package import Foundation

/// A hidden folder for files that are needed for a while, such as the draft of a copy; removed with the value.
///
/// The process holds a lock on the folder (`flock`), which ends with the process. A new folder for the same name removes the folders that
/// nobody holds a lock on: killed processes left them.
package final class DraftFolder {
  package let url: URL
  private let lock: FileDescriptor?

  /// - Parameters:
  ///   - name: the name of the file.
  ///   - folder: the path of the folder to make it in.
  ///   - purpose: a word for the folder's name.
  /// - Throws: `CocoaError` if the folder cannot be made.
  package init(of name: String, in folder: String, purpose: String) throws {
    let prefix = ".\(name).\(purpose)-"
    Self.removeAbandoned(in: folder, prefix)
    url = URL(fileURLWithPath: folder).appendingPathComponent(prefix + UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    lock = Self.locked(url.path)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  private static func removeAbandoned(in folder: String, _ prefix: String) {
    for item in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where item.hasPrefix(prefix) {
      let path = folder + "/" + item
      // An empty folder is perhaps about to be locked.
      guard (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == false, let lock = locked(path)
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
      _ = consume lock
    }
  }

  /// Locks a folder of this user.
  ///
  /// Everybody may make folders and links in the system's temporary folder. So a link is refused, and a folder of another user.
  /// - Returns: `nil` if the folder is refused, if another process has the lock, or if the file system has no locks.
  private static func locked(_ folder: String) -> FileDescriptor? {
    var status = stat()
    guard let descriptor = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
      fstat(descriptor.number, &status) == 0, status.st_uid == geteuid(),
      flock(descriptor.number, LOCK_EX | LOCK_NB) == 0
    else { return nil }
    return descriptor
  }

  /// The free bytes of a folder's disk; `nil` if the system does not tell.
  static func freeSpace(in folder: String) -> Int64? {
    let values = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (values?[.systemFreeSize] as? NSNumber)?.int64Value
  }
}
