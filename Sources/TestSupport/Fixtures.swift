package import Foundation

/// Where the repository and the real stores and models beside it are.
package enum Fixtures {
  /// The package's root folder; `OPENSWIFTDATA_ROOT` overrides it for builds through symbolic links.
  package static let packageRoot: URL = {
    if let root = ProcessInfo.processInfo.environment["OPENSWIFTDATA_ROOT"] {
      return URL(fileURLWithPath: root, isDirectory: true)
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }()

  /// The folder of material that is not part of the repository: `../shared` from the package's root.
  ///
  /// `OPENSWIFTDATA_SHARED` names another folder. One that does not exist shows what the tests do on a fresh clone.
  package static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SHARED"] {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return packageRoot.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
  }()

  /// Whether the real stores and models, and the checkers, are on this machine.
  ///
  /// Tests that need them are skipped where they are absent. Tests that only have their stores checked run; a line on the
  /// standard error says once that no checker looked at them.
  package static let areAvailable: Bool = {
    let isThere = FileManager.default.fileExists(atPath: shared.appendingPathComponent("fixtures").path)
    if !isThere { FileHandle.standardError.write(Data("no store is checked independently: \(explanation)\n".utf8)) }
    return isThere
  }()

  package static let explanation: String = "needs ../shared/fixtures, which is not part of the repository"

  /// A file or folder under `../shared/fixtures`.
  package static func url(_ path: String) -> URL {
    shared.appendingPathComponent("fixtures").appendingPathComponent(path)
  }

  /// The first version that CHANGELOG.md has a heading of.
  package static func newestVersion() throws -> String {
    let text = try String(contentsOf: packageRoot.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    let heading = text.split(separator: "\n").first { $0.hasPrefix("## ") }
    return String(heading?.dropFirst(3) ?? "")
  }

  /// Copies a fixture store, with its `-wal`, into a fresh folder, so that opening it cannot change the original.
  package static func copyOfStore(_ name: String) throws -> TemporaryStore {
    let store = try TemporaryStore(name: name)
    let source = url("stores").appendingPathComponent(name)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
      try FileManager.default.copyItem(atPath: source.path + suffix, toPath: store.url.path + suffix)
    }
    return store
  }
}
