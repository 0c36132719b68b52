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
  }

  private static let magic = Data("SQLite format 3\0".utf8)

  /// The named files, and all databases in named folders, at any depth, in order of their paths. Symbolic links in
  /// folders are not followed.
  ///
  /// - Throws: ``Failure`` if a folder cannot be listed.
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
