import Foundation

/// The size of a file and the time of its last write. Two values differ if the file was written in between.
///
/// Cost: one system call. Foundation's list of attributes also looks up the owner.
package struct FileState: Equatable, Sendable {
  /// Bytes.
  package let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// `nil` if there is no file, or it is not accessible.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
  }

  /// The states of a database's main file, WAL and journal, by their suffix of the path. They change when a program
  /// writes the database.
  package static func ofDatabase(_ path: String) -> [String: FileState] {
    var states: [String: FileState] = [:]
    for suffix in ["", "-wal", "-journal"] { states[suffix] = FileState(path: path + suffix) }
    return states
  }
}
