import Foundation

/// A hidden folder beside a file, in which the file's draft is written; removed with the value.
///
/// The process holds a lock of the folder (`flock`), which ends with the process. So the next draft of the file can tell the folder that a
/// killed process left, and removes it.
final class DraftFolder {
  let url: URL
  private let lock: FileDescriptor?

  /// - Parameters:
  ///   - name: the name of the file.
  ///   - purpose: a word for the folder's name.
  /// - Throws: `CocoaError` if the folder cannot be made.
  init(of name: String, in folder: String, purpose: String) throws {
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

  /// `nil` if another process has the lock, or the file system has none.
  private static func locked(_ folder: String) -> FileDescriptor? {
    guard let descriptor = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
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
