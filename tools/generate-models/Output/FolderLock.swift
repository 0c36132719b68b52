import Foundation

/// Holds an output folder until it is released, so that runs into one folder write one after the other.
///
/// The lock belongs to the folder itself (`flock`), and makes no file. Where the file system has no such locks, or the
/// folder cannot be made, runs are not kept apart.
final class FolderLock {
  private let descriptor: Int32
  /// Folders that this lock made, the innermost first.
  private let made: [URL]

  /// Makes the folder if it is missing, and waits for another run that holds it.
  init(_ folder: URL) {
    var missing: [URL] = []
    var next = folder.standardizedFileURL
    while next.path.count > 1, !FileManager.default.fileExists(atPath: next.path) {
      missing.append(next)
      next.deleteLastPathComponent()
    }
    made = missing
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
  }

  /// Removes the folders that the lock made and that are empty, as after a failed run.
  deinit {
    for folder in made { rmdir(folder.path) }
    if descriptor >= 0 { close(descriptor) }
  }
}
