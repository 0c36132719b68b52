import Foundation

/// The size of a file, and when it was written last: what tells two looks at a file apart.
///
/// Cost: one call to the system, where Foundation's list of attributes also reads who may be the owner.
package struct FileState: Equatable, Sendable {
  /// Bytes.
  package let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// `nil` where there is no file, or none that may be looked at.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
  }

  /// The states of a database's file, of its log and of its journal, by what their names add to the path: other ones when
  /// somebody has written it.
  package static func ofDatabase(_ path: String) -> [String: FileState] {
    var states: [String: FileState] = [:]
    for suffix in ["", "-wal", "-journal"] { states[suffix] = FileState(path: path + suffix) }
    return states
  }
}
