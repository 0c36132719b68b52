import Foundation

/// A file that the kernel writes while it is read, such as those in `/proc`.
///
/// It has no size, and one call to read it returns a few thousand bytes at most. Foundation takes these for the whole file.
package enum KernelFile {
  /// The whole text; `nil` if the file cannot be read.
  package static func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      bytes += buffer[..<count]
      if count < buffer.count { break }
    }
    return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
