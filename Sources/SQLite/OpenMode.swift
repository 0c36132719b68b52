import CSQLite
import Foundation

/// How a database file is opened.
package enum OpenMode: Sendable, Hashable {
  /// Reads only; in WAL mode SQLite may still make the `-shm` file beside the database.
  case readOnly
  /// Reads only, and assumes that no program changes the file: no lock, no file beside it, no use of a `-wal`.
  case immutable
  /// Reads and writes a file that exists.
  case readWrite
  /// Reads and writes, and makes the file if there is none.
  case create

  /// Flags of `sqlite3_open_v2`. The connection has no mutex, because its owner confines it to one thread at a time.
  var flags: Int32 {
    let access: Int32 =
      switch self {
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      // A URI lets a connection attach another database for reading only.
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    return access | SQLITE_OPEN_NOMUTEX
  }

  /// The name to open: the path itself, or a URI with special bytes escaped.
  func name(for path: String) -> String {
    guard self == .immutable else {
      // SQLite's special names, such as `:memory:`, are relative. A name that begins with `/` or `./` is always a path.
      return path.hasPrefix("/") ? path : "./" + path
    }
    return OpenMode.uri(of: path, "immutable=1")
  }

  /// A path as a URI with a parameter; special bytes are escaped.
  static func uri(of path: String, _ parameter: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        uri.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        uri += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return uri + "?" + parameter
  }
}
