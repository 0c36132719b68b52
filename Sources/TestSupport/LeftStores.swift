package import Foundation

/// What tests leave behind: it is removed, or kept for `tools/check-left-stores`.
package enum LeftStores {
  /// Where it is kept; `nil` if it is removed.
  private static let folder = ProcessInfo.processInfo.environment["OPENSWIFTDATA_LEFT_STORES"].map { path in
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes a store's folder, or keeps it under a name that says which source file made it.
  ///
  /// - Parameter damage: why the checker is to leave it out; the reason of the running test if none is given.
  package static func remove(_ url: URL, of file: String = #fileID, damage: String? = DamagedStores.reason) {
    guard let folder else {
      try? FileManager.default.removeItem(at: url)
      return
    }
    // `tools/check-left-stores` knows the name.
    if let damage {
      try? Data(damage.utf8).write(to: url.appendingPathComponent("damaged-on-purpose.txt"))
    }
    let name = file.replacingOccurrences(of: "/", with: ".") + "-" + UUID().uuidString
    try? FileManager.default.moveItem(at: url, to: folder.appendingPathComponent(name))
  }
}
