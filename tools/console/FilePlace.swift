import Foundation

/// Where paths lead in the file system, all links followed.
package enum FilePlace {
  /// Whether a path is that of a file or folder, or of a place in the folder. What the path names need not exist yet.
  ///
  /// Files are compared by their numbers, because one file may have several spellings.
  package static func leads(_ path: String, into other: String) -> Bool {
    guard let target = Identity(other) else { return false }
    // Folders that are yet to be made have no links: `..` then leads to the folder before.
    return [path, URL(fileURLWithPath: path).standardizedFileURL.path].contains { path in
      var place = real(path)
      while Identity(place) != target {
        guard place.count > 1 else { return false }
        place = parent(of: place)
      }
      return true
    }
  }

  /// The path without links of what a path names, or of the innermost folder of the path that exists.
  package static func real(_ path: String) -> String {
    var path = path
    while true {
      if let real = realpath(path.isEmpty ? "." : path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      guard !path.isEmpty, path != "/" else { return "/" }
      path = parent(of: path)
    }
  }

  private static func parent(of path: String) -> String { (path as NSString).deletingLastPathComponent }

  private struct Identity: Equatable {
    let device: dev_t
    let number: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }
}
