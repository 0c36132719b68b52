import DatabaseFiles
import Foundation

/// The right to migrate a store, which one opener has at a time: of all threads, and of all processes.
///
/// Stages with code run on a copy, so the store's own locks do not keep others from running them as well. The lock is a folder beside the
/// store, which the process locks (`flock`). It ends with the process; ``AbandonedDraft/sweep(_:)`` removes the folder that a killed
/// process left.
enum MigrationLock {
  /// The stores that threads of this process migrate, for file systems without locks.
  private static let held = Waiting()
  @TaskLocal private static var own: Set<String> = []

  /// Waits until no other thread or process migrates the store, and runs the body.
  ///
  /// In a folder where nothing can be written only threads of this process wait for one another.
  /// - Throws: ``StoreError/Kind/migrating`` if the task holds the lock already, because a stage opens the store that it migrates;
  ///   ``StoreError`` if the URL leads to no file; the errors of the body.
  static func withLock<Result>(of store: URL, _ body: () throws -> Result) throws -> Result {
    let file = try StoreFile(store)
    let path = file.resolvedPath
    guard !own.contains(path) else { throw StoreError(path: path, .migrating) }
    held.insert(path)
    defer { held.remove(path) }
    let folder = file.folder + "/" + AbandonedDraft.lockName(of: file)
    let lock = locked(folder)
    defer { if lock != nil { rmdir(folder) } }
    return try $own.withValue(own.union([path]), operation: body)
  }

  /// - Returns: `nil` if the folder cannot be made, or the file system has no locks.
  private static func locked(_ folder: String) -> FileDescriptor? {
    while mkdir(folder, 0o777) == 0 || errno == EEXIST {
      guard let descriptor = FileDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
        // The former holder has just removed it.
        if errno == ENOENT { continue }
        return nil
      }
      while flock(descriptor.number, LOCK_EX) != 0 { if errno != EINTR { return nil } }
      var (present, own) = (stat(), stat())
      if fstat(descriptor.number, &own) == 0, lstat(folder, &present) == 0, own.st_ino == present.st_ino {
        return descriptor
      }
    }
    return nil
  }

  /// Names that one thread at a time can have.
  private final class Waiting: @unchecked Sendable {  // guarded by `condition`
    private let condition = NSCondition()
    private var names: Set<String> = []

    func insert(_ name: String) {
      condition.lock()
      while !names.insert(name).inserted { condition.wait() }
      condition.unlock()
    }

    func remove(_ name: String) {
      condition.lock()
      names.remove(name)
      condition.broadcast()
      condition.unlock()
    }
  }
}
