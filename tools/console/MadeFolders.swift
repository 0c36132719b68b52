package import Foundation

/// The folders that a run has made for its output, so that a failed run can remove them.
package struct MadeFolders {
  /// The innermost first.
  private let folders: [URL]

  /// Makes a folder and its parent folders, unless they exist.
  ///
  /// - Throws: `CocoaError`; no new folder is left then.
  package init(_ folder: URL) throws {
    var missing: [URL] = []
    var next = folder.standardizedFileURL
    while next.path.count > 1, !FileManager.default.fileExists(atPath: next.path) {
      missing.append(next)
      next.deleteLastPathComponent()
    }
    folders = missing
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      remove()
      throw error
    }
  }

  /// Removes the new folders that are empty.
  package func remove() { for folder in folders { rmdir(folder.path) } }
}
