import Foundation
import ToolConsole

/// Finds the stores that a command line names.
struct StoreSearch {
  struct Store {
    let url: URL
    /// The path to display.
    let path: String
    /// Whether the command line names the file itself, not only its folder.
    let isNamed: Bool
    /// Why the file, which may be a store, cannot be read, and a remedy; `nil` if it can.
    var obstacle: (problem: String, remedy: String)?
  }

  private static let unreadable = "see that you may read it, or leave it out"
  private static let magic = Data("SQLite format 3\0".utf8)

  /// The named files, and all databases in named folders, at any depth, in order of their paths. Symbolic links in
  /// folders are not followed.
  ///
  /// A folder that cannot be listed, and a file that cannot be read, is a result with an obstacle: it may be a store, or
  /// hold one. Files beside a database, such as `-wal`, are passed over.
  ///
  /// - Throws: ``Failure`` if a folder cannot be listed.
  static func stores(at paths: [String]) throws -> [Store] {
    try paths.flatMap { path -> [Store] in
      let url = URL(fileURLWithPath: path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
        return [Store(url: url, path: path, isNamed: true)]
      }
      guard access(url.path, R_OK | X_OK) == 0, let names = FileManager.default.enumerator(atPath: url.path) else {
        throw Failure(url, line: nil, "the folder cannot be listed", remedy: "see that you may read it")
      }
      var found: [Store] = []
      while let name = names.nextObject() as? String {
        let file = url.appendingPathComponent(name)
        var store = Store(url: file, path: path.hasSuffix("/") ? path + name : "\(path)/\(name)", isNamed: false)
        switch names.fileAttributes?[.type] as? FileAttributeType {
        case .typeDirectory?:
          guard access(file.path, R_OK | X_OK) != 0 else { continue }
          store.obstacle = ("the folder cannot be listed: \(String(cString: strerror(errno)))", unreadable)
        case .typeRegular?:
          guard !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix) else { continue }
          do { if try !isDatabase(file) { continue } } catch {
            store.obstacle = ("the file cannot be read: \(Failure.reason(error))", unreadable)
          }
        case nil where name.contains("\u{FFFD}"):
          // A folder with such a name stands for all that is in it.
          guard !name.split(separator: "/").dropLast().contains(where: { $0.contains("\u{FFFD}") }) else { continue }
          store.obstacle = ("the name is not UTF-8", "rename it, or leave it out")
        default: continue
        }
        found.append(store)
      }
      return found.sorted { $0.path < $1.path }
    }
  }

  private static func isDatabase(_ url: URL) throws -> Bool {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    return try file.read(upToCount: magic.count) == magic
  }
}
