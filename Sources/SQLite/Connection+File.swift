import CSQLite
package import Foundation

extension Connection {
  /// Bytes of the database's file as they lie on the disk, read past SQLite's cache; fewer where the file ends.
  ///
  /// To be used instead of opening the file otherwise: closing it would release every lock that this process holds on it
  /// (https://www.sqlite.org/howtocorrupt.html, 2.2). `nil` where there is no file, or it cannot be read.
  package func fileBytes(at offset: Int64, count: Int) throws -> Data? {
    let pointer = try pointer()
    guard let size = fileSize(), offset >= 0, offset <= size, count >= 0 else { return nil }
    var data = Data(count: min(count, Int(clamping: size - offset)))
    let code = data.withUnsafeMutableBytes { csqlite_read(pointer, $0.baseAddress, Int32(clamping: $0.count), offset) }
    return code == SQLITE_OK ? data : nil
  }

  /// The size of the database's file in bytes; `nil` where there is none.
  package func fileSize() -> Int64? {
    guard let pointer = try? pointer() else { return nil }
    let size = csqlite_size(pointer)
    return size >= 0 ? size : nil
  }

  /// Whether the path leads to another file than the one that is open, or to none: what was written would be lost, or mixed
  /// with somebody else's log (https://www.sqlite.org/howtocorrupt.html, 4).
  package var fileHasMoved: Bool { (try? pointer()).map { csqlite_has_moved($0) != 0 } ?? false }

  /// Whether the log beside the file is another than the one that is open, as far as its size tells, or is gone.
  ///
  /// To be asked in a transaction that writes, when nobody else changes the log; `false` where there is none.
  package var logHasMoved: Bool {
    guard let path, let pointer = try? pointer() else { return false }
    let size = csqlite_log_size(pointer)
    guard size >= 0 else { return false }
    var status = stat()
    return stat(path + "-wal", &status) != 0 || Int64(status.st_size) != size
  }
}
