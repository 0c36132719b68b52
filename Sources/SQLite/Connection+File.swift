import CSQLite
package import Foundation

extension Connection {
  /// Bytes of the database file on the disk, read past SQLite's cache; fewer bytes at the end of the file.
  ///
  /// Use this instead of another way to open the file: closing that descriptor would release every lock that this
  /// process holds on the file (https://www.sqlite.org/howtocorrupt.html, 2.2). `nil` if there is no file, or it cannot
  /// be read.
  package func fileBytes(at offset: Int64, count: Int) throws -> Data? {
    let pointer = try pointer()
    guard let size = fileSize(), offset >= 0, offset <= size, count >= 0 else { return nil }
    var data = Data(count: min(count, Int(clamping: size - offset)))
    let code = data.withUnsafeMutableBytes { csqlite_read(pointer, $0.baseAddress, Int32(clamping: $0.count), offset) }
    return code == SQLITE_OK ? data : nil
  }

  /// The size of the database file in bytes; `nil` if there is no file.
  package func fileSize() -> Int64? {
    guard let pointer = try? pointer() else { return nil }
    let size = csqlite_size(pointer)
    return size >= 0 ? size : nil
  }

  /// Whether the path now leads to another file than the open file, or to none. A write would then be lost, or mixed
  /// with another database's WAL (https://www.sqlite.org/howtocorrupt.html, 4).
  package var fileHasMoved: Bool { (try? pointer()).map { csqlite_has_moved($0) != 0 } ?? false }

  /// Whether the WAL beside the file is gone, or differs in size from the open WAL.
  ///
  /// Call it in a write transaction, when no other connection changes the WAL. `false` if there is no WAL.
  package var logHasMoved: Bool {
    guard let path, let pointer = try? pointer() else { return false }
    let size = csqlite_log_size(pointer)
    guard size >= 0 else { return false }
    var status = stat()
    return stat(path + "-wal", &status) != 0 || Int64(status.st_size) != size
  }
}
