import Foundation
import ToolConsole

/// The stores that a command line means.
struct StoreSearch {
  struct Store {
    let url: URL
    /// As it is to be shown.
    let path: String
    /// Whether the command line names it, or a folder that it is in.
    let isNamed: Bool
  }

  private static let magic = Data("SQLite format 3\0".utf8)

  /// Files as they are named, and every database in folders, at any depth and in order of their paths; symbolic links in
  /// folders are not followed.
  ///
  /// - Throws: ``Failure`` for a folder that cannot be listed.
  static func stores(at paths: [String]) throws -> [Store] {
    try paths.flatMap { path -> [Store] in
      let url = URL(fileURLWithPath: path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
        return [Store(url: url, path: path, isNamed: true)]
      }
      guard let names = FileManager.default.enumerator(atPath: url.path) else {
        throw Failure(url, "the folder cannot be listed", remedy: "see that you may read it")
      }
      var found: [String] = []
      while let name = names.nextObject() as? String {
        if names.fileAttributes?[.type] as? FileAttributeType == .typeRegular,
          isDatabase(url.appendingPathComponent(name))
        {
          found.append(name)
        }
      }
      return found.sorted().map {
        Store(
          url: url.appendingPathComponent($0), path: path.hasSuffix("/") ? path + $0 : "\(path)/\($0)", isNamed: false)
      }
    }
  }

  private static func isDatabase(_ url: URL) -> Bool {
    guard let file = try? FileHandle(forReadingFrom: url) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: magic.count)) == magic
  }
}
